import { expect, test } from "vitest";

import { type ChunkId, type RagId, vectorIdOf } from "../../../../src/core/ids.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { countedDatabase } from "../../../support/counted-rows.ts";
import { SHOWN_AFTER_MS, VectorizeWorld } from "../../../support/vectorize-world.ts";

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
  let asked = 0;
  world.aroundIndexes(async ({ name, go }, { ragId }) => {
    asked += 1;
    if (name !== "inFlightBatches") return await go();
    lookedAt.add(ragId);
    return BATCHES;
  });
  const calls = () => asked + counts.calls + world.vectorize.calls.length;
  return { calls, lookedAt };
}

test("a sweep with many indexes in repair stays below the call limit; all get turns", async () => {
  const world = await VectorizeWorld.alone({ dimensions: 64 });
  const source = await world.addSource();
  for (let at = 0; at < INDEXES; at++) await world.addRag(source);
  const { calls, lookedAt } = burdened(world);
  const seen = [];
  for (let minute = 0; minute < 3; minute++) {
    const before = calls();
    world.now += SHOWN_AFTER_MS;
    await sweep(world.services);
    expect(calls() - before).toBeLessThan(CALLS_PER_INVOCATION * 0.8);
    seen.push(lookedAt.size);
  }
  expect(seen[0]).toBeGreaterThan(10);
  expect(seen.at(-1)).toBe(INDEXES);
});
