import { MINUTE_MS } from "../../core/time.ts";
import type { FileId, RagId } from "../../core/ids.ts";
import type { IndexMessage, SizedMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { id, nullable, number, row, text } from "../columns.ts";
import {
  MESSAGE,
  MESSAGE_COLUMNS,
  pendAgainSql,
  rowKey,
  SIZE,
  SIZED_MESSAGE,
} from "../files/file-rows.ts";
import { query, readRow, readRows, runBatch, statement } from "../raw-sql.ts";
import { NO_NOTES } from "../schema/rags.ts";
import type { Building } from "./generation-store.ts";

/** Rows `l` of the live generation of the RAG ?1, except those marked to leave. */
const LIVE = `l.rag_id = ?1 and l.generation = (select generation from rags where id = ?1)
  and l.lease_id is not 'leave'`;

/** No other worker has filled the page after ?3, and generation ?2 is still being built. */
const IS_NEXT = `exists (select 1 from rag_generations g where g.rag_id = ?1 and g.generation = ?2
  and g.state = 'building' and g.filled_up_to = ?3)`;

/** The last file of the page after this one; null at the end. */
async function endOfPage(db: Database, ragId: RagId, after: string, limit: number) {
  const end = await readRow(
    db,
    row({ fileId: id<FileId>() }),
    `select l.file_id as fileId from rag_files l where ${LIVE} and l.file_id > ?2
     order by l.file_id limit 1 offset ?3`,
    ragId,
    after,
    limit - 1,
  );
  return end?.fileId ?? null;
}

const inPage = (x: string) => `${x}.file_id > ?3 and ${x}.file_id <= ?4`;

/** Greater than all ids. */
const LAST = "\uffff";

/** Rows of a generation that was brought back whose files the RAG no longer contains. */
const DROP_OTHERS = `delete from rag_files where rag_id = ?1 and generation = ?2
  and ${inPage("rag_files")} and ${IS_NEXT}
  and not exists (select 1 from rag_files l where ${LIVE} and l.file_id = rag_files.file_id)`;

/**
 * Every file of the live generation gets a row: pending, or deleted as in the live one. An
 * existing row is kept if nothing has changed since; otherwise its indexed content stays until it
 * is replaced.
 */
const FILL = `insert into rag_files (rag_id, generation, file_id, path, status, revision,
    indexed_at, claimed_until)
  select ?1, ?2, l.file_id, l.path, case l.status when 'deleted' then 'deleted' else 'pending' end,
    l.revision, l.indexed_at, case l.status when 'deleted' then 0 else ?5 end
  from rag_files l where ${LIVE} and ${inPage("l")} and ${IS_NEXT}
  on conflict (rag_id, generation, file_id) do update set status = excluded.status,
    path = excluded.path, revision = max(rag_files.revision + 1, excluded.revision),
    indexed_at = excluded.indexed_at, error_message = null, error_is_outside = 0,
    chunk_count = case excluded.status when 'deleted' then 0 else rag_files.chunk_count end,
    fingerprint = case excluded.status when 'deleted' then null else rag_files.fingerprint end,
    notes = case excluded.status when 'deleted' then '${NO_NOTES}' else rag_files.notes end,
    attempts = 0, lease_id = null, leased_until = 0, claimed_until = excluded.claimed_until
  where rag_files.revision <> excluded.revision
  returning ${MESSAGE_COLUMNS}, status, ${SIZE}`;

const FILLED = row({
  ragId: id<RagId>(),
  generation: number,
  fileId: id<FileId>(),
  revision: number,
  status: text,
  size: nullable(number),
});

/**
 * Adds rows for the RAG's next `limit` files, by order of id, to a generation being built. Returns
 * what to queue with sizes, and the last id filled: null when all files are done.
 */
export async function fillNextPage(
  db: Database,
  { ragId, generation }: Building,
  of: { after: string; claimedUntil: number; limit: number },
): Promise<{ messages: SizedMessage[]; filledUpTo: string | null }> {
  const end = await endOfPage(db, ragId, of.after, of.limit);
  const page = [ragId, generation, of.after, end ?? LAST] as const;
  const [, filled] = await runBatch(db, [
    statement(DROP_OTHERS, ...page),
    query(FILLED, FILL, ...page, of.claimedUntil),
    statement(
      `update rag_generations set filled_up_to = ?4
       where rag_id = ?1 and generation = ?2 and ${IS_NEXT}`,
      ragId,
      generation,
      of.after,
      end,
    ),
  ]);
  const due = filled.filter(({ status }) => status === "pending");
  return { messages: due.map(SIZED_MESSAGE), filledUpTo: end };
}

/** A failure with an outside cause is retried after this time, ms. */
const AGAIN_AFTER_MS = 15 * MINUTE_MS;

/** Files in a generation being built that failed for an outside cause long enough ago. */
export async function retryFailedOutside(
  db: Database,
  { ragId, generation }: Building,
  of: { now: number; claimedUntil: number; limit: number },
): Promise<IndexMessage[]> {
  return await readRows(
    db,
    MESSAGE,
    `${pendAgainSql("?3", "?4")} where (${rowKey()}) in (select ${rowKey()} from rag_files
       where rag_id = ?1 and generation = ?2 and status = 'error' and error_is_outside = 1
         and leased_until < ?5 limit ?6)
     returning ${MESSAGE_COLUMNS}`,
    ragId,
    generation,
    of.now,
    of.claimedUntil,
    of.now - AGAIN_AFTER_MS,
    of.limit,
  );
}
