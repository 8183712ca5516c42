import { expect, test } from "vitest";

import { findRag } from "../../../../src/catalog/rags/find-rag.ts";
import type { RagId } from "../../../../src/core/ids.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { reindexRag } from "../../../../src/ingestion/rebuilds/reindex-rag.ts";
import { retrieve } from "../../../../src/retrieval/retrieve.ts";
import { crashAtCalls } from "../../../support/crash.ts";
import { requestOf } from "../../../support/retrieval-requests.ts";
import { SHOWN_AFTER_MS, VectorizeWorld } from "../../../support/vectorize-world.ts";
import {
  deliverBut,
  facts,
  find,
  generations,
  indexedRag,
  longText,
  ofBuild,
  states,
  tenMinutesLater,
} from "./support.ts";

const MAX_IN_OBJECT = 3;
const SMALL = ["moss", "fen", "gorse"];
const GROWN = [...SMALL, "heather", "sedge"];

const filesOf = (names: string[]) =>
  Object.fromEntries(names.map((name) => [`${name}.html`, longText(name)]));

async function autoWorld(): Promise<VectorizeWorld> {
  const world = await VectorizeWorld.alone();
  const auto = { VECTOR_INDEX: "auto", EXACT_SEARCH_CHUNKS: MAX_IN_OBJECT } as const;
  world.services.config = { ...world.services.config, ...auto };
  return world;
}

const shownFiles = async (world: VectorizeWorld, rag: RagId) => {
  const { counts, degradations } = await find(world, rag);
  expect(degradations).toEqual([]);
  return Object.keys(counts).sort();
};

const places = async (rag: RagId) =>
  (await generations(rag)).map(({ state, vectorsIn }) => `${state} in ${vectorsIn}`);

const inOrder = (names: string[]) => names.map((name) => `${name}.html`).sort();

/** Everything that was queued arrives twice. */
const deliverTwice = async (world: VectorizeWorld) =>
  await world.deliver((envelopes) => envelopes.flatMap((envelope) => [envelope, envelope]));

test("a small RAG asks nothing of Vectorize, whatever happens to its files", async () => {
  const { world, source, rag } = await indexedRag(await autoWorld(), filesOf(SMALL));
  expect(await shownFiles(world, rag)).toEqual(inOrder(SMALL));
  await world.put(source, "moss.html", longText("bracken"));
  await deliverTwice(world);
  await world.drop(source, "fen.html");
  const { texts, counts } = await find(world, rag);
  expect(Object.keys(counts).sort()).toEqual(["gorse.html", "moss.html"]);
  expect(texts.join(" ")).toContain("The bracken ends here");
  expect(texts.join(" ")).not.toContain("The moss ends here");
  await world.minutesPass(3);
  expect((await facts(world, rag, 1)).tombstones).toBe(0);
  await reindexRag(world.services, { ragId: rag });
  await world.deliver();
  await tenMinutesLater(world);
  expect(await places(rag)).toEqual(["dropped in object", "live in object"]);
  expect(world.vectorize.calls).toEqual([]);
});

test("a RAG that outgrows its object moves while it answers, and back only by hand", async () => {
  const { world, source, rag } = await indexedRag(await autoWorld(), filesOf(GROWN));
  expect(await places(rag)).toEqual(["live in object"]);
  expect(world.vectorize.calls).toEqual([]);
  const embedded = world.countEmbedded();
  await sweep(world.services);
  await deliverBut(world, ofBuild);
  expect(await places(rag)).toEqual(["live in object", "building in vectorize"]);
  // Files are changed, added and deleted while it moves.
  await world.deliverBatch("quarry-index", world.waiting.splice(0, 2));
  expect(await shownFiles(world, rag)).toEqual(inOrder(GROWN));
  await world.drop(source, "fen.html");
  await world.put(source, "moss.html", longText("bracken"));
  await world.put(source, "reed.html", longText("reed"));
  const now = inOrder(["gorse", "heather", "moss", "sedge"]);
  expect(await shownFiles(world, rag)).toEqual(now);
  await deliverTwice(world);
  expect(await places(rag)).toEqual(["retired in object", "live in vectorize"]);
  const documents = embedded.filter((text) => text.includes("peat"));
  expect(documents.filter((text) => !/bracken|reed/.test(text))).toEqual([]);
  const whole = inOrder(["gorse", "heather", "moss", "reed", "sedge"]);
  expect(await shownFiles(world, rag)).toEqual(whole);
  await world.everythingSettles();
  expect(await shownFiles(world, rag)).toEqual(whole);
  expect(world.vectorIdsOf(rag)).toHaveLength((await facts(world, rag, 2)).chunks);

  for (const path of ["gorse.html", "heather.html", "moss.html"]) await world.drop(source, path);
  await world.minutesPass(2);
  expect(await places(rag)).toEqual(["dropped in object", "live in vectorize"]);
  await reindexRag(world.services, { ragId: rag });
  await world.deliver();
  expect((await places(rag)).at(-1)).toBe("live in object");
  await tenMinutesLater(world);
  world.now += SHOWN_AFTER_MS;
  await world.everythingSettles();
  expect(world.vectorIdsOf(rag)).toEqual([]);
  expect(await shownFiles(world, rag)).toEqual(inOrder(["reed", "sedge"]));
});

test("one retrieval asks RAGs of both kinds, and an overload of Vectorize is said", async () => {
  const world = await autoWorld();
  const small = await indexedRag(world, filesOf(["moss"]));
  const large = await indexedRag(world, filesOf(GROWN.slice(1)));
  await world.minutesPass(3);
  expect((await places(large.rag)).at(-1)).toBe("live in vectorize");
  const rags = await Promise.all(
    [small.rag, large.rag].map((key) => findRag(world.services, { key })),
  );
  const ask = async () =>
    await retrieve(
      world.services,
      requestOf(rags, { queries: ["note parts"], topK: 10, includeDuplicates: true }),
    );
  const paths = ({ chunks }: Awaited<ReturnType<typeof ask>>) =>
    chunks.map(({ source }) => source.filePath).sort();
  expect(paths(await ask())).toEqual(inOrder(GROWN));
  world.vectorize.failure = new Error("down");
  const without = await ask();
  expect(paths(without)).toEqual(inOrder(GROWN));
  expect(without.degradations).toHaveLength(1);
  expect((await find(world, small.rag)).degradations).toEqual([]);
});

test("a move whose worker dies at any call ends as if it had not", async () => {
  const schedule = { from: 3, every: 8, upTo: 43 };
  await crashAtCalls(
    async (crash, at) => {
      const { world, rag } = await indexedRag(await autoWorld(), filesOf(GROWN));
      await sweep(world.services);
      await world.workUntil(crash);
      expect({ at, files: await shownFiles(world, rag) }).toEqual({ at, files: inOrder(GROWN) });
      await world.sweepAfter(0, 3, 15);
      expect({ at, states: (await states(rag)).slice(1) }).toEqual({ at, states: ["2 live"] });
      expect(await shownFiles(world, rag)).toEqual(inOrder(GROWN));
      world.now += SHOWN_AFTER_MS;
      expect(world.vectorIdsOf(rag)).toHaveLength(GROWN.length);
    },
    { ...schedule, moment: (at) => (at % 16 === 3 ? "before" : "after") },
  );
});
