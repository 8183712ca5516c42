import type { FileSourceId } from "../../../src/core/ids.ts";
import { ScriptedSource } from "../../doubles/source/scripted-source.ts";
import { World, statement } from "../../support/ingestion-world.ts";

const BETWEEN_SCANS_MS = 60_000;

/** The latest run of a source and how it left that, as the records show it. */
export async function lastRun(source: FileSourceId) {
  return await statement(
    `select r.added, r.changed, r.removed, r.unchanged, r.failed, r.error, s.status,
       r.held_removals as held, r.finished_at is not null as finished,
       r.downloads_saved as downloadsSaved, r.embeddings_saved as embeddingsSaved
     from scan_runs r join file_sources s on s.id = r.file_source_id
     where s.id = ? order by r.started_at desc, r.id desc limit 1`,
    source,
  ).first();
}

/** A whole scan with all the work that it queues. */
export async function scan(
  world: World,
  fileSourceId: FileSourceId,
  confirmRemovals = false,
): Promise<void> {
  await world.services.queue.scan({ kind: "scan", fileSourceId, confirmRemovals, urls: null });
  await world.deliver();
  world.now += BETWEEN_SCANS_MS;
}

/** A source that lists these files, and a RAG of it. */
export async function listedWorld(files: Record<string, string>) {
  const reader = new ScriptedSource(files);
  const world = new World({ sourceReaders: async () => reader });
  return { reader, world, ...(await world.addSourceAndRag("cloud_drive")) };
}
