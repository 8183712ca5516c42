import { expect, test } from "vitest";

import { shardOf } from "../../../../src/core/hash.ts";
import type { FileId, RagId } from "../../../../src/core/ids.ts";
import { MINUTE_MS } from "../../../../src/core/time.ts";
import { checkIndexes } from "../../../../src/ingestion/maintenance/check-indexes.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { crashAtCalls } from "../../../support/crash.ts";
import { World, rowsOf } from "../../../support/ingestion-world.ts";
import {
  deliverBut,
  facts,
  find as search,
  generations,
  indexedRag,
  longText,
  ofBuild,
  states,
  tenMinutesLater,
} from "./support.ts";

const SHARD_CHUNKS = 4;
/** Twice what six chunks need at four a shard, and one. */
const GROWN_SHARDS = 4;
const FILES = Object.fromEntries(
  ["moss", "fen", "gorse", "heather", "sedge", "reed"].map((name) => [
    `${name}.html`,
    longText(name),
  ]),
);

/** Texts that are almost equally near come in any order. */
async function resultFacts(world: World, rag: RagId) {
  const { texts, ...rest } = await search(world, rag);
  return { ...rest, texts: texts.toSorted() };
}

/** A RAG whose index has outgrown its one shard; nothing is begun yet. */
async function outgrownRag() {
  const indexed = await indexedRag(new World(), FILES);
  const { services } = indexed.world;
  services.config = { ...services.config, INDEX_SHARD_CHUNKS: SHARD_CHUNKS };
  return indexed;
}

async function inShards(world: World, rag: RagId, generation: number) {
  const each = await Promise.all(
    Array.from({ length: GROWN_SHARDS }, (_, shard) => facts(world, rag, generation, shard)),
  );
  return each.map(({ chunks }) => chunks);
}

/** The chunks that belong to each shard: which files lie together is left to their ids. */
async function ownedByShards(rag: RagId) {
  const rows = await rowsOf<{ fileId: FileId; chunks: number }>(
    "select file_id as fileId, chunk_count as chunks from rag_files where rag_id = ? and generation = 2",
    rag,
  );
  const chunksByShard = Array<number>(GROWN_SHARDS).fill(0);
  for (const { fileId, chunks } of rows) {
    const shard = shardOf(fileId, GROWN_SHARDS);
    chunksByShard[shard] = (chunksByShard[shard] ?? 0) + chunks;
  }
  expect(sum(chunksByShard)).toBe(6);
  return chunksByShard;
}

const sum = (numbers: number[]) => numbers.reduce((total, value) => total + value, 0);

test("a growing RAG is spread over more shards, answers, and embeds nothing again", async () => {
  const { world, rag } = await outgrownRag();
  const before = await resultFacts(world, rag);
  const embedded = world.countEmbedded();
  await sweep(world.services);
  await deliverBut(world, ofBuild);
  expect(await states(rag)).toEqual(["1 live", "2 building"]);
  expect(await resultFacts(world, rag)).toEqual(before);
  await world.deliver();
  expect(await generations(rag)).toMatchObject([
    { state: "retired", shards: 1 },
    { state: "live", shards: GROWN_SHARDS },
  ]);
  const documents = embedded.filter((text) => text.includes("peat"));
  expect(documents).toEqual([]);
  expect(await inShards(world, rag, 2)).toEqual(await ownedByShards(rag));
  const after = await resultFacts(world, rag);
  expect(after).toEqual(before);

  await sweep(world.services);
  expect(world.waiting).toEqual([]);
  await tenMinutesLater(world);
  expect(await states(rag)).toEqual(["1 dropped", "2 live"]);
  expect(await resultFacts(world, rag)).toEqual(before);
});

test("files changed, added and removed while it grows are so in every shard", async () => {
  const { world, source, rag } = await outgrownRag();
  await sweep(world.services);
  await deliverBut(world, ofBuild);
  const half = world.waiting.splice(0, 3);
  await world.deliverBatch("quarry-index", half);
  await world.put(source, "moss.html", longText("bracken"));
  await world.put(source, "added.html", longText("willow"));
  await world.drop(source, "fen.html");
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  const grown = await resultFacts(world, rag);
  const expected = ["added", "gorse", "heather", "moss", "reed", "sedge"];
  expect(Object.keys(grown.counts).sort()).toEqual(expected.map((name) => `${name}.html`));
  expect(grown.texts.join(" ")).toContain("bracken");
  expect(grown.texts.join(" ")).not.toMatch(/moss ends|fen ends/);

  await world.drop(source, "gorse.html");
  await world.put(source, "reed.html", longText("osier"));
  expect(Object.keys((await resultFacts(world, rag)).counts)).not.toContain("gorse.html");
  await world.deliver();
  const later = await resultFacts(world, rag);
  expect(later.texts.join(" ")).toContain("osier");
  expect(later.texts.join(" ")).not.toContain("reed ends");
  expect(await world.counters(rag)).toMatchObject({
    indexed: 5,
    vectors: sum(await inShards(world, rag, 2)),
  });
});

test("what is missing from one shard is found by the check and indexed again", async () => {
  const { world, rag } = await outgrownRag();
  await world.sweepAfter(0);
  const before = await resultFacts(world, rag);
  const shard = (await inShards(world, rag, 2)).findIndex((chunks) => chunks > 0);
  const address = { ragId: rag, generation: 2, shard };
  const [lostFile] = await world.services.ragIndexes(address).listFiles(null, 1);
  if (lostFile === undefined) throw new Error("the shard is empty");
  expect(shardOf(lostFile.fileId, GROWN_SHARDS)).toBe(shard);
  await world.services.ragIndexes(address).remove([lostFile]);
  expect(Object.keys((await resultFacts(world, rag)).counts)).toHaveLength(5);
  for (let turn = 0; turn < 10; turn++) {
    world.now += MINUTE_MS;
    await checkIndexes(world.services);
  }
  await world.deliver();
  expect((await resultFacts(world, rag)).counts).toEqual(before.counts);
});

test("growth whose worker dies at any call ends as if it had not", async () => {
  await crashAtCalls(
    async (crash, at) => {
      const { world, rag } = await outgrownRag();
      const before = await resultFacts(world, rag);
      await sweep(world.services);
      await world.workUntil(crash);
      expect((await resultFacts(world, rag)).counts).toEqual(before.counts);
      await world.sweepAfter(0, 3, 15);
      expect({ at, states: (await states(rag)).slice(1) }).toEqual({ at, states: ["2 live"] });
      expect(await resultFacts(world, rag)).toEqual(before);
      expect(sum(await inShards(world, rag, 2))).toBe(6);
    },
    { from: 2, every: 5, upTo: 40, moment: (at) => (at % 2 === 0 ? "before" : "after") },
  );
});
