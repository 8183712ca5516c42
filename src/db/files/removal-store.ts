import { z } from "zod";

import type { FileId, FileSourceId } from "../../core/ids.ts";
import { s } from "../records.ts";
import { files, replacedContents } from "../schema/index.ts";
import { VECTOR_PLACES } from "../schema/rags.ts";
import { json, columnsOf, pick, select, flag, orNull, type Row } from "../select.ts";
import { raw, readRows, runBatch, sql, execute, type Database, type Sql } from "../sql.ts";
import { isRemoved, isOpen, LEAVING, MESSAGE_FIELDS, rowKey, sameFile } from "./file-rows.ts";

const generations = z.array(z.tuple([z.number(), z.number(), z.enum(VECTOR_PLACES)]));

/**
 * A file removed from a generation whose indexes may not have removed it yet: the generation's
 * own, and those of retired generations, which may become live again. `generations`: `[generation,
 * shards, vectorsIn]` of each.
 */
const REMOVAL = select({
  ...MESSAGE_FIELDS,
  generations: json(
    generations,
    `(select json_group_array(json_array(g.generation, g.shards, g.vectors_in))
      from rag_generations g
      where g.rag_id = rag_files.rag_id and (g.state = 'retired'
        or (g.generation = rag_files.generation and g.state in ('live', 'building'))))`,
  ),
});
export type Removal = Row<typeof REMOVAL>;

/** `removedUntil`: until when the removal from the indexes is awaited, ms. */
export type RemovalTimes = { now: number; removedUntil: number };

const markRemovedSql = (status: "deleted" | "leaving", { now, removedUntil }: RemovalTimes): Sql =>
  sql`update rag_files set status = ${status}, revision = max(rag_files.revision + 1, ${now}),
    error_message = null, error_is_outside = 0, fingerprint = null, chunk_count = 0, notes = '[]',
    attempts = 0, claimed_until = 0, lease_id = null, leased_until = ${removedUntil}`;

const PATH = select(pick(columnsOf(files), "path"));

/** Marks rows as deleted that stay listed as such; `of` selects the ids of their files. */
const deleteSql = (condition: Sql, times: RemovalTimes) =>
  sql`${markRemovedSql("deleted", times)} where file_id in (${condition}) and not ${isRemoved()} and ${isOpen()}
    returning ${REMOVAL}`;

/** Marks rows that are outside a RAG's scopes to be removed; `where` selects them (alias `rf`). */
export const markLeavingSql = (where: Sql, times: RemovalTimes, limit = raw("")) =>
  sql`${markRemovedSql("leaving", times)} where (${rowKey()}) in (
      select ${rowKey("rf")} from ${where} and ${isOpen("rf")} ${limit})
    returning ${REMOVAL}`;

/** Deleted at their source, so in every RAG. `paths`: those that had a file. */
export async function markPathsDeleted(
  db: Database,
  { sourceId, paths }: { sourceId: FileSourceId; paths: readonly string[] },
  times: RemovalTimes,
): Promise<{ paths: Set<string>; removals: Removal[] }> {
  const atPaths = sql`file_source_id = ${sourceId}
    and path in (select value from json_each(${paths}))`;
  const [marked, removals] = await runBatch(db, [
    sql`update files set deleted_at = ${times.now} where ${atPaths} and deleted_at is null
      returning ${PATH}`,
    deleteSql(sql`select id from files where ${atPaths} and deleted_at is not null`, times),
  ]);
  return { paths: new Set(marked.map(({ path }) => path)), removals };
}

/** Marks files that a scan did not find as deleted, unless added or restored after `before`. */
export async function markFilesDeleted(
  db: Database,
  ids: FileId[],
  before: number,
  times: RemovalTimes,
): Promise<{ count: number; removals: Removal[] }> {
  const [marked, removals] = await runBatch(db, [
    sql`update files set deleted_at = ${times.now}
      where id in (select value from json_each(${ids})) and deleted_at is null
        and created_at <= ${before} returning 1`,
    deleteSql(
      sql`select f.id from json_each(${ids}) m join files f on f.id = m.value
        where f.deleted_at is not null`,
      times,
    ),
  ]);
  return { count: marked.length, removals };
}

/** Records that the indexes removed the files; rows that were to leave are deleted. */
export async function settleRemovals(db: Database, removals: Removal[]): Promise<void> {
  const list = removals.map(({ ragId, generation, fileId, revision }) => {
    return { ragId, generation, fileId, revision };
  });
  const same = sql`${sameFile()} and rag_files.revision = m.value ->> 'revision'`;
  await runBatch(db, [
    sql`delete from rag_files where (${rowKey()}) in (select ${rowKey()} from json_each(${list}) m
      join rag_files on ${same} and rag_files.status = 'leaving')`,
    sql`update rag_files set leased_until = 0 from json_each(${list}) m
      where ${same} and rag_files.status = 'deleted'`,
  ]);
}

/** Removals whose worker or message was lost. */
export const overdueRemovals = (db: Database, { now, removedUntil }: RemovalTimes, limit: number) =>
  readRows(db)`update rag_files set leased_until = ${removedUntil}
    where (${rowKey()}) in (select ${rowKey()} from rag_files
      where ${LEAVING} and leased_until < ${now} order by leased_until limit ${limit})
    returning ${REMOVAL}`;

const p = columnsOf(replacedContents, "p");

/** `contentId` null: the text is still current. `provider` null: the source was removed. */
const REPLACED = select({
  ...pick(p, "id", "fileId", "path", "version", "contentId"),
  sourceId: p.fileSourceId,
  provider: orNull(s.provider),
  isCurrent: flag(`iif(p.file_source_id = '', exists (
    select 1 from file_images i where i.key = p.path), coalesce(f.version = p.version, 0))`),
});
export type ReplacedContent = Row<typeof REPLACED>;

/** Replaced content that is due to be deleted, the longest due first. */
export const dueReplacedContents = (db: Database, now: number, limit: number) =>
  readRows(db)`select ${REPLACED} from replaced_contents p
      left join file_sources s on s.id = p.file_source_id
      left join files f on f.id = p.file_id and f.deleted_at is null
    where p.due_at <= ${now} order by p.due_at, p.id limit ${limit}`;

const isAmong = (ids: number[]) => sql`id in (select value from json_each(${ids}))`;

/** `dueAt` (ms): when no worker can be left that writes them, so that one deletion is enough. */
export const postponeReplacedContents = (db: Database, ids: number[], dueAt: number) =>
  execute(db)`update replaced_contents set due_at = ${dueAt} where ${isAmong(ids)}`;

/** Records a deletion: the first one is repeated at `recheckTimeOf` (ms), after the second one none. */
export async function settleReplacedContents(db: Database, ids: number[], againAt: number) {
  await runBatch(db, [
    sql`delete from replaced_contents where ${isAmong(ids)} and due_at > 0`,
    sql`update replaced_contents set due_at = ${againAt} where ${isAmong(ids)}`,
  ]);
}
