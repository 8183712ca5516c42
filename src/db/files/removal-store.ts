import type { FileId, FileSourceId, RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { runBatch, runOne, statement } from "../raw-sql.ts";
import { NO_NOTES } from "../schema/rags.ts";
import { GENERATIONS } from "../scope-sql.ts";

/** A file that a RAG no longer shows, while the RAG's index may not know it yet. */
export type Removal = {
  ragId: RagId;
  fileId: FileId;
  revision: number;
  /** `[generation, shards]` of every index that may hold the file. */
  generations: [number, number][];
};

type RemovalRow = Omit<Removal, "generations"> & { generations: string };

/** Stands in `lease_id` of a `deleted` row that goes altogether once the index knows. */
const LEAVE = "leave";

const DELETED = `status = 'deleted', revision = max(rag_files.revision + 1, ?2),
  error_message = null, error_is_outside = 0, indexed_sha256 = null, chunk_count = 0,
  notes = '${NO_NOTES}', attempts = 0, held_until = ?3`;

const REMOVAL = `returning rag_id as ragId, file_id as fileId, revision, ${GENERATIONS}`;

export function removalsFrom(rows: unknown[] | undefined): Removal[] {
  return ((rows ?? []) as RemovalRow[]).map(removalFrom);
}

function removalFrom({ ragId, fileId, revision, generations }: RemovalRow): Removal {
  return { ragId, fileId, revision, generations: JSON.parse(generations) as [number, number][] };
}

/** The file was deleted at the source: so it is in every RAG. Null when there is no such file. */
export async function markPathDeleted(
  db: Database,
  of: { sourceId: FileSourceId; path: string },
  now: number,
  heldUntil: number,
): Promise<{ file: { id: FileId; version: string }; removals: Removal[] } | null> {
  const [marked, rows] = await runBatch(db, [
    statement(
      `update files set deleted_at = ?3 where file_source_id = ?1 and path = ?2
         and deleted_at is null returning id, version`,
      of.sourceId,
      of.path,
      now,
    ),
    statement(
      `update rag_files set ${DELETED}, lease_id = null
       where file_id = (select id from files where file_source_id = ?1 and path = ?4
         and deleted_at is not null) and status <> 'deleted' ${REMOVAL}`,
      of.sourceId,
      now,
      heldUntil,
      of.path,
    ),
  ]);
  const [file] = marked as { id: FileId; version: string }[];
  return file === undefined ? null : { file, removals: removalsFrom(rows) };
}

/** The same for files that a scan no longer found, unless they came or came back after `before`. */
export async function markFilesDeleted(
  db: Database,
  ids: FileId[],
  before: number,
  now: number,
  heldUntil: number,
): Promise<{ count: number; removals: Removal[] }> {
  const [marked, rows] = await runBatch(db, [
    statement(
      `update files set deleted_at = ?2 where id in (select value from json_each(?1))
         and deleted_at is null and created_at <= ?3 returning id`,
      ids,
      now,
      before,
    ),
    statement(
      `update rag_files set ${DELETED}, lease_id = null
       where file_id in (select f.id from json_each(?1) m join files f on f.id = m.value
         where f.deleted_at is not null) and status <> 'deleted' ${REMOVAL}`,
      ids,
      now,
      heldUntil,
    ),
  ]);
  return { count: (marked ?? []).length, removals: removalsFrom(rows) };
}

/** Rows that a RAG's scopes no longer hold, marked to leave; `where` picks them (alias `rf`). */
export const leaveSql = (where: string) =>
  `update rag_files set ${DELETED}, lease_id = '${LEAVE}'
   where rowid in (select rf.rowid from ${where}) ${REMOVAL}`;

/** The index knows: the rows hold nothing any more, and those that left are gone. */
export async function settle(db: Database, removals: Removal[]): Promise<void> {
  const keys = JSON.stringify(
    removals.map(({ ragId, fileId, revision }) => [ragId, fileId, revision]),
  );
  const same = `rag_files.rag_id = m.value ->> 0 and rag_files.file_id = m.value ->> 1
    and rag_files.revision = m.value ->> 2 and rag_files.status = 'deleted'`;
  await runBatch(db, [
    statement(
      `delete from rag_files where rowid in (select rag_files.rowid from json_each(?1) m
         join rag_files on ${same}) and lease_id = '${LEAVE}'`,
      keys,
    ),
    statement(`update rag_files set held_until = 0 from json_each(?1) m where ${same}`, keys),
  ]);
}

/** Removals that nobody finished. */
export async function overdueRemovals(
  db: Database,
  now: number,
  heldUntil: number,
  limit: number,
): Promise<Removal[]> {
  const rows = await runOne(
    db,
    statement(
      `update rag_files set held_until = ?2 where rowid in (
         select rowid from rag_files where status = 'deleted' and held_until > 0
           and held_until < ?1 order by held_until limit ?3) ${REMOVAL}`,
      now,
      heldUntil,
      limit,
    ),
  );
  return removalsFrom(rows);
}
