import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { findFileSource } from "../../../../src/catalog/file-sources/find-file-source.ts";
import type { FileSourceId } from "../../../../src/core/ids.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../src/core/time.ts";
import { sourceOf } from "../../../../src/panel/api/file-sources.ts";
import { SourceFailure, type ListingPage } from "../../../../src/ports/source-reader.ts";
import { BUCKET_CONFIG, serveBucket } from "../../../doubles/object-storage/served-bucket.ts";
import { ScriptedSource } from "../../../doubles/source/scripted-source.ts";
import { page, serve, type Site } from "../../../doubles/web-site/served-site.ts";
import { statement, World } from "../../../support/ingestion-world.ts";
import {
  cursorOf,
  followedWorld,
  lastRun,
  sourceWorld,
  notes,
  listedWorld,
  scan,
} from "../../sources/scanning.ts";

/** A source that is listed again, as its cursor has expired; that breaks off at the second page. */
async function brokenWorld(kind: "denied" | "down") {
  const setup = await followedWorld({ "a.txt": "A note.", "b.txt": "A note." });
  const { reader } = setup;
  reader.pageSize = 1;
  reader.failures.set(1, new SourceFailure(kind, "no more"));
  reader.oldestCursor = Infinity;
  const listsInScan = async () => {
    const before = reader.listings;
    await setup.scan();
    return reader.listings - before;
  };
  return { ...setup, listsInScan };
}

test("after a listing that broke off, everything is listed, and the feed followed", async () => {
  const { reader, world, source, rag, listsInScan } = await brokenWorld("denied");
  const cursor = await cursorOf(source);
  expect(await listsInScan()).toBe(1);
  reader.oldestCursor = 0;
  for (const text of ["Another note.", "A third note."]) {
    reader.change("b.txt", text);
    expect(await listsInScan()).toBe(1);
    expect(await lastRun(source)).toMatchObject({ error: "no more", status: "error" });
    expect(await world.texts(rag)).toMatchObject({ "b.txt": [text] });
    expect(await cursorOf(source)).toBe(cursor);
  }
  reader.failures.clear();
  expect([await listsInScan(), await listsInScan()]).toEqual([1, 0]);
  expect(await cursorOf(source)).not.toBe(cursor);
});

test("so it is after a listing whose messages were given up", async () => {
  const { reader, world, source, listsInScan } = await brokenWorld("down");
  let lostMessages: World["waiting"] = [];
  const scan = { kind: "scan", fileSourceId: source, confirmRemovals: false, urls: null } as const;
  await world.services.queue.scan(scan);
  await world.deliver((all) => {
    const { later = [], now = [] } = Object.groupBy(all, ({ body }) =>
      "runId" in body ? "later" : "now",
    );
    lostMessages = later;
    return now;
  });
  reader.failures.clear();
  reader.oldestCursor = 0;
  world.now += HOUR_MS;
  await world.deliverBatch("quarry-scan-dead", lostMessages);
  expect(await lastRun(source)).toMatchObject({ error: expect.stringContaining("not finish") });
  expect([await listsInScan(), await listsInScan()]).toEqual([1, 0]);
});

const REPEATS = "the listing does not end: the provider returned the same page again";
const EMPTY = "the listing does not end: 100 pages in a row were empty";
/** Longer than a listing that ends is allowed to be empty. */
const FOLDERS = 150;

const nothing = { files: [], deleted: [] };

/** Scans pages; `pageAt` makes page number `at`, from 0. */
async function scanned(pageAt: (at: number) => ListingPage) {
  let pageCount = 0;
  const reader = Object.assign(new ScriptedSource(), { list: async () => pageAt(pageCount++) });
  const { world, source, scan } = await sourceWorld(reader);
  const start = world.now;
  await scan();
  const run = await lastRun(source);
  return { asked: pageCount, ...run, waitsMs: Number(run?.["nextAt"]) - start };
}

