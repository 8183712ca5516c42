import { expect, test, vi } from "vitest";

import { MINUTE_MS } from "../../../src/core/time.ts";
import { eventually } from "../../support/eventually.ts";
import { ragWorld, type World, statement } from "../../support/ingestion-world.ts";

const LARGE_BYTES = 25 * 1024 * 1024;

/** Two pushed files of this size, and two consumers of one isolate, each with one of them. */
async function twoConsumers(bytes: number) {
  const { world, source, rag } = await ragWorld();
  await world.put(source, "first.txt", "A first note.");
  await world.put(source, "second.txt", "A second note.");
  await statement("update files set size = ?2 where file_source_id = ?1", source, bytes).run();
  const embedding = embeddingWaits(world);
  const [firstEnvelope, secondEnvelope] = world.waiting.splice(0);
  if (firstEnvelope === undefined || secondEnvelope === undefined)
    throw new Error("two messages wait");
  const first = world.deliverBatch("quarry-index", [firstEnvelope]);
  await embedding.begun(1);
  const asks = vi.spyOn(world.services.extractionMemory, "reserve");
  const second = world.deliverBatch("quarry-index", [secondEnvelope]);
  const ends = async () => {
    embedding.goesOn();
    await Promise.all([first, second]);
  };
  return { world, rag, embedding, asks, second, ends };
}

/** Each call of the embedder waits until all may go on. */
function embeddingWaits(world: World) {
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  world.beforeEmbedding(async () => {
    calls++;
    await gate.promise;
  });
  return {
    calls: () => calls,
    begun: async (number: number) => await eventually(() => expect(calls).toBe(number)),
    goesOn: gate.resolve,
  };
}

const statuses = async ({ world, rag }: Awaited<ReturnType<typeof twoConsumers>>) =>
  (await world.rows(rag)).map(({ status, attempts }) => `${status} ${attempts}`);

test("two small documents are worked on at once", async () => {
  const both = await twoConsumers(1_000);
  await both.embedding.begun(2);
  await both.ends();
  expect(await statuses(both)).toEqual(["indexed 0", "indexed 0"]);
});

test("a second document of 25 MiB waits until the first has left the isolate's memory", async () => {
  const both = await twoConsumers(LARGE_BYTES);
  await eventually(() => expect(both.asks.mock.calls.length).toBeGreaterThan(3));
  expect(both.embedding.calls()).toBe(1);
  await both.ends();
  expect(both.embedding.calls()).toBe(2);
  expect(await statuses(both)).toEqual(["indexed 0", "indexed 0"]);
});

test("files that find no memory for a minute are released, and indexed later", async () => {
  const both = await twoConsumers(LARGE_BYTES);
  await eventually(() => expect(both.asks).toHaveBeenCalled());
  both.world.now += 2 * MINUTE_MS;
  await both.second;
  expect(await statuses(both)).toEqual(["processing 1", "pending 0"]);
  await both.ends();
  await both.world.deliver();
  expect(await statuses(both)).toEqual(["indexed 0", "indexed 0"]);
});
