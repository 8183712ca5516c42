import { expect, test } from "vitest";

import { MINUTE_MS, SECOND_MS } from "../../../src/core/time.ts";
import { MAX_TRIES } from "../../../src/ingestion/timeouts.ts";
import { requestScan } from "../../../src/catalog/file-sources/request-scan.ts";
import { retryFiles } from "../../../src/ingestion/indexing/retry-files.ts";
import { sweep, recoverAfterRestart } from "../../../src/ingestion/maintenance/sweep.ts";
import { ModelFailure } from "../../../src/ports/models.ts";
import { ScriptedSource } from "../../doubles/source/scripted-source.ts";
import { Dice } from "../../support/dice.ts";
import { ragWorld, rowsOf, statement, type World } from "../../support/ingestion-world.ts";
import { listedWorld, sourceWorld } from "../sources/scanning.ts";

const HEALTHY_FILES = 299;

/** Every call of the embedding model for a text with this word fails in this way. */
function failingEmbedder(world: World, word: string, failure: () => Error) {
  const { models } = world.services;
  world.beforeEmbedding((texts) => {
    if (texts.some((text) => text.includes(word))) throw failure();
  });
  return () => (world.services.models = models);
}

test("messages delivered three times in random order give the same state as once", async () => {
  const dice = new Dice(7);
  const { world, source, rag } = await ragWorld();
  for (let at = 0; at < 12; at++) await world.put(source, `${at}.txt`, `A note, ${at}.`);
  for (let at = 0; at < 4; at++) await world.put(source, `${at}.txt`, `A note, ${at}, changed.`);
  await world.drop(source, "5.txt");
  await world.put(source, "6.txt", "");
  const once = world.waiting.splice(0);
  expect(once.length).toBe(17);
  world.waiting = dice.shuffle([...once, ...once, ...once]);
  await world.deliver((all) => dice.shuffle(all));
  expect(await world.counters(rag)).toEqual({
    pending: 0,
    processing: 0,
    indexed: 10,
    error: 1,
    deleted: 1,
    vectors: 10,
  });
  expect(await world.index(rag).facts()).toMatchObject({ chunks: 10, files: 10, staged: 0 });
  const shown = await world.shown(rag);
  expect(shown["0.txt"]).toEqual(["A note, 0, changed."]);
  expect(shown["11.txt"]).toEqual(["A note, 11."]);
  expect(Object.keys(shown)).toHaveLength(10);
});

test("a message that comes twice at once is worked on once", async () => {
  const { world, source, rag } = await ragWorld();
  await world.put(source, "a.txt", "A note.");
  const once = world.waiting.splice(0);
  const embedded = world.countEmbedded();
  const deliver = async () => await world.deliverBatch("quarry-index", once);
  await Promise.all([deliver(), deliver()]);
  expect(embedded).toHaveLength(1);
  expect(await world.rows(rag)).toMatchObject([{ status: "indexed" }]);
});

test("one poison file is an error with its reason after 5 tries; a call retries it", async () => {
  const files: Record<string, string> = { "poison.txt": "A note, poison." };
  for (let at = 0; at < HEALTHY_FILES; at++) files[`${at}.txt`] = `A note, ${at}.`;
  const { world, source, rag } = await listedWorld(files);
  const heal = failingEmbedder(
    world,
    "poison",
    () => new ModelFailure("429", { status: 429, retryable: false }),
  );
  await requestScan(world.services, { sourceId: source, confirmRemovals: false, urls: null });
  let deliveries = 0;
  await world.deliver((all) => {
    deliveries += all.filter(({ queue }) => queue === "quarry-index").length > 0 ? 1 : 0;
    return all;
  });
  expect(deliveries).toBe(MAX_TRIES);
  expect(await world.counters(rag)).toMatchObject({
    indexed: HEALTHY_FILES,
    error: 1,
    vectors: HEALTHY_FILES,
  });
  const failed = (await world.rows(rag)).find(({ status }) => status === "error");
  expect(failed).toMatchObject({
    path: "poison.txt",
    error: "embedding provider: 429 after 5 tries",
  });
  heal();
  expect(await retryFiles(world.services, { ragId: rag, paths: null })).toBe(1);
  await world.deliver();
  expect(await world.counters(rag)).toMatchObject({
    indexed: HEALTHY_FILES + 1,
    error: 0,
    vectors: HEALTHY_FILES + 1,
  });
});

