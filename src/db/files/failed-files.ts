import type { FileId, FileSourceId, RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import { flag, id, number, row } from "../columns.ts";
import type { Database } from "../client.ts";
import { readRows } from "../raw-sql.ts";
import { MESSAGE, MESSAGE_COLUMNS, OPEN, pendAgainSql, rowKey, rowsOf } from "./file-rows.ts";

type Times = { now: number; claimedUntil: number; limit: number };

const PENDED = row({
  ragId: id<RagId>(),
  generation: number,
  fileId: id<FileId>(),
  revision: number,
  isLive: flag,
});

/**
 * Makes a RAG's failed files pending again; only one when `path` is given. `count`: of those that
 * the RAG lists.
 */
export async function pendFailed(
  db: Database,
  ragId: RagId,
  path: string | null,
  { now, claimedUntil, limit }: Times,
): Promise<{ messages: IndexMessage[]; count: number }> {
  const rows = await readRows(
    db,
    PENDED,
    `${pendAgainSql("?2", "?3")} where (${rowKey()}) in (select ${rowKey("x")} from ${rowsOf("error")}
       and (?4 is null or x.path = ?4) limit ?5)
     returning ${MESSAGE_COLUMNS},
       generation = (select r.generation from rags r where r.id = rag_id) as isLive`,
    ragId,
    now,
    claimedUntil,
    path,
    limit,
  );
  return { messages: rows.map(MESSAGE), count: rows.filter(({ isLive }) => isLive).length };
}

/** The same for a source's files that failed for an outside cause. */
export async function pendFailedOutside(
  db: Database,
  sourceId: FileSourceId,
  { now, claimedUntil, limit }: Times,
): Promise<IndexMessage[]> {
  return await readRows(
    db,
    MESSAGE,
    `${pendAgainSql("?2", "?3")} where (${rowKey()}) in (select ${rowKey("x")} from rags r
       cross join rag_generations g on g.rag_id = r.id and ${OPEN}
       cross join rag_files x on x.rag_id = g.rag_id and x.generation = g.generation
         and x.status = 'error'
       where r.file_source_id = ?1 and r.removed_at is null and x.error_is_outside = 1 limit ?4)
     returning ${MESSAGE_COLUMNS}`,
    sourceId,
    now,
    claimedUntil,
    limit,
  );
}
