import { expect, test } from "vitest";

import type { RagId, FileSourceId } from "../../../src/core/ids.ts";
import type { IndexMessage } from "../../../src/core/queue-messages.ts";
import { MINUTE_MS } from "../../../src/core/time.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { crashAtCalls, type CrashPoint } from "../../support/crash.ts";
import { eventually } from "../../support/eventually.ts";
import { ragWorld, rowsOf, statement, type World } from "../../support/ingestion-world.ts";
import {
  ALL_INDEXED,
  BEGUN,
  BEGUN_INDEXED,
  FILES,
  HEAVY_BYTES,
  HEAVY_MS,
  deliverOnce,
  heavyWorld,
  readingTakes,
  statuses,
  timePasses,
  PATHS,
} from "./heavy-files.ts";
import { patch, states } from "./rebuilds/support.ts";

test("after a minute a consumer releases unstarted files without counting an attempt", async () => {
  const { world, rag } = await heavyWorld();
  const messageCount = world.waiting.length;
  await deliverOnce(world);
  expect(messageCount).toBe(FILES);
  expect(await statuses(world, rag)).toEqual(BEGUN_INDEXED);
  expect(world.waiting).toHaveLength(FILES - BEGUN);
  await world.deliver();
  expect(await statuses(world, rag)).toEqual(ALL_INDEXED);
  expect(Object.keys(await world.texts(rag))).toHaveLength(FILES);
});

test("unstarted files of a group are released as well", async () => {
  const { world, source, rag } = await ragWorld();
  const many = 20;
  for (let at = 0; at < many; at++) await world.put(source, `${at}.txt`, `A note, ${at}.`);
  readingTakes(world, HEAVY_MS);
  await deliverOnce(world);
  const pendingCount = (await world.rows(rag)).filter(({ status }) => status === "pending").length;
  expect(pendingCount).toBeGreaterThanOrEqual(many - 6 - BEGUN * 2);
  // Small ones share a message again.
  expect(world.waiting.map(({ body }) => "files" in body && body.files.length)).toEqual([
    pendingCount,
  ]);
  await world.deliver();
  expect(await world.counters(rag)).toMatchObject({ indexed: many, vectors: many });
});

test("documents that may expand to far more text are not read side by side", async () => {
  for (const [ending, startCount] of [
    ["docx", BEGUN],
    ["txt", FILES],
  ] as const) {
    const { world, rag } = await heavyWorld();
    await statement(
      "update files set size = ?2, name = 'a.' || ?3 where id in (select file_id from rag_files where rag_id = ?1)",
      rag,
      HEAVY_BYTES / 8,
      ending,
    ).run();
    await deliverOnce(world);
    const pendingRows = (await world.rows(rag)).filter(({ status }) => status === "pending");
    expect({ ending, left: pendingRows.length }).toEqual({ ending, left: FILES - startCount });
  }
});

test("documents whose size no source has told are read a few at a time", async () => {
  const { world, rag } = await heavyWorld();
  await statement(
    "update files set size = 0, sha256 = null where id in (select file_id from rag_files where rag_id = ?)",
    rag,
  ).run();
  // Their messages were lost: the sweep sends each again, with none beside it.
  world.waiting = [];
  world.now += 15 * MINUTE_MS;
  await sweep(world.services);
  world.waiting = world.waiting.filter(({ body }) => JSON.stringify(body).includes(rag));
  expect(world.waiting).toHaveLength(FILES);
  await deliverOnce(world);
  const pendingRows = (await world.rows(rag)).filter(({ status }) => status === "pending");
  expect(pendingRows).toHaveLength(1);
});

test("one file is begun however late, so that every delivery makes progress", async () => {
  const { world, rag } = await heavyWorld();
  const { now } = world.services;
  // Each look at the clock takes longer than a whole budget.
  world.services.now = () => (world.now += 2 * MINUTE_MS);
  for (let delivery = 1; delivery <= FILES; delivery++) {
    await deliverOnce(world);
    const indexed = (await world.rows(rag)).filter(({ status }) => status === "indexed").length;
    expect(indexed).toBe(delivery);
  }
  world.services.now = now;
  expect(await statuses(world, rag)).toEqual(ALL_INDEXED);
});

test("a worker that dies at any call around a hand-back loses no file", async () => {
  const run = async (crash: CrashPoint, at: number) => {
    const { world, rag } = await heavyWorld();
    await world.workUntil(crash, () => deliverOnce(world));
    // Whether the messages come again or not: the sweep finds what waits.
    if (at % 8 > 3) world.waiting = [];
    await world.deliver();
    await timePasses(world);
    expect({ at, rows: await statuses(world, rag) }).toEqual({ at, rows: ALL_INDEXED });
    expect(await world.index(rag).facts()).toMatchObject({ chunks: FILES, staged: 0 });
  };
  const before = await crashAtCalls(run, { every: 6, moment: "before" });
  const after = await crashAtCalls(run, { from: 4, every: 6 });
  expect(before + after).toBeGreaterThan(6);
});

test("the sweep queues released files whose message was lost, with no attempt counted", async () => {
  const { world, rag } = await heavyWorld();
  const { queue } = world.services;
  const died = new Promise<void>((resolve) => {
    const index = async () => {
      resolve();
      await new Promise<never>(() => undefined);
    };
    world.services.queue = { ...queue, index };
  });
  await Promise.race([deliverOnce(world), died]);
  world.services.queue = queue;
  // Files under way do not wait for the queue.
  await eventually(async () => expect(await statuses(world, rag)).toEqual(BEGUN_INDEXED));
  world.now += 2 * MINUTE_MS;
  await sweep(world.services);
  expect(await suspected(rag)).toEqual([]);
  await world.deliver();
  expect(await statuses(world, rag)).toEqual(ALL_INDEXED);
});