test("during a passing failure the file waits, and its earlier text still answers", async () => {
  const { world, source, rag } = await ragWorld();
  await world.put(source, "a.txt", "A note, first.");
  await world.deliver();
  failingEmbedder(world, "second", () => new ModelFailure("503", { retryable: true }));
  await world.put(source, "a.txt", "A note, second.");
  const [envelope] = world.waiting.splice(0);
  if (envelope !== undefined) await world.deliverBatch("quarry-index", [envelope]);
  expect(world.waiting).toHaveLength(1);
  expect(await world.rows(rag)).toMatchObject([{ status: "pending", error: null, attempts: 1 }]);
  expect(await world.shown(rag)).toEqual({ "a.txt": ["A note, first."] });
});

test("a lost message is sent again by the sweep, and at once after a restart", async () => {
  const { world, source, rag } = await ragWorld();
  await world.put(source, "a.txt", "A note.");
  world.waiting = [];
  const waiting = () =>
    world.waiting.filter(({ body }) => "fileId" in body && body.ragId === rag).length;
  await sweep(world.services);
  expect(waiting()).toBe(0);
  world.now += 2 * MINUTE_MS;
  await sweep(world.services);
  expect(waiting()).toBe(1);
  world.waiting = [];
  await recoverAfterRestart(world.services);
  await world.deliver();
  expect(await world.rows(rag)).toMatchObject([{ status: "indexed" }]);
});

test("what removes and builds is sent again when its message was given up", async () => {
  const { world, rag } = await ragWorld();
  const bodies = (["purge-rag", "build"] as const).map((kind) => ({ kind, ragId: rag }));
  await world.deliverBatch(
    "quarry-scan-dead",
    bodies.map((body) => ({ queue: "quarry-scan", body })),
  );
  expect(world.waiting.map(({ body }) => body)).toEqual(bodies);
});

test("an index that differs from its count is repaired", async () => {
  const { world, source, rag } = await ragWorld();
  await world.put(source, "a.txt", "A note, kept.");
  await world.put(source, "b.txt", "A note, lost by the index.");
  await world.put(source, "c.txt", "A note, lost by the database.");
  await world.put(source, "d.txt", "A note, lost by it too.");
  await world.deliver();
  const lost = await rowsOf<{ fileId: never; revision: number }>(
    "select file_id as fileId, revision from rag_files where rag_id = ? and path = 'b.txt'",
    rag,
  );
  await world.index(rag).remove(lost);
  const ofDatabase = "rag_id = ? and path in ('c.txt', 'd.txt')";
  await statement(`delete from rag_files where ${ofDatabase}`, rag).run();
  // Each turn of the sweep looks at some RAGs; all have their turn in time.
  for (let turn = 0; turn < 40; turn++) await world.sweepAfter(1);
  expect(await world.shown(rag)).toEqual({
    "a.txt": ["A note, kept."],
    "b.txt": ["A note, lost by the index."],
  });
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, vectors: 2 });
});

/** How work goes on after a worker died on a file. */
const NEXT: [string, (world: World) => Promise<void>][] = [
  [
    "its worker",
    async (world) => {
      world.now += 15 * MINUTE_MS;
      await sweep(world.services);
    },
  ],
  [
    "its local server",
    async (world) => {
      world.now += SECOND_MS;
      world.waiting = [];
      await recoverAfterRestart(world.services);
    },
  ],
];

for (const [killed, goOn] of NEXT) {
  test(`a file that kills ${killed} each time is given up alone`, async () => {
    const files: Record<string, string> = {};
    for (let at = 0; at < 12; at++) files[`${at}.txt`] = `A note, ${at}.`;
    files["poison.txt"] = "A note, poison.";
    const reader = new ScriptedSource(files);
    let died: () => void = () => undefined;
    const untouched = reader.open.bind(reader);
    // A worker that dies is one that never comes to an end.
    reader.open = async (file) => {
      if (file.path !== "poison.txt") return await untouched(file);
      died();
      return await new Promise<never>(() => undefined);
    };
    const { world, source, rag } = await sourceWorld(reader);
    await requestScan(world.services, { sourceId: source, confirmRemovals: false, urls: null });
    const statuses = async () => (await world.rows(rag)).map(({ status }) => status);
    let deaths = 0;
    for (let round = 0; round < 12; round++) {
      const death = new Promise<"died">((resolve) => (died = () => resolve("died")));
      const end = await Promise.race([world.deliver(), death]);
      if (end === "died") deaths++;
      await goOn(world);
      const ended = await statuses();
      if (ended.every((status) => status === "indexed" || status === "error")) break;
    }
    expect(deaths).toBe(MAX_TRIES);
    const failed = (await world.rows(rag)).filter(({ status }) => status !== "indexed");
    expect(failed).toMatchObject([
      { path: "poison.txt", status: "error", error: "indexing did not finish after 5 tries" },
    ]);
    expect(await world.counters(rag)).toMatchObject({ indexed: 12, error: 1, vectors: 12 });
  });
}
