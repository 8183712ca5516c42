import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { MINUTE_MS } from "../../../../src/core/clock.ts";
import type { RagId } from "../../../../src/core/ids.ts";
import { openDatabase } from "../../../../src/db/client.ts";
import { continueBuild } from "../../../../src/ingestion/rebuilds/build-generation.ts";
import { countedRows, noRows } from "../../../support/counted-rows.ts";
import { CrashPoint } from "../../../support/crash.ts";
import { World } from "../../../support/ingestion-world.ts";
import { states } from "./support.ts";

/** Thousands of rows. */
vi.setConfig({ testTimeout: 300_000 });

/** A RAG of rows alone, whose next generation is to be built. */
async function ragToBuild(world: World, files: number): Promise<RagId> {
  const source = await world.addSource();
  const rag = await world.addRag(source);
  await env.DB.batch([
    env.DB.prepare(
      `with recursive n(i) as (values (1) union all select i + 1 from n where i < ?2)
       insert into files (id, file_source_id, path, name, size, mime_type, version, metadata,
         created_at)
       select printf('%s-%08x', ?1, i * 2654435761 % 4294967296), ?1, printf('%06d.md', i), 'a.md',
         1, 'text/markdown', '1', '{}', 0 from n`,
    ).bind(source, files),
    env.DB.prepare(
      `insert into rag_files (rag_id, file_id, path, status, revision, indexed_at, chunk_count)
       select ?1, id, path, 'indexed', 1, 1, 1 from files where file_source_id = ?2`,
    ).bind(rag, source),
    env.DB.prepare(
      `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
         chunk_size, chunk_overlap, format, created_at)
       select rag_id, 2, 'building', embedding_model, dimensions, 100, 0, format, 1
       from rag_generations where rag_id = ?`,
    ).bind(rag),
    env.DB.prepare("update rags set chunk_size = 100, chunk_overlap = 0 where id = ?").bind(rag),
  ]);
  return rag;
}

/** What was queued is indexed in the new generation; how many files that were. */
async function indexQueued(world: World, rag: RagId): Promise<number> {
  const queued = world.waiting.splice(0).filter(({ queue }) => queue === "quarry-index");
  await env.DB.prepare(
    `update generation_files set state = 'indexed', held_until = 0, chunk_count = 1
     where rag_id = ?1 and file_id in (select value from json_each(?2))`,
  )
    .bind(rag, JSON.stringify(queued.flatMap(({ body }) => ("fileId" in body ? body.fileId : []))))
    .run();
  return queued.length;
}

/** Its index is empty: no sweep is to find it. */
const forget = async (rag: RagId) =>
  await env.DB.prepare("delete from rags where id = ?").bind(rag).run();

test("a build reads each file a few times, however many files there are", async () => {
  const readPerFile = [];
  for (const files of [1_000, 10_000]) {
    const world = new World();
    const rag = await ragToBuild(world, files);
    const counts = noRows();
    const { services } = world;
    const counting = { ...services, db: openDatabase(countedRows(env.DB, counts)) };
    let indexed = 0;
    for (let queued = 1; queued > 0; indexed += queued) {
      await continueBuild(counting, rag);
      queued = await indexQueued(world, rag);
    }
    expect(indexed).toBe(files);
    expect(await states(rag)).toEqual(["1 retired", "2 live"]);
    readPerFile.push(counts.read / files);
    await forget(rag);
  }
  const [few = 0, many = 0] = readPerFile;
  expect(many).toBeLessThan(1.1 * few);
});

test("files changed, added or lost during a build are queued before it ends", async () => {
  for (let at = 1; at < 40; at++) {
    const world = new World();
    const rag = await ragToBuild(world, 2_500);
    await continueBuild(world.services, rag);
    await indexQueued(world, rag);
    await env.DB.batch([
      env.DB.prepare(
        `update rag_files set revision = 2 where rag_id = ?1 and rowid in (
           select rowid from rag_files where rag_id = ?1 order by file_id limit 3)`,
      ).bind(rag),
      env.DB.prepare(
        `update generation_files set state = 'pending', held_until = 5 where rag_id = ?1
           and file_id = (select file_id from rag_files where rag_id = ?1
             order by file_id limit 1 offset 10)`,
      ).bind(rag),
    ]);
    const crash = new CrashPoint(at, at % 2 === 0 ? "before" : "after");
    const { services } = world;
    let again = 0;
    for (let step = 0; step < 4; step++) {
      await continueBuild(crash.wrap(services), rag).catch(() => undefined);
      again += await indexQueued(world, rag);
    }
    crash.revive();
    for (let step = 0; step < 3; step++) {
      // What was taken and not queued is lost until its hold runs out.
      world.now += 11 * MINUTE_MS;
      await continueBuild(services, rag);
      again += await indexQueued(world, rag);
    }
    expect({ at, states: await states(rag) }).toEqual({ at, states: ["1 retired", "2 live"] });
    expect(again).toBeGreaterThanOrEqual(1_504);
    await forget(rag);
    if (!crash.hasCrashed) return;
    at += 2;
  }
});
