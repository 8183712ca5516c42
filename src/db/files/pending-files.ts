import type { FileId, RagId } from "../../core/ids.ts";
import type { IndexMessage, SizedMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { flag, id, nullable, number, oneOf, row } from "../columns.ts";
import { execute, readRows } from "../raw-sql.ts";
import { FILE_STATUSES } from "../schema/rags.ts";
import { CRASHED, heldUntil, isLeft } from "./attempts.ts";
import {
  MESSAGE,
  MESSAGE_COLUMNS,
  OPEN,
  rowKey,
  rowsOf,
  sameFile,
  SIZE,
  SIZED_MESSAGE,
} from "./file-rows.ts";

/** Whether a row is pending or processing; the index `rag_files_claimed` has the same condition. */
export const IN_WORK = `claimed_until > 0`;
/** Rows `x` of a generation `g`. */
const SAME = "x.rag_id = g.rag_id and x.generation = g.generation";

/** Processing rows that nobody holds any more, whoever claimed them, in a paused RAG, too. */
const LAPSED = `select x.file_id as id from rag_files x indexed by rag_files_status
  where ${SAME} and x.status = 'processing' and g.processing_files > 0
    and ${heldUntil("x")} < ?1 limit ?3`;

/**
 * The oldest first: pending rows whose messages were lost, rows that wait for vectors, and those
 * of workers that died. Only rows that a worker holds are read in vain.
 */
const OLDEST = `select x.file_id as id from rag_files x indexed by rag_files_claimed
  where ${SAME} and x.${IN_WORK} and x.claimed_until < ?1 and ${heldUntil("x")} < ?1
    and x.status in ('pending', 'processing') and r.status = 'active'
  order by x.claimed_until limit ?3`;

/**
 * Files whose claim has expired, of each open generation and of both kinds in turns, each once,
 * so that a backlog of one does not hide the others. In a paused RAG only rows left by a worker
 * are repaired.
 */
const UNCLAIMED = `select g.rag_id, g.generation, one.value from rag_generations g cross join rags r on r.id = g.rag_id,
  json_each((select json_group_array(id) from (
    select id from (
      select id, row_number() over () as nth from (${LAPSED})
      union all select id, row_number() over () as nth from (${OLDEST}))
    group by id order by min(nth)))) one
  where ${OPEN} and r.removed_at is null order by one.key limit ?3`;

const UNCLAIMED_FILE = row({
  ragId: id<RagId>(),
  generation: number,
  fileId: id<FileId>(),
  revision: number,
  status: oneOf(FILE_STATUSES),
  size: nullable(number),
  isActive: flag,
});

/**
 * Files whose worker or message was lost: they become pending and are to be queued. A file that
 * used up its attempts without a result (its worker dies each time) is given up.
 */
export async function takeUnclaimedFiles(
  db: Database,
  of: { now: number; claimedUntil: number; limit: number; maxTries: number; reason: string },
): Promise<SizedMessage[]> {
  const rows = await readRows(
    db,
    UNCLAIMED_FILE,
    `update rag_files set
       lease_id = case when (${isLeft()} or lease_id = '${CRASHED}') and attempts < ?4
         then '${CRASHED}' end,
       status = case when attempts >= ?4 then 'error' else 'pending' end,
       error_message = case when attempts >= ?4 then ?5 else null end,
       error_is_outside = attempts >= ?4,
       claimed_until = case when attempts >= ?4 then 0 else ?2 end,
       leased_until = case when attempts >= ?4 then ?1 else 0 end
     where (${rowKey()}) in (${UNCLAIMED})
     returning ${MESSAGE_COLUMNS}, status, ${SIZE},
       exists (select 1 from rags r where r.id = rag_files.rag_id and r.status = 'active'
         and r.removed_at is null) as isActive`,
    of.now,
    of.claimedUntil,
    of.limit,
    of.maxTries,
    of.reason,
  );
  const wanted = rows.filter(({ status, isActive }) => status === "pending" && isActive);
  return wanted.map(SIZED_MESSAGE);
}

/**
 * A RAG's files that are pending without an attempt, to be queued now: their messages arrived
 * while the RAG was paused. A message that is still queued finds the file claimed.
 */
export async function takeUnstartedFiles(
  db: Database,
  ragId: RagId,
  of: { claimedUntil: number; limit: number },
): Promise<IndexMessage[]> {
  return await readRows(
    db,
    MESSAGE,
    `update rag_files set claimed_until = ?2 where (${rowKey()}) in (
       select ${rowKey("x")} from ${rowsOf("pending")} and x.attempts = 0
       order by g.generation, x.path limit ?3)
     returning ${MESSAGE_COLUMNS}`,
    ragId,
    of.claimedUntil,
    of.limit,
  );
}

/** Keeps pending files from the sweep at least until then: their messages are sent once more. */
export async function claimPending(
  db: Database,
  messages: IndexMessage[],
  claimedUntil: number,
): Promise<void> {
  await execute(
    db,
    `update rag_files set claimed_until = ?2 from json_each(?1) m
     where ${sameFile()} and rag_files.revision = m.value ->> 'revision'
       and rag_files.status = 'pending' and rag_files.claimed_until < ?2`,
    messages,
    claimedUntil,
  );
}

/** Ten minutes of sweeps: by then the claims of all other files have expired. */
const RELEASED_AT_ONCE = 10_000;

/**
 * Makes a RAG's pending files due for the next sweep, as the RAG may have been paused. Limited to
 * what the sweep processes before claims expire, so that the statement stays short.
 */
export async function releasePending(db: Database, ragId: RagId, claimedAfter: number) {
  await execute(
    db,
    `update rag_files set claimed_until = 1 where (${rowKey()}) in (
       select ${rowKey("x")} from ${rowsOf("pending")} and x.attempts = 0 and x.claimed_until > ?2
       limit ?3)`,
    ragId,
    claimedAfter,
    RELEASED_AT_ONCE,
  );
}
