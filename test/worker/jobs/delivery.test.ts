import { expect, test } from "vitest";

import { requestScan } from "../../../src/catalog/file-sources/request-scan.ts";
import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { MINUTE_MS, SECOND_MS } from "../../../src/core/time.ts";
import { retryFiles } from "../../../src/ingestion/indexing/retry-files.ts";
import { sweep, recoverAfterRestart } from "../../../src/ingestion/maintenance/sweep.ts";
import { MAX_TRIES } from "../../../src/ingestion/timeouts.ts";
import { ModelFailure } from "../../../src/ports/models.ts";
import { Dice } from "../../support/dice.ts";
import { ragWorld, rowsOf, statement, type World } from "../../support/ingestion-world.ts";
import { longText, patch, states } from "../ingestion/rebuilds/support.ts";
import { listedWorld, scan } from "../sources/scanning.ts";

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
  const texts = await world.texts(rag);
  expect(texts["0.txt"]).toEqual(["A note, 0, changed."]);
  expect(texts["11.txt"]).toEqual(["A note, 11."]);
  expect(Object.keys(texts)).toHaveLength(10);
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
    () => new ModelFailure("500", { status: 500, retryable: false }),
  );
  await requestScanOf(world, source);
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
    error: "embedding provider: 500 after 5 tries",
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
  const error = "embedding provider: 503, try 1 of 5";
  expect(await world.rows(rag)).toMatchObject([{ status: "pending", error, attempts: 1 }]);
  expect(await world.texts(rag)).toEqual({ "a.txt": ["A note, first."] });
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
  const rows = await rowsOf<{ fileId: never; revision: number }>(
    "select file_id as fileId, revision from rag_files where rag_id = ? and path = 'b.txt'",
    rag,
  );
  await world.index(rag).remove(rows);
  const ofDatabase = "rag_id = ? and path in ('c.txt', 'd.txt')";
  await statement(`delete from rag_files where ${ofDatabase}`, rag).run();
  // Each turn of the sweep looks at some RAGs; all have their turn in time.
  for (let turn = 0; turn < 40; turn++) await world.sweepAfter(1);
  expect(await world.texts(rag)).toEqual({
    "a.txt": ["A note, kept."],
    "b.txt": ["A note, lost by the index."],
  });
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, vectors: 2 });
});

/** A RAG that is indexed, and waits for another index of it to be built. */
async function toBeRebuilt(world: World, source: FileSourceId, rag: RagId): Promise<void> {
  world.sharesMessages = false;
  await scan(world, source);
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
}

/** The worker that the file kills, how the work begins, and how it goes on after a death. */
const KILLS: [
  killed: string,
  begin: (world: World, source: FileSourceId, rag: RagId) => Promise<unknown>,
  goOn: (world: World) => Promise<unknown>,
][] = [
  ["its worker", requestScanOf, async (world) => await afterAWhile(world, 15 * MINUTE_MS)],
  ["its worker in a build", toBeRebuilt, async (world) => await afterAWhile(world, 3 * MINUTE_MS)],
  [
    "its local server",
    requestScanOf,
    async (world) => {
      world.now += SECOND_MS;
      world.waiting = [];
      await recoverAfterRestart(world.services);
    },
  ],
];

async function afterAWhile(world: World, ms: number) {
  world.now += ms;
  await sweep(world.services);
}

async function requestScanOf(world: World, sourceId: FileSourceId) {
  await requestScan(world.services, { sourceId, confirmRemovals: false, urls: null });
}

test.each(KILLS)(
  "a file that kills %s each time is given up alone",
  async (_killed, begin, goOn) => {
    const files: Record<string, string> = {};
    for (let at = 0; at < 12; at++) files[`${at}.txt`] = longText(`${at}`);
    files["poison.txt"] = longText("poison");
    const { world, source, rag } = await listedWorld(files);
    await begin(world, source, rag);
    // A worker that dies is one that never comes to an end.
    let died: () => void = () => undefined;
    world.beforeEmbedding(async (texts) => {
      if (!texts.some((text) => text.includes("poison"))) return;
      died();
      await new Promise<never>(() => undefined);
    });
    let deaths = 0;
    const isOver = async () =>
      (await states(rag)).every((state) => !state.includes("building")) &&
      (await world.rows(rag)).every(({ status }) => status === "indexed" || status === "error");
    for (let round = 0; round < 14; round++) {
      const death = new Promise<"died">((resolve) => (died = () => resolve("died")));
      if ((await Promise.race([world.deliver(), death])) === "died") deaths++;
      await goOn(world);
      if (await isOver()) break;
    }
    expect(deaths).toBe(MAX_TRIES);
    const failed = (await world.rows(rag)).filter(({ status }) => status !== "indexed");
    expect(failed).toMatchObject([
      { path: "poison.txt", status: "error", error: "indexing did not finish after 5 tries" },
    ]);
    expect(await world.counters(rag)).toMatchObject({ indexed: 12, error: 1 });
  },
);

test("a file that kills who reads it is tried again alone and last, and then given up", async () => {
  const files: Record<string, string> = {};
  for (let at = 0; at < 12; at++) files[`${at}.txt`] = longText(`${at}`);
  files["poison.txt"] = `${longText("poison")} ${"x ".repeat(500)}`;
  const { world, source, rag } = await listedWorld(files);
  await requestScanOf(world, source);
  const poisonous = new TextEncoder().encode(files["poison.txt"]).byteLength;
  let died: () => void = () => undefined;
  world.services.takeTurn = async (bytes) => {
    if (bytes !== poisonous) return;
    died();
    await new Promise<never>(() => undefined);
  };
  const indexedAtDeath: number[] = [];
  for (let round = 0; round < 6; round++) {
    const death = new Promise<"died">((resolve) => (died = () => resolve("died")));
    const end = await Promise.race([world.deliver(), death]);
    if (end === "died") {
      const rows = await world.rows(rag);
      indexedAtDeath.push(rows.filter(({ status }) => status === "indexed").length);
      // No worker had begun one of the others.
      await statement("update rag_files set lease_id = null where path <> 'poison.txt'").run();
    }
    world.now += SECOND_MS;
    world.waiting = [];
    await recoverAfterRestart(world.services);
  }
  // The second time, all others are done.
  expect(indexedAtDeath).toEqual([0, 12]);
  const failed = (await world.rows(rag)).filter(({ status }) => status !== "indexed");
  const error = "reading it stopped the service twice; split it into several, or leave it out";
  expect(failed).toMatchObject([{ path: "poison.txt", status: "error", error }]);

  // Whoever asks for it has it tried again.
  world.services.takeTurn = async () => undefined;
  await retryFiles(world.services, { ragId: rag, paths: null });
  await world.deliver();
  expect(await world.counters(rag)).toMatchObject({ indexed: 13, error: 0 });
});
