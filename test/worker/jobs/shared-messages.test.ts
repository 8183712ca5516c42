import { expect, test, vi } from "vitest";

import { newId, type FileId, type RagId } from "../../../src/core/ids.ts";
import type { IndexMessage } from "../../../src/core/queue-messages.ts";
import { toBatches } from "../../../src/core/work/batches.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import type { IndexMessages } from "../../../src/ports/job-queue.ts";
import { ModelFailure } from "../../../src/ports/models.ts";
import { World, ragWorld } from "../../support/ingestion-world.ts";

const numbered = (texts: string[]) =>
  Object.fromEntries(texts.map((text, at) => [`${at}.txt`, text]));

/** The embedding model fails for texts with the word "poison". */
const poison = (world: World) =>
  world.beforeEmbedding((texts) => {
    const isPoisoned = texts.some((text) => text.includes("poison"));
    if (isPoisoned) throw new ModelFailure("422", { status: 422, retryable: false });
  });

test("small files of a batch share messages; one that fails delays only itself", async () => {
  const world = new World();
  const source = await world.addSource();
  const rags = [await world.addRag(source), await world.addRag(source)];
  const { models } = world.services;
  poison(world);
  const texts = Array.from({ length: 30 }, (_, at) => `A note, ${at}.`);
  await world.putTogether(source, numbered(["A note, poison.", "x".repeat(70_000), ...texts]));
  // Each RAG has the large file, and two messages for 31 small ones.
  expect(world.waiting).toHaveLength(6);
  const once = world.waiting.splice(0);
  const index = vi.spyOn(world.services.queue, "index");
  await world.deliverBatch("quarry-index", once.toReversed());
  expect(world.waiting.map(({ body }) => "fileId" in body)).toEqual([true, true]);
  const delays = index.mock.calls.map(([, how]) => how?.delaySeconds ?? 0);
  expect(delays.map((delay) => delay >= 10)).toEqual([true, true]);
  for (const rag of rags) {
    expect(await world.counters(rag)).toMatchObject({ indexed: 31, pending: 1, error: 0 });
  }
  world.services.models = models;
  world.waiting.push(...once, ...once);
  await world.deliver((all) => all.toReversed());
  for (const rag of rags) {
    expect(await world.counters(rag)).toMatchObject({ indexed: 32, pending: 0, error: 0 });
    expect((await world.texts(rag))["0.txt"]).toEqual(["A note, poison."]);
  }
});

test("short texts are indexed from their messages, others from their bytes, all alike", async () => {
  const world = new World();
  world.carriesTexts = true;
  const source = await world.addSource();
  const rags = [await world.addRag(source), await world.addRag(source)] as const;
  await world.putTogether(source, {
    "a.txt": 'A note: "Grüße" vom Moor.\n\n\tUnd 🌱.',
    "b.txt": "\ufeffA note with a mark.",
    "c.txt": Buffer.from("A note, größer in Latin-1, über das Moor.", "latin1"),
    "d.txt": `A long note. ${"moss ".repeat(500)}`,
    "e.txt": "A note that is replaced.",
  });
  await world.putTogether(source, { "e.txt": "A note that replaced it." });
  let reads = 0;
  world.aroundBucket(async ({ name, go }) => {
    if (name === "get") reads++;
    return await go();
  });
  const messages = world.waiting.splice(0).map(({ body }) => {
    if (!("files" in body)) throw new Error("small files share messages");
    return body;
  });
  const sentTo = (rag: RagId) => messages.filter(({ files: some }) => some[0]?.ragId === rag);
  const deliver = async (bodies: IndexMessages[]) => {
    const queue = "quarry-index" as const;
    await world.deliverBatch(
      queue,
      bodies.toReversed().map((body) => ({ queue, body })),
    );
  };
  await deliver(sentTo(rags[0]));
  // The long one, and the one in another encoding.
  expect(reads).toBe(2);
  // As messages of files that are queued again, which have no texts.
  await deliver(sentTo(rags[1]).map(({ files: some }) => ({ files: some })));
  expect(reads).toBe(2 + 5);
  const texts = await world.texts(rags[0]);
  expect(texts).toEqual(await world.texts(rags[1]));
  expect(texts["a.txt"]).toEqual(['A note: "Grüße" vom Moor.\n\n\tUnd 🌱.']);
  expect(texts["c.txt"]).toEqual(["A note, größer in Latin-1, über das Moor."]);
  expect(texts["e.txt"]).toEqual(["A note that replaced it."]);
  for (const rag of rags) expect(await world.counters(rag)).toMatchObject({ indexed: 5 });
});

test("texts travel to four indexes, and where there are five all read the bytes", async () => {
  const world = new World();
  world.carriesTexts = true;
  const source = await world.addSource();
  const rags: RagId[] = [];
  const addRags = async (count: number) => {
    for (let at = 0; at < count; at++) rags.push(await world.addRag(source));
  };
  const putNote = async (path: string) => {
    await world.putTogether(source, { [path]: `A note in ${path}.` });
    return world.waiting.map(({ body }) => "texts" in body);
  };
  await addRags(4);
  expect(await putNote("a.txt")).toEqual([true, true, true, true]);
  await world.deliver();
  await addRags(1);
  expect(await putNote("b.txt")).toEqual([false, false, false, false, false]);
  await world.deliver();
  for (const rag of rags) {
    expect((await world.texts(rag))["b.txt"]).toEqual(["A note in b.txt."]);
  }
});

test("when the time is over, files that were not begun are queued again, together", async () => {
  const { world, source, rag } = await ragWorld();
  await world.putTogether(source, numbered([0, 1, 2, 3, 4].map((at) => `A note, ${at}.`)));
  const messages = world.waiting
    .splice(0)
    .flatMap(({ body }) => ("files" in body ? body.files : []));
  const [first, second, ...rest] = messages;
  const last = rest.pop();
  if (!first || !second || !last) throw new Error("the files share a message");
  const later = [{ files: rest }, last];
  /** The first part of the batch is full: one of its files is wanted, the others are void. */
  const batchOf = (message: IndexMessage) => {
    const part = Array.from({ length: 100 }, (_void, at) =>
      at === 0 ? message : { ...message, fileId: newId<FileId>(world.now) },
    );
    const bodies = [...toBatches(part, 25).map((some) => ({ files: some })), ...later];
    return bodies.map((body) => ({ queue: "quarry-index" as const, body }));
  };
  const { models, queue } = world.services;
  const embedder: typeof models.embedder = (...args) => {
    world.now += 70_000;
    return models.embedder(...args);
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