test.each([
  ["one token again and again", () => ({ ...nothing, next: "same" }), 2, REPEATS],
  ["tokens in turn", (at: number) => ({ ...nothing, next: `${at % 7}` }), 15, REPEATS],
  [
    "one token behind pages that hold folders",
    () => ({ ...nothing, entries: 9, next: "same" }),
    2,
    REPEATS,
  ],
  [
    "a circle behind a long way",
    (at: number) => ({ ...nothing, entries: 1, next: `${at < 60 ? at : 60 + (at % 5)}` }),
    130,
    REPEATS,
  ],
  ["new tokens of empty pages", (at: number) => ({ ...nothing, next: `${at}` }), 100, EMPTY],
])("a provider that sends %s is asked a few times and told", async (_what, pageAt, most, error) => {
  const run = await scanned(pageAt);
  expect(run).toMatchObject({ error, finished: 1 });
  expect(run.asked).toBeLessThanOrEqual(most);
  expect(run.waitsMs).toBeGreaterThan(30 * MINUTE_MS);
});

test("a long listing of folders, and one with some empty pages, end as they should", async () => {
  const run = await scanned((at) => ({
    ...nothing,
    entries: at % 50 === 0 ? 1 : 0,
    next: at < FOLDERS ? `${at}` : null,
  }));
  expect(run).toMatchObject({ asked: FOLDERS + 1, error: null, finished: 1 });
});

/** The newest run's count of mended files; null: it did not list everything after the feed. */
const mended = async (world: World, key: string) => {
  const { lastScan } = sourceOf(await findFileSource(world.services, { key }));
  return lastScan?.mended;
};

test("once a day everything is listed, and what the feed missed is mended and counted", async () => {
  const { reader, world, source, rag, scan } = await followedWorld(notes(6));
  world.now += 20 * HOUR_MS;
  await scan();
  expect({ listings: reader.listings, mended: await mended(world, source) }).toEqual({
    listings: 1,
    mended: null,
  });
  reader.change("f0.txt", "A note, told.");
  reader.change("told.txt", "A note, told too.");
  reader.remove("f1.txt");
  reader.files.set("f2.txt", { text: "A note, missed." });
  reader.files.set("missed.txt", { text: "A note, missed too." });
  reader.files.delete("f3.txt");
  // The feed shows it, and it goes before the listing begins: its download tells.
  reader.change("brief.txt", "A note, soon gone.");
  // The feed shows it, and the listing does not yet: it stays.
  reader.change("late.txt", "A note, late.");
  reader.beforePage = async () => {
    reader.files.delete("brief.txt");
    reader.files.delete("late.txt");
  };
  reader.afterListing = () => void reader.files.set("late.txt", { text: "A note, late." });
  world.now += 5 * HOUR_MS;
  await scan();
  expect(reader.listings).toBe(2);
  expect(await lastRun(source)).toMatchObject({ added: 4, changed: 2, removed: 2, error: null });
  expect(await mended(world, source)).toEqual({ added: 1, changed: 1, removed: 1 });
  expect(await world.texts(rag)).toEqual({
    "f0.txt": ["A note, told."],
    "told.txt": ["A note, told too."],
    "late.txt": ["A note, late."],
    "f2.txt": ["A note, missed."],
    "missed.txt": ["A note, missed too."],
    "f4.txt": ["A note, 4."],
    "f5.txt": ["A note, 5."],
  });
  await scan();
  expect(reader.listings).toBe(2);
});

test("a deletion that the feed tells of counts, whatever the daily listing shows yet", async () => {
  const { reader, world, rag, scan } = await followedWorld(notes(3));
  world.now += 25 * HOUR_MS;
  // Added minutes ago: the listing alone may not remove it, because it may lag.
  reader.change("new.txt", "A note, new.");
  await statement("update file_sources set listed_at = ?", world.now).run();
  await scan();
  expect(Object.keys(await world.texts(rag))).toContain("new.txt");
  world.now += 5 * MINUTE_MS;
  await env.DB.prepare("update file_sources set listed_at = 0").run();
  reader.remove("new.txt");
  reader.remove("f0.txt");
  // The listing lags behind the feed and shows one of them still.
  reader.beforePage = async () => void reader.files.set("f0.txt", { text: "A note, 0." });
  reader.afterListing = () => void reader.files.delete("f0.txt");
  await scan();
  expect(Object.keys(await world.texts(rag)).sort()).toEqual(["f0.txt", "f1.txt", "f2.txt"]);
  reader.beforePage = async () => undefined;
  await scan();
  expect(Object.keys(await world.texts(rag)).sort()).toEqual(["f1.txt", "f2.txt"]);
});

