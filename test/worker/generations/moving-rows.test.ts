import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { MINUTE_MS } from "../../../src/core/clock.ts";
import type { RagId } from "../../../src/core/ids.ts";
import { openDatabase } from "../../../src/db/client.ts";
import { dropGeneration } from "../../../src/db/generation-store.ts";
import { continueBuild, continueBuilds } from "../../../src/ingestion/build-generation.ts";
import { checkIndexes } from "../../../src/ingestion/check-indexes.ts";
import { countedRows, noRows } from "../../support/counted-rows.ts";
import { CrashPoint } from "../../support/crash.ts";
import { World } from "../../support/ingestion-world.ts";
import {
  deliverBut,
  drop,
  facts,
  found,
  indexedRag,
  longText,
  ofBuild,
  patch,
  push,
  states,
} from "./support.ts";

/** Thousands of rows, and builds with their sweeps. */
vi.setConfig({ testTimeout: 120_000 });

const CHUNKS_BEFORE = 3;
const CHUNKS_AFTER = 12;
/** Two whole pages and a part. */
const ROWS = 2_500;

/** A RAG of rows alone, whose next generation is built and has other chunks of each file. */
async function builtRag(world: World, rows: number): Promise<RagId> {
  const source = await world.addSource();
  const rag = await world.addRag(source);
  await env.DB.batch([
    env.DB.prepare(
      `with recursive n(i) as (values (1) union all select i + 1 from n where i < ?2)
       insert into files (id, file_source_id, path, name, size, mime_type, version, metadata,
         created_at)
       select printf('%s-%08x', ?1, i * 2654435761 % 4294967296), ?1, printf('%06d.md', i), 'a.md',
         1, 'text/markdown', '1', '{}', 0 from n`,
    ).bind(source, rows),
    env.DB.prepare(
      `insert into rag_files (rag_id, file_id, path, status, revision, indexed_at, chunk_count)
       select ?1, id, path, 'indexed', 1, 1, ${CHUNKS_BEFORE} from files where file_source_id = ?2`,
    ).bind(rag, source),
    env.DB.prepare(
      `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
         chunk_size, chunk_overlap, format, created_at)
       select rag_id, 2, 'building', embedding_model, dimensions, 100, 0, format, 1
       from rag_generations where rag_id = ?`,
    ).bind(rag),
    env.DB.prepare("update rags set chunk_size = 100, chunk_overlap = 0 where id = ?").bind(rag),
    env.DB.prepare(
      `insert into generation_files (rag_id, generation, file_id, state, revision, chunk_count)
       select rag_id, 2, file_id, 'indexed', 1, ${CHUNKS_AFTER} from rag_files where rag_id = ?`,
    ).bind(rag),
  ]);
  return rag;
}

/** Its index is empty: no sweep is to find it. */
const forget = async (rag: RagId) =>
  await env.DB.prepare("delete from rags where id = ?").bind(rag).run();

const movedAfter = async (rag: RagId) =>
  await env.DB.prepare(
    "select moved_after from rag_generations where rag_id = ? and state = 'live'",
  )
    .bind(rag)
    .first<string | null>("moved_after");

test("a worker that dies at any call of a switch leaves rows that another goes on with, and every figure in between is true", async () => {
  let points = 0;
  for (const moment of ["before", "after"] as const) {
    for (let at = 1; at < 30; at++) {
      const world = new World();
      const rag = await builtRag(world, ROWS);
      const crash = new CrashPoint(at, moment);
      await continueBuild(crash.wrap(world.services), rag).catch(() => undefined);
      crash.revive();
      const between = await world.counters(rag);
      expect(between).toMatchObject({ indexed: ROWS, pending: 0, processing: 0, error: 0 });
      expect(between?.["vectors"]).toBeGreaterThanOrEqual(ROWS * CHUNKS_BEFORE);
      expect(between?.["vectors"]).toBeLessThanOrEqual(ROWS * CHUNKS_AFTER);
      await continueBuilds(world.services);
      await world.deliver();
      expect(await states(rag)).toEqual(["1 retired", "2 live"]);
      expect(await movedAfter(rag)).toBeNull();
      const vectors = ROWS * CHUNKS_AFTER;
      expect(await world.counters(rag)).toMatchObject({ indexed: ROWS, vectors });
      await forget(rag);
      if (!crash.hasCrashed) break;
      points++;
    }
  }
  expect(points).toBeGreaterThan(10);
});

test("what one step of a switch reads and writes does not grow with the RAG, and each row is written once", async () => {
  const costs = [];
  for (const rows of [1_000, ROWS]) {
    const world = new World();
    const rag = await builtRag(world, rows);
    const counts = noRows();
    const largest = { written: 0 };
    const counting = countedRows(env.DB, counts);
    const each = new Proxy(counting, {
      get(target, name) {
        if (name !== "batch") return Reflect.get(target, name) as unknown;
        return async (batch: D1PreparedStatement[]) => {
          const before = counts.written;
          const results = await target.batch(batch);
          largest.written = Math.max(largest.written, counts.written - before);
          return results;
        };
      },
    });
    await continueBuild({ ...world.services, db: openDatabase(each) }, rag);
    expect(await movedAfter(rag)).toBeNull();
    await forget(rag);
    costs.push({ rows, written: counts.written, step: largest.written });
  }
  const [few, many] = costs;
  // The list of what is to be written, the row, and the RAG's counters.
  expect((many?.written ?? 0) - (few?.written ?? 0)).toBeLessThanOrEqual(3 * (ROWS - 1_000) + 20);
  expect(few?.step).toBe(many?.step);
});

