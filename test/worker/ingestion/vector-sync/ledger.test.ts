import { expect, test } from "vitest";

import {
  type ChunkId,
  type FileId,
  type FileSourceId,
  type RagId,
  vectorIdOf,
} from "../../../../src/core/ids.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { crashAtCalls, type CrashPoint } from "../../../support/crash.ts";
import { statement } from "../../../support/ingestion-world.ts";
import { SHOWN_AFTER_MS, VectorizeWorld } from "../../../support/vectorize-world.ts";
import {
  find,
  longText,
  patch,
  states,
  tenMinutesLater,
  vectorizeRag,
} from "../rebuilds/support.ts";
import { live, noteOf, notesRag, notesWorld, vectorIndexOf } from "./support.ts";

const HEATHER = "Heather flowers in August.";
const ASKED = "heathr flowring augst";

/** By the vector index alone: all that was written is trusted to show. */
async function nearAlone(world: VectorizeWorld, rag: RagId, query = ASKED) {
  expect(await world.index(rag).ledger()).toMatchObject({ inFlight: 0 });
  return (await find(world, rag, query)).counts;
}

test("a text that comes back while its old vector is being removed keeps its new one", async () => {
  const { world, source, rag } = await vectorizeRag({ "a.html": HEATHER });
  const vectorIndex = vectorIndexOf(world);
  const delayedCalls: (() => Promise<void>)[] = [];
  world.services.vectorIndex = {
    ...vectorIndex,
    remove: async (ids) => void delayedCalls.push(() => vectorIndex.remove(ids)),
  };
  await world.minutesPass(3);
  await world.drop(source, "a.html");
  await world.putAndIndex(source, { "a.html": HEATHER });
  await world.minutesPass(3);
  // The removals of the first vector arrive when the second one shows already.
  for (const arrive of delayedCalls) await arrive();
  world.services.vectorIndex = vectorIndex;
  world.now += SHOWN_AFTER_MS;
  expect(await nearAlone(world, rag)).toEqual({ "a.html": 1 });
  await world.everythingSettles();
  expect(world.vectorIdsOf(rag)).toHaveLength(1);
  expect(await nearAlone(world, rag)).toEqual({ "a.html": 1 });
});

async function comesAndGoes(world: VectorizeWorld, source: FileSourceId): Promise<void> {
  await world.putAndIndex(source, { "a.html": HEATHER });
  await world.drop(source, "a.html");
  await world.putAndIndex(source, { "a.html": HEATHER });
  await sweep(world.services);
}

test("a worker that dies at any call leaves only live vectors in the vector index", async () => {
  const run = async (crash: CrashPoint, at: number) => {
    const world = await VectorizeWorld.alone({ dimensions: 64 });
    const { source, rag } = await world.addSourceAndRag();
    await world.workUntil(crash, () => comesAndGoes(world, source));
    await world.putAndIndex(source, { "a.html": HEATHER });
    await world.everythingSettles();
    expect({ at, held: world.vectorIdsOf(rag) }).toMatchObject({ held: [expect.any(String)] });
    expect(await nearAlone(world, rag)).toEqual({ "a.html": 1 });
  };
  expect(await crashAtCalls(run, { every: 5 })).toBeGreaterThan(6);
});

test("vectors that the vector index lost are sent again, and found meanwhile", async () => {
  const { world, rag } = await notesWorld(300);
  const before = world.vectorIdsOf(rag).sort();
  expect(before).toHaveLength(300);
  const lostIds = before.filter((_, at) => at % 3 === 0);
  world.vectorize.lose(lostIds);
  const day = 24 * 60;
  world.now += day * SHOWN_AFTER_MS;
  const embedded = world.countEmbedded();
  await world.minutesPass(1);
  const query = noteOf(7).toLowerCase().replaceAll(" ", "");
  expect((await find(world, rag, query)).texts).toContain(noteOf(7));
  await world.minutesPass(4);
  expect(world.vectorIdsOf(rag).sort()).toEqual(before);
  expect(await world.index(rag).ledger()).toMatchObject({ inFlight: 0 });
  expect((await find(world, rag, query)).texts).toContain(noteOf(7));
  expect(embedded).toEqual([query, query]);
});