test("a daily listing that lacks most files is held by every scan until confirmed", async () => {
  const { reader, world, source, rag, scan } = await followedWorld(notes(30));
  for (let at = 0; at < 25; at++) reader.files.delete(`f${at}.txt`);
  world.now += 25 * HOUR_MS;
  for (let times = 0; times < 2; times++) {
    await scan();
    const error = "removal of 25 of 30 files is held until confirmed";
    expect(await lastRun(source)).toMatchObject({ removed: 0, error });
  }
  expect(Object.keys(await world.texts(rag))).toHaveLength(30);
  await scan(true);
  expect(await lastRun(source)).toMatchObject({ removed: 25, error: null });
  expect(await mended(world, source)).toEqual({ added: 0, changed: 0, removed: 25 });
});

const SITE = "https://moss.example.com";

const textsOf = (paths: string[]) =>
  Object.fromEntries(paths.map((path) => [path, `A note of ${path}.`]));

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
/** 30 files, or the 40 others that come in their place. */
const names = (isAfter: boolean) =>
  range(isAfter ? 40 : 30).map((at) => (isAfter ? `new-${at}` : `old-${at}`));

/** A source of each way of listing; `change` takes its 30 files and adds 40 others. */
const PROVIDERS: Record<
  string,
  () => Promise<{ world: World; source: FileSourceId; change: () => void }>
> = {
  "a listing": async () => {
    const { reader, world, source } = await listedWorld(textsOf(names(false)));
    return { world, source, change: () => reader.set(textsOf(names(true))) };
  },
  "a change feed": async () => {
    const { reader, world, source } = await followedWorld(textsOf(names(false)));
    const change = () => {
      for (const name of names(false)) reader.remove(name);
      for (const name of names(true)) reader.change(name, `A note of ${name}.`);
    };
    return { world, source, change };
  },
  "a web crawl": async () => {
    const site: Site = new Map();
    const fill = (isAfter: boolean) => {
      site.clear();
      const links = names(isAfter).map((name) => `/${name}`);
      for (const link of links) page(site, `${SITE}${link}`, `A note of ${link}.`);
      page(site, `${SITE}/`, `A note of all, ${links.length}.`, links);
    };
    fill(false);
    serve(site);
    const world = new World();
    const source = await world.addSource("web", { startUrls: [SITE] });
    return { world, source, change: () => fill(true) };
  },
  "a bucket of S3": async () => {
    const objects = new Map(Object.entries(textsOf(names(false).map((name) => `docs/${name}.md`))));
    serveBucket(objects);
    const world = new World();
    const source = await world.addSource("object_storage", BUCKET_CONFIG);
    const change = () => {
      objects.clear();
      for (const name of names(true)) objects.set(`docs/${name}.md`, `A note of ${name}.`);
    };
    return { world, source, change };
  },
};

test.each(Object.keys(PROVIDERS))(
  "%s: new files do not make up for missing ones until a removal is confirmed",
  async (provider) => {
    const { world, source, change } = (await PROVIDERS[provider]?.()) ?? never();
    await scan(world, source);
    change();
    for (const run of range(3)) {
      await scan(world, source);
      expect(await lastRun(source), `run ${run}`).toMatchObject({
        removed: 0,
        held: 30,
        error: expect.stringMatching(/^removal of 30 of 3[01] files is held until confirmed$/),
      });
    }
    await scan(world, source, true);
    expect(await lastRun(source)).toMatchObject({ removed: 30, held: 0, status: "active" });
  },
);

function never(): never {
  throw new Error("no such provider");
}
