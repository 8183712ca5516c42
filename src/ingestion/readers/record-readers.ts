import { shardOf } from "../../core/hash.ts";
import type { FileId, FileSourceId } from "../../core/ids.ts";
import { attempt } from "../../core/log.ts";
import type { StoredFile } from "../../db/files/file-store.ts";
import { forgetReaderChanges, recordDefaultAudience } from "../../db/files/reader-store.ts";
import { recordReadersSql, readPendingChanges } from "../../db/files/reader-store.ts";
import type { Audience, ReaderChange, ReaderRecords } from "../../db/files/reader-store.ts";
import { runBatch } from "../../db/sql.ts";
import type { IndexAudience } from "../../ports/index-versions.ts";
import type { FileReaders } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import { audienceOf, DEFAULT_READERS } from "../../sources/audiences.ts";

const principalsIn = ({ readers }: Audience) => readers.map(({ principal }) => principal);

/** `readers` null: none are named, and permissions are off. */
type FileWithReaders = { id: FileId; readers: FileReaders | null; isNew: boolean };

export async function readerRecordsOf(files: FileWithReaders[]): Promise<ReaderRecords> {
  const audiences = new Map<string, Audience>();
  const rows: ReaderRecords["files"] = [];
  for (const { id, readers, isNew } of files) {
    const audience = readers === null ? null : await audienceOf(readers);
    if (audience !== null) audiences.set(audience.id, audience);
    rows.push({ id, audience: audience?.id ?? null, isNew });
  }
  return { audiences: [...audiences.values()], files: rows };
}

/**
 * Tells the indexes, also what an earlier call recorded that was cut off: once this returns, no
 * search sees the readers before. Nothing is embedded or indexed again.
 */
export async function recordReaders(
  services: Pick<Services, "db" | "now" | "ragIndexes">,
  source: { id: FileSourceId; permissionsSince?: number },
  files: FileWithReaders[],
): Promise<void> {
  const recorded = await readerRecordsOf(files);
  const now = Math.max(services.now(), source.permissionsSince ?? 0);
  await runBatch(services.db, recordReadersSql(source.id, recorded, { now }));
  await sendReaders(services, source.id);
}

/** While an index is down, each call reports as many parts of ten changes again. */
const MAX_PARTS_AFTER_FAILURE = 20;

/**
 * Tells the indexes what they may not know: this change, then earlier ones that were cut off. An
 * index that does not answer keeps nothing from the others. @throws what the first of these threw
 */
async function sendReaders(
  { db, ragIndexes }: Pick<Services, "db" | "ragIndexes">,
  sourceId: FileSourceId,
): Promise<void> {
  let last: ReaderChange | undefined;
  let failed: PromiseRejectedResult | undefined;
  for (let parts = 0; failed === undefined || parts < MAX_PARTS_AFTER_FAILURE; parts++) {
    const { changes, told: untold, audiences } = await readPendingChanges(db, sourceId, last);
    if (changes.length === 0) break;
    last = changes.at(-1);
    const audienceById = new Map<string | null, IndexAudience>(
      audiences.map((audience) => [
        audience.id,
        { id: audience.id, principals: principalsIn(audience) },
      ]),
    );
    const byIndex = Map.groupBy(untold, ({ ragId, generation, fileId, shards }) =>
      JSON.stringify([ragId, generation, shardOf(fileId, shards)]),
    );
    const outcomes = await Promise.allSettled(
      Array.from(byIndex.values(), (files) => sendReadersToIndex(ragIndexes, files, audienceById)),
    );
    const failure = outcomes.find((outcome) => outcome.status === "rejected");
    if (failure === undefined) await forgetReaderChanges(db, changes);
    failed ??= failure;
  }
  if (failed !== undefined) throw failed.reason;
}

/** Updates indexes once readers are recorded; the sweep updates one that does not answer. */
export async function sendReadersOrLater(
  services: Pick<Services, "db" | "log" | "ragIndexes">,
  fileSourceId: FileSourceId,
): Promise<void> {
  const event = "readers not sent to an index";
  await attempt(services.log, event, { fileSourceId }, () => sendReaders(services, fileSourceId));
}

/** `files`: of one index object. */
async function sendReadersToIndex(
  ragIndexes: Services["ragIndexes"],
  files: Awaited<ReturnType<typeof readPendingChanges>>["told"],
  audienceById: Map<string | null, IndexAudience>,
): Promise<void> {
  const [first] = files;
  if (first === undefined) return;
  const { ragId, generation, fileId, shards } = first;
  const used = new Set(files.flatMap(({ audience }) => audienceById.get(audience) ?? []));
  await ragIndexes({ ragId, generation, shard: shardOf(fileId, shards) }).writeReaders({
    audiences: [...used],
    files: files.map(({ fileId: id, audience, readersRevision, from }) => {
      return { fileId: id, audience: audience ?? "", revision: readersRevision, from };
    }),
  });
}

/** Files that were pushed without readers while permissions were off have the default ones. */
export async function applyDefaultReaders(
  services: Pick<Services, "db" | "log" | "now" | "ragIndexes">,
  sourceId: FileSourceId,
): Promise<void> {
  const audience = await audienceOf(DEFAULT_READERS);
  await recordDefaultAudience(services.db, sourceId, audience, services.now());
  await sendReadersOrLater(services, sourceId);
}

/** A source that files are pushed to. */
export type PushedSource = { id: FileSourceId; permissions?: "off" | "on" };

/** A file that names no readers keeps what it has; a new file gets the default. */
export async function findChangedReaders(
  source: PushedSource,
  files: readonly { path: string; newId: FileId; readers?: string[] | null }[],
  existing: Map<string, StoredFile>,
): Promise<FileWithReaders[]> {
  const changed: FileWithReaders[] = [];
  for (const { path, newId, readers: principals = null } of files) {
    const before = existing.get(path);
    const readers = principals === null ? defaultsFor(source, before) : readersOfPush(principals);
    if (readers === undefined) continue;
    const audience = readers === null ? null : (await audienceOf(readers)).id;
    if (audience === (before?.audience ?? null)) continue;
    changed.push({ id: before?.id ?? newId, readers, isNew: before === undefined });
  }
  return changed;
}

const readersOfPush = (principals: string[]): FileReaders => {
  return { principals: principals.map((principal) => ({ principal, from: "push" })) };
};

/** Undefined: the file keeps what it has; null: the default readers once permissions are on. */
function defaultsFor({ permissions }: PushedSource, before: StoredFile | undefined) {
  const isLive = before !== undefined && before.deletedAt === null;
  if (isLive && before.audience !== null) return undefined;
  return permissions === "on" ? DEFAULT_READERS : null;
}