/** A RAG of two files that has been switched to other chunking, its rows not moved yet. */
async function switchedRag(world: World) {
  const { source, rag } = await indexedRag(world, {
    "a.html": longText("moss"),
    "b.html": longText("heather"),
  });
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  await deliverUntilBuilt(world);
  await switchOnly(world, rag);
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  expect(await movedAfter(rag)).toBe("");
  return { source, rag };
}

/** All but the message that would switch. */
async function deliverUntilBuilt(world: World): Promise<void> {
  await deliverBut(world, ofBuild);
  await world.deliverBatch("quarry-index", world.waiting.splice(0));
  world.waiting = [];
}

/** The worker dies after the step that switches. */
async function switchOnly(world: World, rag: RagId): Promise<void> {
  const { $client } = world.services.db;
  const client = new Proxy($client, {
    get(target, name) {
      if (name !== "batch") return (Reflect.get(target, name) as () => unknown).bind(target);
      return async (batch: D1PreparedStatement[]) => {
        if ((await movedAfter(rag)) !== null) throw new Error("died");
        return await target.batch(batch);
      };
    },
  });
  await continueBuild({ ...world.services, db: openDatabase(client) }, rag).catch(() => undefined);
}

const chunksOf = async (world: World, rag: RagId) =>
  Object.fromEntries((await world.rows(rag)).map(({ path, chunks }) => [path, chunks]));

async function moveRest(world: World, rag: RagId): Promise<void> {
  await world.services.queue.scan({ kind: "build", ragId: rag });
  await world.deliver();
  expect(await movedAfter(rag)).toBeNull();
}

async function expectTrueFigures(world: World, rag: RagId): Promise<void> {
  const { counts } = await found(world, rag);
  expect(await chunksOf(world, rag)).toEqual(counts);
  const { chunks } = await facts(world, rag, 2);
  expect(await world.counters(rag)).toMatchObject({ pending: 0, processing: 0, vectors: chunks });
}

test("a file that is indexed before its row is moved keeps what was written, and is not indexed again", async () => {
  const world = new World();
  const { source, rag } = await switchedRag(world);
  await push(world, source, "a.html", "A note, now short, of two parts.");
  await push(world, source, "c.html", "A note that is new, of two parts.");
  await world.deliver();
  expect(await movedAfter(rag)).toBe("");
  const embedded = world.countEmbedded();
  await moveRest(world, rag);
  expect(embedded).toEqual([]);
  await expectTrueFigures(world, rag);
  expect(await chunksOf(world, rag)).toMatchObject({ "a.html": 1, "c.html": 1 });
});

test("a file that is changed and changed back before its row is moved says what it says now", async () => {
  const world = new World();
  const { source, rag } = await switchedRag(world);
  await push(world, source, "a.html", "A note, now short, of two parts.");
  await world.deliver();
  await push(world, source, "a.html", longText("moss"));
  await moveRest(world, rag);
  await expectTrueFigures(world, rag);
  expect((await found(world, rag)).texts.join(" ")).toContain("moss ends here");
});

test("a removal and a failure before the rows are moved stay", async () => {
  const world = new World();
  const { source, rag } = await switchedRag(world);
  await drop(world, source, "a.html");
  await push(world, source, "b.html", "");
  await world.deliver();
  await moveRest(world, rag);
  expect(await world.rows(rag)).toMatchObject([
    { path: "a.html", status: "deleted", chunks: 0 },
    { path: "b.html", status: "error", chunks: 0, error: "no text found" },
  ]);
  expect(await world.counters(rag)).toMatchObject({ vectors: 0, error: 1, deleted: 1 });
});

test("what a worker still did for the replaced index does not count", async () => {
  const world = new World();
  const { source, rag } = await indexedRag(world, { "a.html": longText("moss") });
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  await deliverUntilBuilt(world);
  await push(world, source, "a.html", longText("bracken"));
  const untouched = world.services;
  world.services = {
    ...untouched,
    ragIndexes: (address) =>
      new Proxy(untouched.ragIndexes(address), {
        get(index, name) {
          const call = Reflect.get(index, name) as (...args: unknown[]) => Promise<unknown>;
          return async (...args: unknown[]) => {
            const answer = await call(...args);
            if (name === "flip" && address.generation === 1) {
              world.services = untouched;
              await switchOnly(world, rag);
            }
            return answer;
          };
        },
      }),
  };
  const message = world.waiting.filter(({ queue }) => queue === "quarry-index");
  world.waiting = world.waiting.filter(({ queue }) => queue !== "quarry-index");
  await world.deliverBatch("quarry-index", message);
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  // The new index does not have the change yet, and the row does not say that it does.
  expect((await found(world, rag)).texts.join(" ")).toContain("moss");
  expect((await world.rows(rag)).map(({ status }) => status)).not.toContain("indexed");
  await moveRest(world, rag);
  await expectTrueFigures(world, rag);
  expect((await found(world, rag)).texts.join(" ")).toContain("bracken");
});

test("while rows are moved no index is taken for one that differs from its count, and the next switch waits", async () => {
  const world = new World();
  const { rag } = await switchedRag(world);
  for (let turn = 0; turn < 20; turn++) {
    world.now += MINUTE_MS;
    await checkIndexes(world.services);
  }
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, pending: 0 });
  // What was noted of the files is kept while it is needed.
  await dropGeneration(world.services.db, { ragId: rag, generation: 1 }, 100);
  await patch(world, rag, { chunkSize: 64, chunkOverlap: 0 });
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 retired", "3 live"]);
  const { counts } = await found(world, rag);
  expect(await chunksOf(world, rag)).toEqual(counts);
});
