import type { RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { allRows, query, statement } from "../raw-sql.ts";
import { MESSAGE, MESSAGE_COLUMNS, rowsOf } from "./file-rows.ts";

/**
 * A RAG's files that are pending without an attempt, to be queued now: their messages arrived
 * while the RAG was paused. A message that is still queued finds the file claimed.
 */
export async function takeWaitingFiles(
  db: Database,
  ragId: RagId,
  of: { claimedUntil: number; limit: number },
): Promise<IndexMessage[]> {
  return await allRows(
    db,
    query(
      MESSAGE,
      `update rag_files set claimed_until = ?2 where rowid in (
         select x.rowid from ${rowsOf("pending")} and x.attempts = 0
         order by g.generation, x.path limit ?3)
       returning ${MESSAGE_COLUMNS}`,
      ragId,
      of.claimedUntil,
      of.limit,
    ),
  );
}

/** Ten minutes of sweeps: by then the claims of all other files have expired. */
const RELEASED_AT_ONCE = 10_000;

/**
 * Makes a RAG's pending files due for the next sweep, as the RAG may have been paused. Limited to
 * what the sweep processes before claims expire, so that the statement stays short.
 */
export async function releasePending(db: Database, ragId: RagId, claimedAfter: number) {
  await allRows(
    db,
    statement(
      `update rag_files set claimed_until = 1 where rowid in (
         select x.rowid from ${rowsOf("pending")} and x.attempts = 0 and x.claimed_until > ?2
         limit ?3)`,
      ragId,
      claimedAfter,
      RELEASED_AT_ONCE,
    ),
  );
}