test("a vector index that was emptied or created again is filled again", async () => {
  const { world, rag } = await notesWorld(1_200);
  world.vectorize.lose(world.vectorIdsOf(rag));
  world.now += 24 * 60 * SHOWN_AFTER_MS;
  await world.minutesPass(6);
  expect(world.vectorIdsOf(rag)).toHaveLength(1_200);
});

const stray = (number: number) => vectorIdOf("e".repeat(40) as ChunkId, number);

async function plant(world: VectorizeWorld, ragId: RagId, generation: number, count: number) {
  const values = new Float32Array(world.services.config.EMBEDDING_DIMENSIONS);
  const vectors = Array.from({ length: count }, (_, at) => {
    return { id: stray(at), values: values.map((__, place) => (place === at % 9 ? 1 : 0.1)) };
  });
  const facts = { fileId: "gone" as FileId, folder: "" };
  await world.services.vectorIndex?.upsert(
    { ragId, generation },
    vectors.map((vector) => Object.assign(vector, facts)),
  );
}

test("orphans are removed", async () => {
  const world = await VectorizeWorld.alone({ dimensions: 64 });
  const rag = await notesRag(world, 40);
  await plant(world, rag, 1, 50);
  await world.minutesPass(3);
  expect(world.vectorIdsOf(rag)).toHaveLength(40);
  expect(await live(world, rag)).toBe(40);
});

test("vectors of another shard are no orphans", async () => {
  const { world, rag } = await vectorizeRag({}, { dimensions: 64 });
  await statement("update rag_generations set shards = 3 where rag_id = ?", rag).run();
  const source = await world.addSource();
  await statement("update rags set file_source_id = ? where id = ?", source, rag).run();
  for (let at = 0; at < 30; at++) await world.put(source, `${at}.html`, noteOf(at));
  await world.deliver();
  await world.everythingSettles();
  expect(world.vectorIdsOf(rag)).toHaveLength(30);
});

test("leftovers of a dropped generation are removed once its workers have ended", async () => {
  const { world, rag } = await vectorizeRag({ "a.html": HEATHER, "b.html": longText("moss") });
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  await world.deliver();
  await tenMinutesLater(world);
  expect(await states(rag)).toEqual(["1 dropped", "2 live"]);
  await plant(world, rag, 1, 150);
  await world.minutesPass(1);
  expect(world.vectorIdsOf(rag).length).toBeGreaterThan(150);
  for (let turn = 0; turn < 4; turn++) {
    world.now += 20 * SHOWN_AFTER_MS;
    await world.minutesPass(1);
  }
  world.now += SHOWN_AFTER_MS;
  const { chunks } = await world.services
    .ragIndexes({ ragId: rag, generation: 2, shard: 0 })
    .facts();
  expect(world.vectorIdsOf(rag)).toHaveLength(chunks);
});

test("a verification interrupted at any call resumes and repairs all the same", async () => {
  const run = async (crash: CrashPoint, at: number) => {
    const { world, rag } = await notesWorld(150);
    const before = world.vectorIdsOf(rag).sort();
    world.vectorize.lose(before.filter((_, place) => place % 50 === 0));
    world.now += 24 * 60 * SHOWN_AFTER_MS;
    await world.workUntil(crash, () => sweep(world.services));
    await world.minutesPass(8);
    expect({ at, held: world.vectorIdsOf(rag).sort() }).toEqual({ at, held: before });
  };
  expect(await crashAtCalls(run, { every: 9 })).toBeGreaterThan(0);
});

test("a healthy index costs bounded calls a minute, and a verification a day", async () => {
  const { world, rag } = await notesWorld(1_300);
  await world.minutesPass(7);
  const quiet = world.countCalls("getByIds", "query", "describe", "upsert", "deleteByIds");
  await world.minutesPass(30);
  expect(quiet()).toBe(0);
  world.now += 24 * 60 * SHOWN_AFTER_MS;
  const perMinute: number[] = [];
  for (let minute = 0; minute < 6; minute++) {
    const calls = world.countCalls("getByIds", "query", "describe");
    await world.minutesPass(1);
    perMinute.push(calls());
  }
  // 500 vectors a minute: 25 calls for them, 5 for orphans.
  expect(perMinute).toEqual([30, 30, 18, 0, 0, 0]);
  expect(world.vectorIdsOf(rag)).toHaveLength(1_300);
});
