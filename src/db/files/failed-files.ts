import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { flag } from "../columns.ts";
import { computed, select } from "../select.ts";
import { readRows } from "../sql.ts";
import {
  MESSAGE,
  MESSAGE_FIELDS,
  OPEN,
  pendAgainSql,
  rowKey,
  rowsOf,
  type PendTimes,
} from "./file-rows.ts";

type Times = PendTimes & { limit: number };

const PENDED = select({
  ...MESSAGE_FIELDS,
  isLive: computed(flag, "generation = (select r.generation from rags r where r.id = rag_id)"),
});

/**
 * Makes a RAG's failed files pending again; only one when `path` is given. `count`: of those that
 * the RAG lists.
 */
export async function pendFailed(
  db: Database,
  ragId: RagId,
  path: string | null,
  times: Times,
): Promise<{ messages: IndexMessage[]; count: number }> {
  const rows = await readRows(db, PENDED)`${pendAgainSql(times)}
    where (${rowKey()}) in (select ${rowKey("x")} from ${rowsOf(ragId, "error")}
      and (${path} is null or x.path = ${path}) limit ${times.limit})
    returning ${PENDED}`;
  const messages = rows.map(({ isLive: _live, ...message }) => message);
  return { messages, count: rows.filter(({ isLive }) => isLive).length };
}

/** The same for a source's files that failed for an outside cause. */
export const pendFailedOutside = (
  db: Database,
  sourceId: FileSourceId,
  times: Times,
): Promise<IndexMessage[]> =>
  readRows(db, MESSAGE)`${pendAgainSql(times)}
    where (${rowKey()}) in (select ${rowKey("x")} from rags r
      cross join rag_generations g on g.rag_id = r.id and ${OPEN}
      cross join rag_files x on x.rag_id = g.rag_id and x.generation = g.generation
        and x.status = 'error'
      where r.file_source_id = ${sourceId} and r.removed_at is null and x.error_is_outside = 1
      limit ${times.limit})
    returning ${MESSAGE}`;