const suspected = async (rag: RagId) =>
  await rowsOf("select path from rag_files where rag_id = ? and lease_id = 'crashed'", rag);

test("a suspect file is still suspect after its release, and keeps its attempts", async () => {
  const { world, rag } = await heavyWorld();
  await statement(
    "update rag_files set lease_id = 'crashed', attempts = 2 where rag_id = ? and path > '0.txt'",
    rag,
  ).run();
  await deliverOnce(world);
  expect((await statuses(world, rag)).sort()).toEqual([
    "indexed 0",
    "indexed 0",
    "pending 2",
    "pending 2",
    "pending 2",
  ]);
  expect(await suspected(rag)).toHaveLength(FILES - BEGUN);
  await world.deliver();
  expect(await statuses(world, rag)).toEqual(ALL_INDEXED);
  expect(await suspected(rag)).toEqual([]);
});

test("messages of released files may come again, the old ones and the new ones", async () => {
  const { world, rag } = await heavyWorld();
  const before = [...world.waiting];
  await deliverOnce(world);
  const fresh = [...world.waiting];
  world.waiting = [...fresh, ...before, ...fresh];
  const embedded = world.countEmbedded();
  await world.deliver();
  expect(await statuses(world, rag)).toEqual(ALL_INDEXED);
  expect(embedded).toHaveLength(FILES - BEGUN);
  expect(await world.index(rag).facts()).toMatchObject({ chunks: FILES, files: FILES });
});

test("a generation is built in as many deliveries as it takes, each file tried once", async () => {
  const { world, rag } = await heavyWorld();
  await world.deliver();
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  const tries: number[] = [];
  for (let round = 0; round < 30 && world.waiting.length > 0; round++) {
    const [next] = world.waiting.splice(0, 1);
    const isIndex = next?.queue === "quarry-index";
    const same = isIndex ? world.waiting.filter(({ queue }) => queue === "quarry-index") : [];
    world.waiting = world.waiting.filter((envelope) => !same.includes(envelope));
    if (next !== undefined) await world.deliverBatch(next.queue, [next, ...same]);
    tries.push(await mostTries(rag));
  }
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  expect(Math.max(...tries)).toBe(0);
  expect(await statuses(world, rag)).toEqual(ALL_INDEXED);
});

const mostTries = async (rag: RagId) =>
  (await statement(
    "select max(attempts) as most from rag_files where rag_id = ? and generation = 2",
    rag,
  ).first<number>("most")) ?? 0;

type Act = (world: World, source: FileSourceId, rag: RagId) => Promise<unknown>;

/** Just before the fresh messages are sent, or while the first file is read. */
const WHEN = ["before the messages", "before the hand-back"] as const;

async function actAround(when: (typeof WHEN)[number], act: Act) {
  const { world, source, rag } = await heavyWorld();
  const untouched = world.services;
  let acted = false;
  const once = async () => {
    if (acted) return;
    acted = true;
    await act(world, source, rag);
  };
  const index = async (messages: IndexMessage[]) => {
    await once();
    await untouched.queue.index(messages);
  };
  const batch = world.waiting.splice(0);
  if (when === "before the messages") {
    const consumer = { ...untouched, queue: { ...untouched.queue, index } };
    const own = Object.assign(Object.create(world) as World, { services: consumer });
    await own.deliverBatch("quarry-index", batch);
  } else {
    const own = Object.assign(Object.create(world) as World, { services: { ...untouched } });
    own.aroundBucket(async ({ name, go }) => {
      if (name === "get") await once();
      return await go();
    });
    await own.deliverBatch("quarry-index", batch);
  }
  expect(acted).toBe(true);
  return { world, rag };
}

async function settledAfter(when: (typeof WHEN)[number], act: Act) {
  const { world, rag } = await actAround(when, act);
  await world.deliver();
  await timePasses(world);
  return { world, rag };
}

/** Handed back in each of these tests: the last. */
const HANDED_BACK = "4.txt";

test("a file removed around its release stays removed", async () => {
  for (const when of WHEN) {
    const { world, rag } = await settledAfter(when, (acting, source) =>
      acting.drop(source, HANDED_BACK),
    );
    expect((await statuses(world, rag)).at(-1)).toMatch(/^deleted/);
    expect(Object.keys(await world.texts(rag)).sort()).toEqual(PATHS.slice(0, -1));
  }
});

test("a file changed around its release ends with the change", async () => {
  for (const when of WHEN) {
    const { world, rag } = await settledAfter(when, (acting, source) =>
      acting.put(source, HANDED_BACK, "A note, changed."),
    );
    expect(await statuses(world, rag)).toEqual(ALL_INDEXED);
    expect((await world.texts(rag))[HANDED_BACK]).toEqual(["A note, changed."]);
  }
});

test("a file that another worker claimed meanwhile is not released", async () => {
  const { world, rag } = await actAround("before the hand-back", async () => {
    await statement("update rag_files set lease_id = 'another' where path = ?", HANDED_BACK).run();
  });
  expect((await statuses(world, rag)).slice(BEGUN)).toEqual([
    "pending 0",
    "pending 0",
    "processing 1",
  ]);
  expect(world.waiting).toHaveLength(FILES - BEGUN - 1);
});

test("a RAG removed around a release of claims leaves nothing behind", async () => {
  for (const when of WHEN) {
    const { world, rag } = await settledAfter(when, async (acting, _source, removed) => {
      await statement("update rags set removed_at = 1 where id = ?", removed).run();
      await acting.services.queue.scan({ kind: "purge-rag", ragId: removed });
    });
    expect(await world.rows(rag)).toEqual([]);
    expect(await world.index(rag).facts()).toMatchObject({ chunks: 0, staged: 0 });
  }
});
