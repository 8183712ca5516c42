import type { FileSourceId } from "../../core/ids.ts";
import type { Watch } from "../../ports/source-watcher.ts";
import type { Database } from "../client.ts";
import { flag, id, jsonObject, nullable, number, row, text, type Row } from "../columns.ts";
import { readRow, readRows, runBatch, statement } from "../raw-sql.ts";

const WATCHED_SOURCE = row({
  id: id<FileSourceId>(),
  provider: text,
  config: jsonObject,
  sealedSecrets: nullable(text),
  watchAttempts: number,
});
export type WatchedSource = Row<typeof WATCHED_SOURCE>;

const SOURCE = `id, provider, config, sealed_secrets as sealedSecrets,
  watch_attempts as watchAttempts`;

/** Sources whose watches are due; each is due again at `dueAgainAt` in case its worker dies. */
export async function takeDueWatches(
  db: Database,
  of: { now: number; dueAgainAt: number; limit: number },
): Promise<WatchedSource[]> {
  return await readRows(
    db,
    WATCHED_SOURCE,
    `update file_sources set watch_due_at = ?2
     where id in (select id from file_sources where watch_due_at <= ?1 and removed_at is null
       order by watch_due_at limit ?3)
     returning ${SOURCE}`,
    of.now,
    of.dueAgainAt,
    of.limit,
  );
}

/** A source with watches, removed or not; null when it has none. */
export async function findWatchedSource(
  db: Database,
  sourceId: FileSourceId,
): Promise<WatchedSource | null> {
  return await readRow(
    db,
    WATCHED_SOURCE,
    `select ${SOURCE} from file_sources
     where id = ?1 and exists (select 1 from source_watches where file_source_id = ?1)`,
    sourceId,
  );
}

const STORED_WATCH = row({
  id: text,
  sourceId: id<FileSourceId>(),
  target: text,
  resourceId: nullable(text),
  tokenHash: text,
  baseUrl: text,
  live: flag,
  startedAt: number,
  expiresAt: number,
  endsAt: nullable(number),
});
export type StoredWatch = Row<typeof STORED_WATCH>;

const WATCH = `id, file_source_id as sourceId, target, resource_id as resourceId,
  token_hash as tokenHash, base_url as baseUrl, live, started_at as startedAt, expires_at as expiresAt,
  ends_at as endsAt`;

/** All watches of a source, the newest first. */
export async function watchesOf(db: Database, sourceId: FileSourceId): Promise<StoredWatch[]> {
  return await readRows(
    db,
    STORED_WATCH,
    `select ${WATCH} from source_watches where file_source_id = ?1 order by started_at desc`,
    sourceId,
  );
}

/** The watches that notifications name; unknown ones and those of removed sources are left out. */
export async function findWatches(db: Database, watchIds: string[]): Promise<StoredWatch[]> {
  return await readRows(
    db,
    STORED_WATCH,
    `select ${WATCH} from source_watches
     where id in (select value from json_each(?1)) and exists (
       select 1 from file_sources s where s.id = file_source_id and s.removed_at is null)`,
    watchIds,
  );
}

/** Stores a watch before its provider is asked, so that a crash leaves a trace of it. */
export async function insertWatch(
  db: Database,
  watch: Pick<
    StoredWatch,
    "id" | "sourceId" | "target" | "tokenHash" | "baseUrl" | "startedAt" | "expiresAt"
  >,
): Promise<void> {
  await runBatch(db, [
    statement(
      `insert into source_watches (id, file_source_id, target, token_hash, base_url, started_at,
         expires_at)
       values (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
      watch.id,
      watch.sourceId,
      watch.target,
      watch.tokenHash,
      watch.baseUrl,
      watch.startedAt,
      watch.expiresAt,
    ),
  ]);
}

/**
 * Stores what the provider answered. The target's other watches are to be stopped at `othersEndAt`.
 */
export async function activateWatch(
  db: Database,
  proposedId: string,
  { id: givenId, resourceId, expiresAt }: Watch,
  othersEndAt: number,
): Promise<void> {
  await runBatch(db, [
    statement(
      `update source_watches set id = ?2, live = 1, expires_at = ?4,
         resource_id = coalesce(?3, resource_id)
       where id = ?1`,
      proposedId,
      givenId,
      resourceId,
      expiresAt,
    ),
    statement(
      `update source_watches set ends_at = ?2 from source_watches new
       where new.id = ?1 and source_watches.file_source_id = new.file_source_id
         and source_watches.target = new.target and source_watches.id <> ?1
         and source_watches.ends_at is null and new.ends_at is null`,
      givenId,
      othersEndAt,
    ),
  ]);
}

/** Moves the expiry of a watch that its provider extended. */
export async function extendWatch(
  db: Database,
  watchId: string,
  { now, until }: { now: number; until: number },
): Promise<void> {
  const sql = `update source_watches set started_at = ?2, expires_at = ?3 where id = ?1`;
  await runBatch(db, [statement(sql, watchId, now, until)]);
}

/** The provider names the resource in its first notification, which may precede its answer. */
export async function learnResourceId(db: Database, watchId: string, resourceId: string) {
  const sql = `update source_watches set resource_id = ?2 where id = ?1 and resource_id is null`;
  await runBatch(db, [statement(sql, watchId, resourceId)]);
}

/** Most of the watch's life counts as over, so that it is renewed at the next turn. */
export async function makeRenewalDue(db: Database, watchId: string): Promise<void> {
  const sql = `update source_watches set started_at = 0 where id = ?1`;
  await runBatch(db, [statement(sql, watchId)]);
}

/** Marks a watch as to be stopped at `endsAt`, ms. */
export async function endWatch(db: Database, watchId: string, endsAt: number): Promise<void> {
  const sql = `update source_watches set ends_at = ?2 where id = ?1`;
  await runBatch(db, [statement(sql, watchId, endsAt)]);
}

export async function deleteWatch(db: Database, watchId: string): Promise<void> {
  await runBatch(db, [statement(`delete from source_watches where id = ?1`, watchId)]);
}

export type WatchState = {
  dueAt: number | null;
  watchedUntil: number | null;
  attempts: number;
  error: string | null;
};

/** Stores how the watches of a source stand, unless they were made due meanwhile. */
export async function noteWatchState(
  db: Database,
  sourceId: FileSourceId,
  claimedUntil: number,
  { dueAt, watchedUntil, attempts, error }: WatchState,
): Promise<void> {
  await runBatch(db, [
    statement(
      `update file_sources set watch_due_at = ?3, watched_until = ?4, watch_attempts = ?5,
         watch_error = ?6
       where id = ?1 and watch_due_at = ?2`,
      sourceId,
      claimedUntil,
      dueAt,
      watchedUntil,
      attempts,
      error,
    ),
  ]);
}

/** The clock looks after the source's watches at its next tick. */
export async function makeWatchesDue(db: Database, sourceId: FileSourceId, now: number) {
  const sql = `update file_sources set watch_due_at = ?2 where id = ?1 and watch_due_at is not null`;
  await runBatch(db, [statement(sql, sourceId, now)]);
}

/** The source's configuration changed: every watch is replaced, without a wait for its expiry. */
export async function replaceWatches(db: Database, sourceId: FileSourceId, now: number) {
  await runBatch(db, [
    statement(`update source_watches set ends_at = ?2 where file_source_id = ?1`, sourceId, now),
    statement(
      `update file_sources set watch_due_at = ?2, watch_attempts = 0, watch_error = null,
         watched_until = null
       where id = ?1 and watch_due_at is not null`,
      sourceId,
      now,
    ),
  ]);
}
