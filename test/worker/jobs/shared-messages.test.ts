import { expect, test } from "vitest";

import type { FileId } from "../../../src/core/ids.ts";
import { newId } from "../../../src/core/ids.ts";
import { inBatches } from "../../../src/core/work/batches.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { putFiles } from "../../../src/ingestion/uploads/put-files.ts";
import type { IndexMessage } from "../../../src/ports/job-queue.ts";
import { ModelFailure } from "../../../src/ports/models.ts";
import type { Services } from "../../../src/services.ts";
import { World } from "../../support/ingestion-world.ts";

/** The embedding model fails for texts with the word "poison". */
const withPoison = (models: Services["models"]): Services["models"] => ({
  ...models,
  embedder(name, dimensions) {
    const embedder = models.embedder(name, dimensions);
    const doEmbed: typeof embedder.model.doEmbed = async (options) => {
      const isPoisoned = options.values.some((text) => text.includes("poison"));
      if (isPoisoned) throw new ModelFailure("422", { status: 422, retryable: false });
      return await embedder.model.doEmbed(options);
    };
    return { ...embedder, model: { ...embedder.model, doEmbed } };
  },
});

test("small files of a batch share messages; one that fails delays only itself", async () => {
  const world = new World();
  const source = await world.addSource();
  const rags = [await world.addRag(source), await world.addRag(source)];
  const { models } = world.services;
  world.services.models = withPoison(models);
  const texts = Array.from({ length: 30 }, (_, at) => `A note, ${at}.`);
  async function* files() {
    for (const [at, text] of ["A note, poison.", "x".repeat(70_000), ...texts].entries()) {
      const bytes = Uint8Array.from(new TextEncoder().encode(text));
      yield { path: `${at}.txt`, mimeType: "text/plain", metadata: null, bytes };
    }
  }
  await putFiles(world.services, { source: { id: source }, files: files() });
  // Of each RAG the large file, and two messages for 31 small ones.
  expect(world.waiting).toHaveLength(6);
  const once = world.waiting.splice(0);
  await world.deliverBatch("quarry-index", once.toReversed());
  expect(world.waiting.map(({ body }) => "fileId" in body)).toEqual([true, true]);
  for (const rag of rags) {
    expect(await world.counters(rag)).toMatchObject({ indexed: 31, pending: 1, error: 0 });
  }
  world.services.models = models;
  world.waiting.push(...once, ...once);
  await world.deliver((all) => all.toReversed());
  for (const rag of rags) {
    expect(await world.counters(rag)).toMatchObject({ indexed: 32, pending: 0, error: 0 });
    expect((await world.shown(rag))["0.txt"]).toEqual(["A note, poison."]);
  }
});

test("when the time is over, files that were not begun are queued again, together", async () => {
  const world = new World();
  const source = await world.addSource();
  const rag = await world.addRag(source);
  async function* files() {
    for (const at of [0, 1, 2, 3, 4]) {
      const bytes = Uint8Array.from(new TextEncoder().encode(`A note, ${at}.`));
      yield { path: `${at}.txt`, mimeType: "text/plain", metadata: null, bytes };
    }
  }
  await putFiles(world.services, { source: { id: source }, files: files() });
  const sent = world.waiting.splice(0).flatMap(({ body }) => ("files" in body ? body.files : []));
  const [first, second, ...others] = sent;
  const last = others.pop();
  if (!first || !second || !last) throw new Error("the files share a message");
  const later = [{ files: others }, last];
  /** The first part of the batch is full: one of its files is wanted, the others are void. */
  const batchOf = (wanted: IndexMessage) => {
    const part = Array.from({ length: 100 }, (_void, at) =>
      at === 0 ? wanted : { ...wanted, fileId: newId<FileId>(world.now) },
    );
    const bodies = [...inBatches(part, 25).map((some) => ({ files: some })), ...later];
    return bodies.map((body) => ({ queue: "quarry-index" as const, body }));
  };
  const { models, queue } = world.services;
  const embedder: typeof models.embedder = (...of) => {
    world.now += 70_000;
    return models.embedder(...of);
  };
  const index: typeof queue.index = async (files, how) => {
    if (how?.together) throw new Error("the queue is down");
    await queue.index(files, how);
  };
  world.services.models = { ...models, embedder };
  world.services.queue = { ...queue, index };
  await world.deliverBatch("quarry-index", batchOf(first));
  // The platform delivers again what could not be queued, and only that.
  expect(world.waiting.splice(0).map(({ body }) => body)).toEqual(later.toReversed());
  world.services.queue = queue;
  await world.deliverBatch("quarry-index", batchOf(second));
  // Messages that wait are not lost.
  await sweep(world.services);
  expect(world.waiting.map(({ body }) => body)).toEqual(later.toReversed());
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, pending: 3 });
  world.services.models = models;
  await world.deliver();
  expect(await world.counters(rag)).toMatchObject({ indexed: 5, pending: 0 });
});
