import { expect, test, vi } from "vitest";

import { folderOf } from "../../../../src/core/folders.ts";
import { vectorIdOf, type ChunkId, type RagId } from "../../../../src/core/ids.ts";
import { MINUTE_MS } from "../../../../src/core/time.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import type { FileVersion } from "../../../../src/ports/index-versions.ts";
import type { UpsertBatch } from "../../../../src/ports/vector-ledger.ts";
import { countedDatabase } from "../../../support/counted-rows.ts";
import { statement } from "../../../support/ingestion-world.ts";
import { SHOWN_AFTER_MS, VectorizeWorld } from "../../../support/vectorize-world.ts";
import { vectorizeRag, longText } from "../rebuilds/support.ts";
import { asSearched, drive, nearest } from "./support.ts";

const HEATHER = "Heather flowers in August.";
const GORSE = "Gorse grows by the road.";
const MOSS = "Moss grows on peat.";

test("while the vector index is down files come and go, and a search is by words", async () => {
  const { world, source, rag } = await vectorizeRag({ "a.html": HEATHER, "gone.html": GORSE });
  await world.minutesPass(3);
  expect(world.vectorIdsOf(rag)).toHaveLength(2);
  world.vectorize.failure = new Error("down");
  await world.drop(source, "gone.html");
  await world.putAndIndex(source, { "b.html": MOSS });
  expect((await world.rows(rag)).map(({ status }) => status)).toEqual([
    "indexed",
    "indexed",
    "deleted",
  ]);
  const byWord = await nearest(world, rag, "heather");
  expect(byWord.chunks).toContain(`a.html: ${HEATHER}`);
  expect(byWord.degradations).toEqual([
    expect.stringMatching(/^vector index: failed after \d+ ms$/),
  ]);
  expect((await nearest(world, rag, "peatmoss")).chunks).toEqual([`b.html: ${MOSS}`]);
  expect((await nearest(world, rag, "gorse")).chunks).not.toContain(`gone.html: ${GORSE}`);
  world.vectorize.failure = null;
  await world.minutesPass(8);
  expect(world.vectorIdsOf(rag)).toHaveLength(2);
  const { chunks, degradations } = await nearest(world, rag, "moss");
  expect([chunks[0], degradations]).toEqual([`b.html: ${MOSS}`, []]);
});

test("a question that the vector index fails once is asked once more", async () => {
  const { world, rag } = await vectorizeRag({ "a.html": HEATHER });
  await world.minutesPass(3);
  vi.spyOn(world.vectorize, "query").mockRejectedValueOnce(new Error("internal error"));
  const { chunks, degradations } = await nearest(world, rag, "heathr flowring");
  expect([degradations, chunks]).toEqual([[], [`a.html: ${HEATHER}`]]);
});

test("what was read stays in the answer when a search behind a crowd fails", async () => {
  const lines = (file: number) =>
    Array.from({ length: 12 }, (_, at) => `Heather and willow of plot ${file} bed ${at}.`);
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`${at}.txt`, lines(at).join("\n\n")]),
  );
  const { world, reader, rag, scan } = await drive(files, { scoreSteps: 1e6 });
  await world.minutesPass(4);
  const closest = (await nearest(world, rag, "heatherwillow")).chunks.slice(0, 90);
  const paths = [...new Set(closest.map((chunk) => chunk.split(":")[0] ?? ""))];
  for (const path of paths.slice(0, 12)) reader.remove(path);
  await scan();
  asSearched(world, (request) => {
    if (request.deep === true) throw new Error("overloaded");
    return request;
  });
  const { chunks, degradations } = await nearest(world, rag, "heatherwillow");
  expect(degradations).toEqual([expect.stringMatching(/^index: failed after \d+ ms$/)]);
  expect(chunks.length).toBeGreaterThan(0);
});

/** https://developers.cloudflare.com/workers/platform/limits/#subrequests */
const CALLS_PER_INVOCATION = 10_000;
const INDEXES = 45;

/** Vectors that never show: 250 calls for one look at them. */
const BATCHES = Array.from({ length: 5_000 }, (_, id) => {
  return { id, at: 0, vectorId: vectorIdOf("e".repeat(40) as ChunkId, id), folder: "" };
});

