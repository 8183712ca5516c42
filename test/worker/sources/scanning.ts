import type { FileSourceId } from "../../../src/core/ids.ts";
import type { SourceReader } from "../../../src/ports/source-reader.ts";
import { FollowedSource } from "../../doubles/source/followed-source.ts";
import { ScriptedSource } from "../../doubles/source/scripted-source.ts";
import { World, statement } from "../../support/ingestion-world.ts";

const BETWEEN_SCANS_MS = 60_000;

/** The latest run of a source and how it left that, as the records show it. */
export async function lastRun(source: FileSourceId) {
  return await statement(
    `select r.added, r.changed, r.removed, r.unchanged, r.failed, r.error, s.status,
       r.held_removals as held, r.finished_at is not null as finished, s.next_scan_at as nextAt,
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

/** A source that this reader lists, a RAG of it, and its scans. */
export async function sourceWorld<Reader extends SourceReader>(
  reader: Reader,
  { provider = "cloud_drive", world = new World() }: { provider?: string; world?: World } = {},
) {
  world.services.sourceReaders = async () => reader;
  const { source, rag } = await world.addSourceAndRag(provider);
  const scanAgain = async (confirm = false) => await scan(world, source, confirm);
  return { reader, world, source, rag, scan: scanAgain };
}

/** A source that lists these files. */
export const listedWorld = async (files: Record<string, string>) =>
  await sourceWorld(new ScriptedSource(files));

/** Files `f0.txt`, `f1.txt` and so on. */
export const notes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}.txt`, `A note, ${at}.`]));

/** A source with a change feed that was listed once and has a cursor from there. */
export async function followedWorld(files: Record<string, string>, provider = "cloud_drive") {
  const setup = await sourceWorld(new FollowedSource(files), { provider });
  await setup.scan();
  return setup;
}

export const cursorOf = async (source: FileSourceId) =>
  await statement("select change_cursor as cursor from file_sources where id = ?", source).first<
    string | null
  >("cursor");
