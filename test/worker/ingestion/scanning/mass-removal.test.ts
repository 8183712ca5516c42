import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { requestScan } from "../../../../src/catalog/file-sources/request-scan.ts";
import type { FileSourceId } from "../../../../src/core/ids.ts";
import { ScriptedSource } from "../../../doubles/source/scripted-source.ts";
import { World } from "../../../support/ingestion-world.ts";

async function worldWith(files: Record<string, string>) {
  const reader = new ScriptedSource(files);
  const world = new World({ sourceReaders: async () => reader });
  const source = await world.addSource("cloud_drive");
  const rag = await world.addRag(source);
  return { reader, world, source, rag };
}

async function scan(world: World, sourceId: FileSourceId, confirmRemovals = false) {
  world.now += 1_000;
  await requestScan(world.services, { sourceId, confirmRemovals, urls: null });
  await world.deliver();
}

async function lastRun(source: FileSourceId) {
  return await env.DB.prepare(
    `select r.added, r.changed, r.removed, r.unchanged, r.failed, r.error, s.status,
       r.held_removals as held, r.finished_at is not null as finished,
       r.downloads_saved as downloadsSaved, r.embeddings_saved as embeddingsSaved
     from scan_runs r join file_sources s on s.id = r.file_source_id
     where s.id = ? order by r.started_at desc, r.rowid desc limit 1`,
  )
    .bind(source)
    .first();
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}.txt`, `A note, ${at}.`]));

test("new files do not make up for those that vanish, in no run until it is confirmed", async () => {
  const { reader, world, source, rag } = await worldWith(many(30));
  await scan(world, source);
  const others = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`other/${at}.txt`, `Another note, ${at}.`]),
  );
  reader.set(others);
  for (const added of [40, 0, 0]) {
    await scan(world, source);
    expect(await lastRun(source)).toMatchObject({
      added,
      removed: 0,
      held: 30,
      error: "removal of 30 of 30 files is held until confirmed",
    });
  }
  await scan(world, source, true);
  expect(await lastRun(source)).toMatchObject({ removed: 30, held: 0, status: "active" });
  expect(Object.keys(await world.shown(rag))).toHaveLength(40);
});

test("a scan that would delete most of a source waits for an administrator", async () => {
  const { reader, world, source, rag } = await worldWith(many(40));
  await scan(world, source);
  reader.set({ ...many(10), "new.txt": "A note, new." });
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({
    added: 1,
    removed: 0,
    held: 30,
    status: "error",
    error: "removal of 30 of 40 files is held until confirmed",
  });
  expect(Object.keys(await world.shown(rag))).toHaveLength(41);
  await scan(world, source, true);
  expect(await lastRun(source)).toMatchObject({ removed: 30, held: 0, status: "active" });
  expect(Object.keys(await world.shown(rag))).toHaveLength(11);
});
