import { expect, test } from "vitest";

import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { DAY_MS, MINUTE_MS } from "../../../src/core/time.ts";
import { openSource } from "../../../src/sources/open-source.ts";
import { ScriptedSource } from "../../doubles/source/scripted-source.ts";
import { page, serve, type Site } from "../../doubles/web-site/served-site.ts";
import { rowsOf, type World } from "../../support/ingestion-world.ts";
import { placesOf } from "../../support/stored-data.ts";
import { VectorizeWorld } from "../../support/vectorize-world.ts";
import { followedWorld, scan } from "../sources/scanning.ts";

const DIMENSIONS = 64;
const SITE = "https://moss.example.com";
/** Longer than any worker lives. */
const LATE_MINUTES = 17;
const KEPT_DAYS = 31;

/** Words that nothing else contains: of the path, of two versions' texts, and of the metadata. */
type Words = { path: string; first: string; second: string; metadata: string };

/** A file that its source has in a first version, then in a second one, and then no more. */
type Life = {
  provider: string;
  config?: unknown;
  /** Passages of other files. */
  others: number;
  words: Words;
  /** The file has this text from now on; null: it is no more. */
  says: (world: World, source: FileSourceId, text: string | null) => Promise<void>;
};

const wordsOf = (letter: string): Words => ({
  path: `${letter}xpathqwvk`,
  first: `${letter}xfirstqwvk`,
  second: `${letter}xsecondqwvk`,
  metadata: `${letter}xlabelqwvk`,
});

const htmlOf = (text: string) => `<h1>Of ${text}</h1><p>A note about ${text}.</p>`;

function pushed(): Life {
  const words = wordsOf("p");
  const path = `${words.path}/a.html`;
  const metadata = { labels: [words.metadata] };
  return {
    provider: "file_system",
    others: 0,
    words,
    async says(world, source, text) {
      if (text === null) return await world.drop(source, path);
      await world.put(source, path, htmlOf(text), { metadata });
      await world.deliver();
    },
  };
}

function listedSource(): Life {
  const words = wordsOf("s");
  const reader = new ScriptedSource();
  const metadata = { owner: words.metadata };
  return {
    provider: "object_storage",
    others: 1,
    words,
    async says(world, source, text) {
      world.services.sourceReaders = async () => reader;
      reader.set({ "other.txt": "A note that stays." });
      const entry = { text: `A note about ${text}.`, version: `"${text?.length}"`, metadata };
      if (text !== null) reader.files.set(`${words.path}/a.txt`, entry);
      await scan(world, source);
    },
  };
}

function crawled(): Life {
  const words = wordsOf("w");
  const site: Site = new Map();
  const address = `${SITE}/${words.path}`;
  const says: Life["says"] = async (world, source, text) => {
    if (text === null) page(site, `${SITE}/`, "A note without links.");
    else page(site, `${SITE}/`, "A note with a link.", [address]);
    site.delete(address);
    const body = `<title>${words.metadata}</title><main><p>A note on ${text}.</p></main>`;
    const headers = { "content-type": "text/html" };
    if (text !== null) site.set(address, () => new Response(body, { headers }));
    serve(site);
    world.services.sourceReaders = async (settings) => await openSource(world.services, settings);
    await scan(world, source);
  };
  return {
    provider: "web",
    others: 1,
    config: { startUrls: [`${SITE}/`] },
    words,
    says,
  };
}

test.for([
  ["a pushed file", pushed()],
  ["a file of a listed source", listedSource()],
  ["a crawled page", crawled()],
] as const)("%s that was replaced, then deleted is in no store any more", async ([, life]) => {
  const world = new VectorizeWorld({ dimensions: DIMENSIONS });
  const { vectorize } = world;
  const source = await world.addSource(life.provider, life.config);
  const rags: RagId[] = [await world.addRag(source), await world.addRag(source)];
  // The index stores of a word only what differs from the one before it.
  const places = (word: string) => placesOf(word.slice(2), { world, rags, vectorize });
  const tables = (all: string[]) => [...new Set(all.map((place) => place.split(" ").at(-1)))];
  const { words } = life;

  await life.says(world, source, words.first);
  await world.sweepAfter(2);
  expect(tables(await places(words.first))).toEqual(
    expect.arrayContaining(["contents", "words_data", expect.stringContaining("/text/")]),
  );
  expect(tables(await places(words.metadata))).toEqual(
    expect.arrayContaining(["files", "file_metadata"]),
  );
  expect(vectorize.everything()).not.toBe("[]");

  await life.says(world, source, words.second);
  await world.sweepAfter(1);
  expect(await places(words.first)).toEqual([]);
  expect(tables(await places(words.second))).toContain("contents");

  await life.says(world, source, null);
  await world.sweepAfter(1);
  expect(await places(words.second)).toEqual([]);
  await world.sweepAfter(LATE_MINUTES);
  await world.sweepAfter(LATE_MINUTES);
  expect(await places(words.metadata)).toEqual(["D1 files"]);
  expect(await places(words.path)).toEqual(["D1 files", "D1 rag_files"]);

  await world.sweepAfter((KEPT_DAYS * DAY_MS) / MINUTE_MS);
  for (const word of Object.values(words)) expect(await places(word)).toEqual([]);
  expect(await rowsOf("select * from replaced_contents")).toEqual([]);
  expect(JSON.parse(vectorize.everything())).toHaveLength(life.others * rags.length);
});

test("a file that a feed deletes is found by any Unicode form of its path", async () => {
  const { reader, world, rag, scan: scanAgain } = await followedWorld({});
  const path = "\u00dcbersicht.txt".normalize("NFD");
  reader.change(path, { text: "A note." });
  await scanAgain();
  expect(Object.keys(await world.texts(rag))).toEqual([path.normalize("NFC")]);
  reader.files.delete(path);
  reader.remove(path);
  await scanAgain();
  expect(await world.texts(rag)).toEqual({});
});
