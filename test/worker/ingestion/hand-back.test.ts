import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { MINUTE_MS, SECOND_MS } from "../../../src/core/clock.ts";
import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { putFile } from "../../../src/ingestion/put-file.ts";
import { removeFile } from "../../../src/ingestion/remove-file.ts";
import { sweep } from "../../../src/ingestion/sweep.ts";
import type { IndexMessage } from "../../../src/ports/job-queue.ts";
import { CrashPoint } from "../../support/crash.ts";
import { World, bytesOf } from "../../support/ingestion-world.ts";
import { patch, states } from "../generations/support.ts";

/** Dozens of runs of a whole life of files, each with its sweeps. */
const TIMEOUT_MS = 180_000;
/** A heavy file is looked for twice, as text and as bytes: a minute is over after the second. */
const HEAVY_MS = 15 * SECOND_MS;
const FILES = 5;
const PATHS = Array.from({ length: FILES }, (_, at) => `${at}.txt`);
const BEGUN = 2;
/** Above what is worked on together, so that each file goes alone. */
const HEAVY_BYTES = 5 * 1024 * 1024;

async function push(world: World, source: FileSourceId, path: string, text: string) {
  const of = { contentLength: null, mimeType: "text/plain", metadata: null };
  await putFile(world.services, { source: { id: source }, path, body: bytesOf(text), ...of });
}

/** With each document that is read so much time goes by. */
function readingTakes(world: World, ms: number): void {
  const { files } = world.services;
  world.services.files = new Proxy(files, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        if (name === "get") world.now += ms;
        return Reflect.apply(method, target, args);
      };
    },
  });
}

/** A RAG whose files have been pushed and wait, each of them heavy. */
async function heavyWorld() {
  const world = new World();
  const source = await world.addSource();
  const rag = await world.addRag(source);
  for (const path of PATHS) await push(world, source, path, `A note, ${path}.`);
  await env.DB.prepare("update files set size = ?2 where file_source_id = ?1")
    .bind(source, HEAVY_BYTES)
    .run();
  readingTakes(world, HEAVY_MS);
  return { world, source, rag };
}

/** Delivers what waits as one batch of one consumer. */
const deliverOnce = async (world: World) =>
  await world.deliverBatch("quarry-index", world.waiting.splice(0));

const statuses = async (world: World, rag: RagId) =>
  (await world.rows(rag)).map(({ status, attempts }) => `${status} ${attempts}`);

const ALL_INDEXED = PATHS.map(() => "indexed 0");
const BEGUN_INDEXED = PATHS.map((_, at) => (at < BEGUN ? "indexed 0" : "pending 0"));

async function timePasses(world: World): Promise<void> {
  for (const minutes of [3, 15]) {
    world.now += minutes * MINUTE_MS;
    await sweep(world.services);
    await world.deliver();
  }
}

test("after a minute a consumer begins no further file: the rest waits again, untried, and is queued anew", async () => {
  const { world, rag } = await heavyWorld();
  const sent = world.waiting.length;
  await deliverOnce(world);
  expect(sent).toBe(FILES);
  expect(await statuses(world, rag)).toEqual(BEGUN_INDEXED);
  expect(world.waiting).toHaveLength(FILES - BEGUN);
  await world.deliver();
  expect(await statuses(world, rag)).toEqual(ALL_INDEXED);
  expect(Object.keys(await world.shown(rag))).toHaveLength(FILES);
});

test("files that are worked on together are handed back as well, those that were begun excepted", async () => {
  const world = new World();
  const source = await world.addSource();
  const rag = await world.addRag(source);
  const many = 20;
  for (let at = 0; at < many; at++) await push(world, source, `${at}.txt`, `A note, ${at}.`);
  readingTakes(world, HEAVY_MS);
  await deliverOnce(world);
  const left = (await world.rows(rag)).filter(({ status }) => status === "pending").length;
  expect(left).toBeGreaterThanOrEqual(many - 6 - BEGUN * 2);
  expect(world.waiting).toHaveLength(left);
  await world.deliver();
  expect(await world.counters(rag)).toMatchObject({ indexed: many, vectors: many });
});