/** Each index of the world waits for as many vectors as one can; calls of any kind are counted. */
function burdened(world: VectorizeWorld) {
  const { counts, db } = countedDatabase();
  world.services.db = db;
  const lookedAt = new Set<RagId>();
  let callCount = 0;
  world.aroundIndexes(async ({ name, go }, { ragId }) => {
    callCount += 1;
    if (name !== "inFlightBatches") return await go();
    lookedAt.add(ragId);
    return BATCHES;
  });
  const calls = () => callCount + counts.calls + world.vectorize.calls.length;
  return { calls, lookedAt };
}

test("a sweep with many indexes in repair stays below the call limit; all get turns", async () => {
  const world = await VectorizeWorld.alone({ dimensions: 64 });
  const source = await world.addSource();
  for (let at = 0; at < INDEXES; at++) await world.addRag(source);
  const { calls, lookedAt } = burdened(world);
  const sizes = [];
  for (let minute = 0; minute < 3; minute++) {
    const before = calls();
    world.now += SHOWN_AFTER_MS;
    await sweep(world.services);
    expect(calls() - before).toBeLessThan(CALLS_PER_INVOCATION * 0.8);
    sizes.push(lookedAt.size);
  }
  expect(sizes[0]).toBeGreaterThan(10);
  expect(sizes.at(-1)).toBe(INDEXES);
});

const FILES = 20;

const suspectsOf = async (rag: RagId) =>
  await statement(
    "select count(*) as count from rag_files where rag_id = ? and lease_id = 'crashed'",
    rag,
  ).first<number>("count");

/** No index has room for one more file. */
function withFullIndexes(world: VectorizeWorld) {
  const { ragIndexes } = world.services;
  const full = { isFull: true };
  world.aroundIndexes(async ({ name, args, go }, address) => {
    if (name !== "writeVersions" || !full.isFull) return await go();
    const [versions, batch] = args as [FileVersion[], UpsertBatch];
    const writing = versions.map(async ({ file, revision, staged }) => {
      const batchInFolder = { ...batch, folder: folderOf(file.path) };
      const storedChunks = await ragIndexes(address).stage(
        file.fileId,
        revision,
        staged,
        batchInFolder,
      );
      return { stored: storedChunks, activation: { outcome: "full" } };
    });
    return await Promise.all(writing);
  });
  return full;
}

const statusesOf = async (world: VectorizeWorld, rag: RagId) => [
  ...new Set((await world.rows(rag)).map(({ status }) => status)),
];

test("files that wait for vectors come again as what they are", async () => {
  const world = await VectorizeWorld.alone();
  const { source, rag } = await world.addSourceAndRag();
  for (let at = 0; at < FILES; at++) await world.put(source, `${at}.html`, longText(`${at}`));
  const full = withFullIndexes(world);
  await world.deliver();
  expect(await statusesOf(world, rag)).toEqual(["processing"]);
  // Not as files whose worker died.
  world.now += MINUTE_MS;
  await sweep(world.services);
  const retries = world.waiting.flatMap(({ body }) => ("files" in body ? body.files : []));
  expect(retries).toHaveLength(FILES);
  expect(await suspectsOf(rag)).toBe(0);
  await world.deliver();
  expect(await statusesOf(world, rag)).toEqual(["processing"]);
  full.isFull = false;
  await world.minutesPass(2);
  expect(await statusesOf(world, rag)).toEqual(["indexed"]);
});

test("a vector index that is down keeps no file from waiting on", async () => {
  const world = await VectorizeWorld.alone();
  const { source, rag } = await world.addSourceAndRag();
  await world.put(source, "a.html", longText("moss"));
  const full = withFullIndexes(world);
  world.vectorize.failure = new Error("down");
  for (let minute = 0; minute < 8; minute++) {
    await world.minutesPass(1);
    expect(await statusesOf(world, rag)).toEqual(["processing"]);
  }
  world.vectorize.failure = null;
  full.isFull = false;
  await world.minutesPass(2);
  expect(await statusesOf(world, rag)).toEqual(["indexed"]);
});
