import { expect, test, vi } from "vitest";

import type { RagId } from "../../../src/core/ids.ts";
import { MINUTE_MS, SECOND_MS } from "../../../src/core/time.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { ragWorld, type World } from "../../support/ingestion-world.ts";

/** A file that nobody works on leaves `processing` by then, whatever stalls beside it. */
const BOUND_MS = 4 * MINUTE_MS;
const SLOW_TEXT = "A slow note. ".repeat(130_000);
const never = () => new Promise<never>(() => undefined);
const REAL_TIMEOUT_MS = 60_000;

async function worldOf(texts: Record<string, string>) {
  const made = await ragWorld();
  for (const [path, text] of Object.entries(texts)) await made.world.put(made.source, path, text);
  return made;
}

const statusesOf = async (world: World, rag: RagId) =>
  Object.fromEntries((await world.rows(rag)).map(({ path, status }) => [path, status]));

/** The bucket, whose reads stall while `isStalled` says so of a key's file. */
function stallReads(world: World, isStalled: () => boolean): void {
  world.aroundBucket(({ name, go }) => (name === "get" && isStalled() ? never() : go()));
}

test(
  "a file is not held in processing by one whose read stalls beside it",
  async () => {
    const { world, rag } = await worldOf({ "a.txt": "A note that stalls.", "b.txt": "A note." });
    let reads = 0;
    stallReads(world, () => ++reads === 1);
    void world.deliverBatch("quarry-index", world.waiting.splice(0));
    // It waits a moment, to be embedded together with the other, and then goes alone.
    await vi.waitFor(async () => {
      expect(Object.values(await statusesOf(world, rag)).sort()).toEqual(["indexed", "processing"]);
    }, REAL_TIMEOUT_MS);
    world.now += BOUND_MS - MINUTE_MS;
    await sweep(world.services);
    expect(Object.values(await statusesOf(world, rag)).sort()).toEqual(["indexed", "pending"]);
    await world.deliver();
    expect(Object.values(await statusesOf(world, rag))).toEqual(["indexed", "indexed"]);
  },
  REAL_TIMEOUT_MS,
);

test(
  "a file whose read stalls is not renewed by the work on another of its batch",
  async () => {
    const { world, rag } = await worldOf({ "a.txt": "A note that stalls.", "b.txt": SLOW_TEXT });
    const began = world.now;
    let reads = 0;
    stallReads(world, () => ++reads === 1);
    const left: number[] = [];
    // With each text that is embedded of the long file half a minute goes by, and the clock sweeps.
    world.beforeEmbedding(async () => {
      world.now += 30 * SECOND_MS;
      await sweep(world.services);
      const { "a.txt": status } = await statusesOf(world, rag);
      if (status !== "processing") left.push(world.now - began);
    });
    void world.deliverBatch("quarry-index", world.waiting.splice(0));
    await vi.waitFor(async () => {
      expect((await statusesOf(world, rag))["b.txt"]).toBe("indexed");
    }, REAL_TIMEOUT_MS);
    expect(left[0]).toBeLessThanOrEqual(BOUND_MS);
  },
  REAL_TIMEOUT_MS,
);

test("a sweep whose removals stall takes up what a dead worker left, and ends", async () => {
  const { world, source, rag } = await worldOf({ "z.txt": "A note that goes." });
  await world.deliver();
  await world.put(source, "a.txt", "A note.");
  stallReads(world, () => true);
  void world.deliverBatch("quarry-index", world.waiting.splice(0));
  const { promise: stalled, reject: release } = Promise.withResolvers<never>();
  world.aroundIndexes(() => stalled);
  const removal = world.drop(source, "z.txt");
  await vi.waitFor(async () => {
    expect(await statusesOf(world, rag)).toEqual({ "a.txt": "processing", "z.txt": "deleted" });
  }, REAL_TIMEOUT_MS);
  world.now += BOUND_MS - MINUTE_MS;
  const began = Date.now();
  await sweep(world.services, SECOND_MS);
  expect(await statusesOf(world, rag)).toMatchObject({ "a.txt": "pending" });
  // A removal waits 20 s for its index.
  expect(Date.now() - began).toBeLessThan(15 * SECOND_MS);
  release(new Error("the index is gone"));
  await removal.catch(() => undefined);
});
