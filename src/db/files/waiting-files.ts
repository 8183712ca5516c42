import type { RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { runOne, statement } from "../raw-sql.ts";

/**
 * Files of a RAG that wait for their first try, to be queued now: their messages came while the
 * RAG was paused. A message that is under way all the same finds the file taken.
 */
export async function takeWaitingFiles(
  db: Database,
  ragId: RagId,
  of: { heldUntil: number; limit: number },
): Promise<IndexMessage[]> {
  return await runOne(
    db,
    statement(
      `update rag_files set held_until = ?2 where rowid in (
         select rowid from rag_files where rag_id = ?1 and status = 'pending' and attempts = 0
         order by path limit ?3)
       returning rag_id as ragId, file_id as fileId, revision`,
      ragId,
      of.heldUntil,
      of.limit,
    ),
  );
}
