import { z } from "zod";

import type { FileId, FileSourceId, RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, json, number, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { query, readRows, runBatch, statement } from "../raw-sql.ts";
import { NO_NOTES, VECTOR_PLACES } from "../schema/rags.ts";
import { isOpen, rowKey, sameFile } from "./file-rows.ts";

const generations = z.array(z.tuple([z.number(), z.number(), z.enum(VECTOR_PLACES)]));

/**
 * A file removed from a generation whose indexes may not have removed it yet: the generation's
 * own, and those of retired generations, which may become live again. `generations`: `[generation,
 * shards, vectorsIn]` of each.
 */
export const REMOVAL = row({
  ragId: id<RagId>(),
  generation: number,
  fileId: id<FileId>(),
  revision: number,
  generations: json(generations),
});
export type Removal = Row<typeof REMOVAL>;

const REMOVAL_COLUMNS = `rag_id as ragId, generation, file_id as fileId, revision,
  (select json_group_array(json_array(g.generation, g.shards, g.vectors_in))
    from rag_generations g
    where g.rag_id = rag_files.rag_id and (g.state = 'retired'
      or (g.generation = rag_files.generation and g.state in ('live', 'building')))) as generations`;

/**
 * Value of `lease_id` for a `deleted` row that is itself deleted once the index removed the file.
 */
const LEAVE = "leave";

const DELETED = `status = 'deleted', revision = max(rag_files.revision + 1, ?2),
  error_message = null, error_is_outside = 0, fingerprint = null, chunk_count = 0,
  notes = '${NO_NOTES}', attempts = 0, claimed_until = 0, leased_until = ?3`;

/** Marks rows as deleted that stay listed as such; `files` selects the ids of their files. */
const deleteSql = (files: string) => `update rag_files set ${DELETED}, lease_id = null
  where file_id in (${files}) and status <> 'deleted' and ${isOpen()} returning ${REMOVAL_COLUMNS}`;

/** Marks rows that are outside a RAG's scopes to be removed; `where` selects them (alias `rf`). */
export const leaveSql = (where: string, limit = "") => `update rag_files
  set ${DELETED}, lease_id = '${LEAVE}'
  where (${rowKey()}) in (select ${rowKey("rf")} from ${where} and ${isOpen("rf")} ${limit})
  returning ${REMOVAL_COLUMNS}`;

const MARKED = row({ id: id<FileId>(), version: text });

/**
 * The file was deleted at its source, so it is deleted in every RAG. Null when there is no such
 * file.
 */
export async function markPathDeleted(
  db: Database,
  of: { sourceId: FileSourceId; path: string },
  now: number,
  claimedUntil: number,
): Promise<{ file: Row<typeof MARKED>; removals: Removal[] } | null> {
  const [[file], removals] = await runBatch(db, [
    query(
      MARKED,
      `update files set deleted_at = ?3 where file_source_id = ?1 and path = ?2
         and deleted_at is null returning id, version`,
      of.sourceId,
      of.path,
      now,
    ),
    query(
      REMOVAL,
      deleteSql(`select id from files where file_source_id = ?1 and path = ?4
        and deleted_at is not null`),
      of.sourceId,
      now,
      claimedUntil,
      of.path,
    ),
  ]);
  return file === undefined ? null : { file, removals };
}

/**
 * The same for files that a scan did not find, unless they were added or restored after `before`.
 */
export async function markFilesDeleted(
  db: Database,
  ids: FileId[],
  before: number,
  now: number,
  claimedUntil: number,
): Promise<{ count: number; removals: Removal[] }> {
  const [marked, removals] = await runBatch(db, [
    query(
      MARKED,
      `update files set deleted_at = ?2 where id in (select value from json_each(?1))
         and deleted_at is null and created_at <= ?3 returning id, version`,
      ids,
      now,
      before,
    ),
    query(
      REMOVAL,
      deleteSql(`select f.id from json_each(?1) m join files f on f.id = m.value
        where f.deleted_at is not null`),
      ids,
      now,
      claimedUntil,
    ),
  ]);
  return { count: marked.length, removals };
}

/** Records that the indexes removed the files; rows marked to leave are deleted. */
export async function settleRemovals(db: Database, removals: Removal[]): Promise<void> {
  const list = removals.map(({ ragId, generation, fileId, revision }) => {
    return { ragId, generation, fileId, revision };
  });
  const same = `${sameFile()} and rag_files.revision = m.value ->> 'revision'
    and rag_files.status = 'deleted'`;
  await runBatch(db, [
    statement(
      `delete from rag_files where (${rowKey()}) in (select ${rowKey()} from json_each(?1) m
         join rag_files on ${same}) and lease_id = '${LEAVE}'`,
      list,
    ),
    statement(`update rag_files set leased_until = 0 from json_each(?1) m where ${same}`, list),
  ]);
}

/** Removals whose worker or message was lost. */
export async function overdueRemovals(
  db: Database,
  now: number,
  claimedUntil: number,
  limit: number,
): Promise<Removal[]> {
  return await readRows(
    db,
    REMOVAL,
    `update rag_files set leased_until = ?2 where (${rowKey()}) in (
       select ${rowKey()} from rag_files where status = 'deleted' and leased_until > 0
         and leased_until < ?1 order by leased_until limit ?3) returning ${REMOVAL_COLUMNS}`,
    now,
    claimedUntil,
    limit,
  );
}