test("one file is begun however late it is, so that every delivery gets on", async () => {
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

test(
  "a worker that dies at any call around a hand-back loses no file",
  async () => {
    let points = 0;
    for (const moment of ["before", "after"] as const) {
      // Every second call before, the others after it.
      for (let at = moment === "before" ? 1 : 2; ; at += 2) {
        if (at > 60) throw new Error("the work does not come to an end");
        const { world, rag } = await heavyWorld();
        const crash = new CrashPoint(at, moment);
        const untouched = world.services;
        world.services = crash.wrap(untouched);
        await deliverOnce(world).catch(() => undefined);
        world.services = untouched;
        crash.revive();
        // Whether the messages come again or not: the sweep finds what waits.
        if (at % 4 > 1) world.waiting = [];
        await world.deliver();
        await timePasses(world);
        expect({ at, moment, rows: await statuses(world, rag) }).toEqual({
          at,
          moment,
          rows: ALL_INDEXED,
        });
        expect(await world.index(rag).facts()).toMatchObject({ chunks: FILES, staged: 0 });
        if (!crash.hasCrashed) break;
        points++;
      }
    }
    expect(points).toBeGreaterThan(20);
  },
  TIMEOUT_MS,
);

test("a consumer that dies between hand-back and message leaves files that the sweep queues, untried and unsuspected", async () => {
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
  expect(await statuses(world, rag)).toEqual(BEGUN_INDEXED);
  world.now += 2 * MINUTE_MS;
  await sweep(world.services);
  expect(await suspected(rag)).toEqual([]);
  await world.deliver();
  expect(await statuses(world, rag)).toEqual(ALL_INDEXED);
});

async function suspected(rag: RagId): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "select path from rag_files where rag_id = ? and lease_id = 'crashed' order by path",
  )
    .bind(rag)
    .all<{ path: string }>();
  return results.map(({ path }) => path);
}

test("a file that may have killed its worker is still suspected after it was handed back, and no try of it is lost", async () => {
  const { world, rag } = await heavyWorld();
  await env.DB.prepare(
    "update rag_files set lease_id = 'crashed', attempts = 2 where rag_id = ? and path > '0.txt'",
  )
    .bind(rag)
    .run();
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

test("messages of files that were handed back may come again, the old ones and the new ones", async () => {
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
    const files = new Proxy(untouched.files, {
      get(target, name) {
        const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        return async (...args: unknown[]) => {
          if (name === "get") await once();
          return await Reflect.apply(method, target, args);
        };
      },
    });
    const own = Object.assign(Object.create(world) as World, { services: { ...untouched, files } });
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

test("a file that is removed around its hand-back stays removed", async () => {
  for (const when of WHEN) {
    const { world, rag } = await settledAfter(when, (acting, source) =>
      removeFile(acting.services, { source: { id: source }, path: HANDED_BACK }),
    );
    expect((await statuses(world, rag)).at(-1)).toMatch(/^deleted/);
    expect(Object.keys(await world.shown(rag)).sort()).toEqual(PATHS.slice(0, -1));
  }
});

test("a file that is changed around its hand-back ends with the change", async () => {
  for (const when of WHEN) {
    const { world, rag } = await settledAfter(when, (acting, source) =>
      push(acting, source, HANDED_BACK, "A note, changed."),
    );
    expect(await statuses(world, rag)).toEqual(ALL_INDEXED);
    expect((await world.shown(rag))[HANDED_BACK]).toEqual(["A note, changed."]);
  }
});

test("a file that another worker took meanwhile is not handed back", async () => {
  const { world, rag } = await actAround("before the hand-back", async () => {
    await env.DB.prepare("update rag_files set lease_id = 'another' where path = ?")
      .bind(HANDED_BACK)
      .run();
  });
  expect((await statuses(world, rag)).slice(BEGUN)).toEqual([
    "pending 0",
    "pending 0",
    "processing 1",
  ]);
  expect(world.waiting).toHaveLength(FILES - BEGUN - 1);
});

test("a RAG that is removed around a hand-back leaves nothing behind", async () => {
  for (const when of WHEN) {
    const { world, rag } = await settledAfter(when, async (acting, _source, removed) => {
      await env.DB.prepare("update rags set removed_at = 1 where id = ?").bind(removed).run();
      await acting.services.queue.scan({ kind: "clean-rag", ragId: removed });
    });
    expect(await world.rows(rag)).toEqual([]);
    expect(await world.index(rag).facts()).toMatchObject({ chunks: 0, staged: 0 });
  }
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
    world.waiting = world.waiting.filter((one) => !same.includes(one));
    if (next !== undefined) await world.deliverBatch(next.queue, [next, ...same]);
    tries.push(await mostTries(rag));
  }
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  expect(Math.max(...tries)).toBe(0);
  expect(await statuses(world, rag)).toEqual(ALL_INDEXED);
});

const mostTries = async (rag: RagId) =>
  (await env.DB.prepare("select max(attempts) as most from generation_files where rag_id = ?")
    .bind(rag)
    .first<number>("most")) ?? 0;
