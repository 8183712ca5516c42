import { expect, test } from "vitest";

import type { RagId } from "../../../src/core/ids.ts";
import { SHOWN_AFTER_MS, VectorizeWorld } from "../../support/vectorize-world.ts";
import { found } from "./rebuilds/support.ts";
import { statement } from "../../support/ingestion-world.ts";

/** What Vectorize holds of a RAG once everything that was written shows. */
function held(world: VectorizeWorld, rag: RagId): number {
  world.now += 2 * SHOWN_AFTER_MS;
  return world.held(rag).length;
}

test("a removed RAG leaves no vectors in the vector index", async () => {
  const world = await VectorizeWorld.alone();
  const { source, rag } = await world.addSourceAndRag();
  await world.put(source, "a.txt", "A note, a.");
  await world.deliver();
  expect(held(world, rag)).toBe(1);
  await statement("update rags set removed_at = 1 where id = ?", rag).run();
  await world.services.queue.scan({ kind: "purge-rag", ragId: rag });
  await world.deliver();
  expect(held(world, rag)).toBe(0);
});

test("no removal or new file waits for a vector index that is down", async () => {
  const world = await VectorizeWorld.alone();
  const { vectorize } = world;
  const { source, rag } = await world.addSourceAndRag();
  await world.put(source, "a.txt", "A note, a.");
  await world.deliver();
  expect(held(world, rag)).toBe(1);
  vectorize.failure = new Error("down");
  await world.drop(source, "a.txt");
  expect(await world.shown(rag)).toEqual({});
  await world.put(source, "b.txt", "A note, b.");
  await world.deliver();
  expect((await world.rows(rag)).map(({ status }) => status)).toEqual(["deleted", "indexed"]);
  expect(await found(world, rag, "nota b")).toMatchObject({ counts: { "b.txt": 1 } });
  vectorize.failure = null;
  expect(held(world, rag)).toBe(1);
  await world.minutesPass(8);
  expect(held(world, rag)).toBe(1);
  expect(await found(world, rag, "nota b")).toMatchObject({
    counts: { "b.txt": 1 },
    degradations: [],
  });
});
