import type { FileId } from "../../core/ids.ts";
import { HOUR_MS } from "../../core/time.ts";
import type { IndexAudience } from "../../ports/index-versions.ts";
import { readSetting, rowsOf, run, valueOf, valuesOf, writeSetting } from "../tables.ts";
import { NO_REVISION } from "./files.ts";
import type { Verb, WriteContext } from "./write-context.ts";

/** The audience's number in this index. */
function numberOf(sql: SqlStorage, { id, principals }: IndexAudience): number {
  const row = valueOf<number>(sql)`SELECT audience FROM audiences WHERE id = ${id}`;
  if (row !== null) return row;
  const added = valueOf<number>(sql)`INSERT INTO audiences (id) VALUES (${id}) RETURNING audience`;
  run(sql)`INSERT OR IGNORE INTO audience_members (principal, audience)
    SELECT value, ${added} FROM json_each(${principals})`;
  return added ?? 0;
}

type Written = [fileId: FileId, audience: number, revision: number, from: number];

/**
 * An audience of an older revision than the index knows changes nothing; the same revision brings
 * a removed file that returns its audience again.
 */
function setAudiences({ sql, change }: WriteContext, changes: Written[]): void {
  const files = valuesOf<number>(sql)`
    UPDATE files SET audience = given.value ->> 1, readers_revision = given.value ->> 2,
      readers_from = given.value ->> 3
    FROM json_each(${changes}) given
    WHERE files.id = given.value ->> 0 AND (readers_revision < given.value ->> 2
      OR readers_revision = given.value ->> 2 AND audience <> given.value ->> 1) RETURNING file`;
  change.files.push(...files);
}

/**
 * Records who may read files, one row for each. A file that the index does not know yet keeps it
 * for its first version, which a job may write that read an older audience.
 */
export const writeReaders: Verb<"writeReaders"> = (context, { audiences, files }) => {
  const { sql } = context;
  const numbers = new Map(audiences.map((audience) => [audience.id, numberOf(sql, audience)]));
  const ids = files.map(({ fileId }) => fileId);
  run(sql)`INSERT OR IGNORE INTO files (id, revision, state)
    SELECT value, ${NO_REVISION}, 'staging' FROM json_each(${ids})`;
  const changes = files.map(({ fileId, audience, revision, from = 0 }): Written => {
    return [fileId, numbers.get(audience) ?? 0, revision, from];
  });
  setAudiences(context, changes);
  markAudiencesLeft(context);
};

/** Writes the readers of one file whose version becomes live. */
export function writeReadersOf(
  context: WriteContext,
  fileId: FileId,
  readers: (IndexAudience & { revision: number }) | undefined,
): void {
  if (readers === undefined) return;
  setAudiences(context, [[fileId, numberOf(context.sql, readers), readers.revision, 0]]);
}

/** Set while there may be audiences that no file has. */
const LEFT = "audiences_left";
/** When the last of these were deleted, ms. */
const PURGED = "audiences_purged";
/** Each step reads every file's row once. */
const AUDIENCES_PER_STEP = 500;

/** Files have left their audiences, which may have none any more. */
export function markAudiencesLeft({ sql, removals }: Pick<WriteContext, "sql" | "removals">): void {
  removals.leavesRest = true;
  if (readSetting(sql, LEFT) === null) writeSetting(sql, LEFT, "some");
}

/** When the next step of deleting unused audiences is due, ms; null: there are none. */
export const purgeAudiencesAt = (sql: SqlStorage): number | null =>
  readSetting(sql, LEFT) === null ? null : Number(readSetting(sql, PURGED) ?? 0) + HOUR_MS;

/**
 * One step, inside a transaction. A removed file keeps its audience, as a negative number, until
 * the next turn: it may return by a job that read its readers before they changed.
 */
export function purgeAudiences({ sql }: WriteContext, now: number): void {
  const unused = valuesOf<number>(sql)`DELETE FROM audiences WHERE audience IN (
      SELECT audience FROM audiences EXCEPT SELECT abs(audience) FROM files
      LIMIT ${AUDIENCES_PER_STEP}) RETURNING audience`;
  run(sql)`DELETE FROM audience_members WHERE audience IN (SELECT value FROM json_each(${unused}))`;
  if (unused.length === AUDIENCES_PER_STEP) return;
  const removed = rowsOf(sql)`UPDATE files SET audience = iif(audience > 0, -audience, 0)
    WHERE state = 'removed' AND audience <> 0 RETURNING 1`;
  if (removed.length === 0) run(sql)`DELETE FROM settings WHERE name = ${LEFT}`;
  writeSetting(sql, PURGED, String(now));
}
