import type { FileId, FileSourceId, RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import { flag, id, number, row } from "../columns.ts";
import type { Database } from "../client.ts";
import { allRows, query, statement } from "../raw-sql.ts";
import { MESSAGE, MESSAGE_COLUMNS, OPEN, pendAgainSql } from "./file-rows.ts";

/** Rows `x` of a RAG (?1) in its open generations, by status. */
const rowsOf = (status: string) => `rag_generations g cross join rag_files x
    on x.rag_id = g.rag_id and x.generation = g.generation and x.status = '${status}'
  where g.rag_id = ?1 and ${OPEN}`;

/**
 * Files of a RAG that wait for their first try, to be queued now: their messages came while the
 * RAG was paused. A message that is under way all the same finds the file taken.
 */
export async function takeWaitingFiles(
  db: Database,
  ragId: RagId,
  of: { heldUntil: number; limit: number },
): Promise<IndexMessage[]> {
  return await allRows(
    db,
    query(
      MESSAGE,
      `update rag_files set held_until = ?2 where rowid in (
         select x.rowid from ${rowsOf("pending")} and x.attempts = 0
         order by g.generation, x.path limit ?3)
       returning ${MESSAGE_COLUMNS}`,
      ragId,
      of.heldUntil,
      of.limit,
    ),
  );
}

/** Ten minutes of sweeps: by then the holds of all others have run out by themselves. */
const RELEASED_AT_ONCE = 10_000;

/**
 * What waits in this RAG is due for the next sweep: it may have been paused. No more of it than
 * the sweep takes up before holds run out, so that this stays one short statement.
 */
export async function releasePending(db: Database, ragId: RagId, heldAfter: number) {
  await allRows(
    db,
    statement(
      `update rag_files set held_until = 1 where rowid in (
         select x.rowid from ${rowsOf("pending")} and x.attempts = 0 and x.held_until > ?2
         limit ?3)`,
      ragId,
      heldAfter,
      RELEASED_AT_ONCE,
    ),
  );
}

type Times = { now: number; heldUntil: number; limit: number };

const PENDED = row({
  ragId: id<RagId>(),
  generation: number,
  fileId: id<FileId>(),
  revision: number,
  isLive: flag,
});

/**
 * Failed files of a RAG wait again; one of them when `path` names it. `count`: of those that the
 * RAG lists.
 */
export async function pendFailed(
  db: Database,
  ragId: RagId,
  path: string | null,
  { now, heldUntil, limit }: Times,
): Promise<{ messages: IndexMessage[]; count: number }> {
  const rows = await allRows(
    db,
    query(
      PENDED,
      `${pendAgainSql("?2", "?3")} where rowid in (select x.rowid from ${rowsOf("error")}
         and (?4 is null or x.path = ?4) limit ?5)
       returning ${MESSAGE_COLUMNS},
         generation = (select r.generation from rags r where r.id = rag_id) as isLive`,
      ragId,
      now,
      heldUntil,
      path,
      limit,
    ),
  );
  return { messages: rows.map(MESSAGE), count: rows.filter(({ isLive }) => isLive).length };
}

/** The same for files of a source that failed for an outside cause. */
export async function pendFailedOutside(
  db: Database,
  sourceId: FileSourceId,
  { now, heldUntil, limit }: Times,
): Promise<IndexMessage[]> {
  return await allRows(
    db,
    query(
      MESSAGE,
      `${pendAgainSql("?2", "?3")} where rowid in (select x.rowid from rags r
         cross join rag_generations g on g.rag_id = r.id and ${OPEN}
         cross join rag_files x on x.rag_id = g.rag_id and x.generation = g.generation
           and x.status = 'error'
         where r.file_source_id = ?1 and r.removed_at is null and x.error_is_outside = 1 limit ?4)
       returning ${MESSAGE_COLUMNS}`,
      sourceId,
      now,
      heldUntil,
      limit,
    ),
  );
}
