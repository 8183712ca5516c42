import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { MINUTE_MS } from "../../../../src/core/clock.ts";
import type { RagId } from "../../../../src/core/ids.ts";
import { openDatabase } from "../../../../src/db/client.ts";
import { switchGeneration } from "../../../../src/db/generations/generation-switch.ts";
import {
  continueBuild,
  continueBuilds,
} from "../../../../src/ingestion/rebuilds/build-generation.ts";
import { countedRows, noRows } from "../../../support/counted-rows.ts";
import { CrashPoint } from "../../../support/crash.ts";
import { World } from "../../../support/ingestion-world.ts";
import { movedAfter, switchOnly } from "./moving.ts";
import { states } from "./support.ts";

/** Thousands of rows. */
vi.setConfig({ testTimeout: 300_000 });

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

test("an activation whose worker dies resumes, and every figure meanwhile is true", async () => {
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

test("a step of an activation is bounded, and each row is written once", async () => {
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

test("the next activation waits until all rows have followed the last", async () => {
  const world = new World();
  const rag = await builtRag(world, 20_500);
  await switchOnly(world, rag);
  await env.DB.batch([
    env.DB.prepare(
      `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
         chunk_size, chunk_overlap, format, created_at)
       select rag_id, 3, 'building', embedding_model, dimensions, 100, 0, format, 2
       from rag_generations where rag_id = ? and generation = 2`,
    ).bind(rag),
    env.DB.prepare(
      `insert into generation_files (rag_id, generation, file_id, state, revision, chunk_count)
       select rag_id, 3, file_id, 'indexed', 1, 1 from rag_files where rag_id = ?`,
    ).bind(rag),
  ]);
  const third = { ragId: rag, generation: 3, startedAt: 2 };
  const times = { now: world.now, heldUntil: world.now + MINUTE_MS };
  expect(await switchGeneration(world.services.db, third, times)).toBe(false);
  await continueBuild(world.services, rag);
  expect(await movedAfter(rag)).not.toBeNull();
  expect(await states(rag)).toEqual(["1 retired", "2 live", "3 building"]);
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 retired", "3 live"]);
  expect(await world.counters(rag)).toMatchObject({ indexed: 20_500, vectors: 20_500 });
  await forget(rag);
});
