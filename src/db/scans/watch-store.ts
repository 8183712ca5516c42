import type { FileSourceId } from "../../core/ids.ts";
import type { Watch } from "../../ports/source-watcher.ts";
import { fileSources, sourceWatches } from "../schema/index.ts";
import { assignSql, columnsOf, pick, select, values, type Row } from "../select.ts";
import { execute, readRow, readRows, runBatch, sql, type Database } from "../sql.ts";

const WATCHED_SOURCE = select(
  pick(columnsOf(fileSources), "id", "provider", "config", "sealedSecrets", "watchAttempts"),
);
export type WatchedSource = Row<typeof WATCHED_SOURCE>;

/** Sources whose watches are due; each is due again at `dueAgainAt` in case its worker dies. */
export const takeDueWatches = (
  db: Database,
  due: { now: number; dueAgainAt: number; limit: number },
) =>
  readRows(db)`update file_sources set watch_due_at = ${due.dueAgainAt}
    where id in (select id from file_sources where watch_due_at <= ${due.now}
      and removed_at is null order by watch_due_at limit ${due.limit})
    returning ${WATCHED_SOURCE}`;

/** A source with watches, removed or not; null when it has none. */
export const findWatchedSource = (db: Database, sourceId: FileSourceId) =>
  readRow(db)`select ${WATCHED_SOURCE} from file_sources where id = ${sourceId}
    and exists (select 1 from source_watches where file_source_id = ${sourceId})`;

const { fileSourceId, ...ofWatch } = columnsOf(sourceWatches);
const WATCH = select({ ...ofWatch, sourceId: fileSourceId });
export type StoredWatch = Row<typeof WATCH>;

/** All watches of a source, the newest first. */
export const watchesOf = (db: Database, sourceId: FileSourceId) =>
  readRows(db)`select ${WATCH} from source_watches
    where file_source_id = ${sourceId} order by started_at desc`;

/** The watches that notifications name; unknown ones and those of removed sources are left out. */
export const findWatches = (db: Database, watchIds: string[]) =>
  readRows(db)`select ${WATCH} from source_watches
    where id in (select value from json_each(${watchIds})) and exists (
      select 1 from file_sources s where s.id = file_source_id and s.removed_at is null)`;

type ProposedWatch = Omit<StoredWatch, "resourceId" | "live" | "endsAt">;

/** Stores a watch before its provider is called, so that a crash leaves a trace of it. */
export const insertWatch = (db: Database, { sourceId, ...watch }: ProposedWatch) =>
  execute(db)`insert into source_watches
    ${values(sourceWatches, { ...watch, fileSourceId: sourceId })}`;

/** Stores the provider's answer; the target's other watches stop at `othersEndAt`. */
export async function activateWatch(
  db: Database,
  proposedId: string,
  { id, resourceId, expiresAt }: Watch,
  othersEndAt: number,
): Promise<void> {
  await runBatch(db, [
    sql`update source_watches set id = ${id}, live = 1, expires_at = ${expiresAt},
        resource_id = coalesce(${resourceId}, resource_id)
      where id = ${proposedId}`,
    sql`update source_watches set ends_at = ${othersEndAt} from source_watches new
      where new.id = ${id} and source_watches.file_source_id = new.file_source_id
        and source_watches.target = new.target and source_watches.id <> ${id}
        and source_watches.ends_at is null and new.ends_at is null`,
  ]);
}

type WatchChange = Partial<Pick<StoredWatch, "resourceId" | "startedAt" | "expiresAt" | "endsAt">>;

/** When it ends (ms) a watch is to be stopped; when it started 0 ms, it is to be renewed. */
export const updateWatch = (db: Database, watchId: string, change: WatchChange) =>
  execute(db)`update source_watches set ${assignSql(sourceWatches, change)} where id = ${watchId}`;

export const deleteWatch = (db: Database, watchId: string) =>
  execute(db)`delete from source_watches where id = ${watchId}`;

/** How the watches of a source stand. */
export type WatchState = Pick<
  typeof fileSources.$inferSelect,
  "watchDueAt" | "watchedUntil" | "watchAttempts" | "watchError"
>;

/** Stores the state, unless the watches were made due meanwhile. */
export const noteWatchState = (
  db: Database,
  sourceId: FileSourceId,
  claimedUntil: number,
  state: WatchState,
) =>
  execute(db)`update file_sources set ${assignSql(fileSources, state)}
    where id = ${sourceId} and watch_due_at = ${claimedUntil}`;

/** The clock looks after the source's watches at its next tick. */
export const makeWatchesDue = (db: Database, sourceId: FileSourceId, now: number) =>
  execute(db)`update file_sources set watch_due_at = ${now}
    where id = ${sourceId} and watch_due_at is not null`;

/** The source's configuration changed: every watch is replaced, without a wait for its expiry. */
export async function replaceWatches(db: Database, sourceId: FileSourceId, now: number) {
  await runBatch(db, [
    sql`update source_watches set ends_at = ${now} where file_source_id = ${sourceId}`,
    sql`update file_sources set watch_due_at = ${now}, watch_attempts = 0, watch_error = null,
        watched_until = null
      where id = ${sourceId} and watch_due_at is not null`,
  ]);
}
