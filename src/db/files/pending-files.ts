import type { RagId, FileSourceId } from "../../core/ids.ts";
import type { IndexMessage } from "../../core/queue-messages.ts";
import type { SizedMessage } from "../../ports/job-queue.ts";
import { ragFiles } from "../schema/index.ts";
import { flag, columnsOf, select } from "../select.ts";
import { execute, raw, readRows, sql, type Database, type Sql } from "../sql.ts";
import {
  CRASHED,
  heldUntilSql,
  isAbandoned,
  MESSAGE,
  OPEN,
  READING,
  rowKey,
  rowsOf,
  sameFile,
  SIZED_FIELDS,
  MESSAGE_FIELDS,
  requeueSql,
  type PendTimes,
} from "./file-rows.ts";

/** Whether a row is pending or processing; the index `rag_files_claimed` has the same condition. */
export const IN_WORK = raw("claimed_until > 0");
/** Rows `x` of a generation `g`. */
const SAME = raw("x.rag_id = g.rag_id and x.generation = g.generation");

/** Processing rows that nobody holds any more, whoever claimed them, in a paused RAG, too. */
const lapsedSql = (now: number, limit: number) =>
  sql`select x.file_id as id from rag_files x indexed by rag_files_status
    where ${SAME} and x.status = 'processing' and g.processing_files > 0
      and ${heldUntilSql("x")} < ${now} limit ${limit}`;

/** The oldest first. Only rows that a worker holds are read in vain. */
const oldestSql = (now: number, limit: number) =>
  sql`select x.file_id as id from rag_files x indexed by rag_files_claimed
    where ${SAME} and x.${IN_WORK} and x.claimed_until < ${now} and ${heldUntilSql("x")} < ${now}
      and x.status in ('pending', 'processing') and r.status = 'active'
    order by x.claimed_until limit ${limit}`;

/**
 * Files whose claim has expired, of each open generation and of both kinds in turns, each once,
 * so that a backlog of one does not hide the others. In a paused RAG only rows left by a worker
 * are repaired.
 */
const unclaimedSql = (now: number, limit: number) =>
  sql`select g.rag_id, g.generation, one.value
    from rag_generations g cross join rags r on r.id = g.rag_id,
    json_each((select json_group_array(id) from (
      select id from (
        select id, row_number() over () as nth from (${lapsedSql(now, limit)})
        union all select id, row_number() over () as nth from (${oldestSql(now, limit)}))
      group by id order by min(nth)))) one
    where ${OPEN} and r.removed_at is null order by one.key limit ${limit}`;

const UNCLAIMED_FILE = select({
  ...SIZED_FIELDS,
  status: columnsOf(ragFiles).status,
  isSuspect: flag("lease_id is 'crashed'"),
  isActive: flag(`exists (select 1 from rags r where r.id = rag_files.rag_id and r.status = 'active'
      and r.removed_at is null)`),
});

/**
 * Makes files pending whose worker or message was lost. Gives up those without attempts left
 * (`reason`), and those that stop whoever reads them (`killedReason`).
 */
export async function takeUnclaimedFiles(
  db: Database,
  query: Times & { maxTries: number; reason: string; killedReason: string },
): Promise<(SizedMessage & { isSuspect: boolean })[]> {
  const { now, limit } = query;
  const isGivenUp = sql`attempts >= ${query.maxTries}`;
  const hasKilled = sql`attempts >= ${READING}`;
  const rows = await readRows(db)`update rag_files set
      lease_id = case when (${isAbandoned()} or lease_id = ${CRASHED}) and not ${isGivenUp}
        then ${CRASHED} end,
      status = case when ${isGivenUp} then 'error' else 'pending' end,
      error_message = case when ${hasKilled} then ${query.killedReason}
        when ${isGivenUp} then ${query.reason} else null end,
      error_code = case when ${hasKilled} then 'beyond-limits' when ${isGivenUp} then 'service' end,
      error_is_outside = ${isGivenUp} and not ${hasKilled},
      attempts = case when ${hasKilled} then 0 else attempts end,
      claimed_until = case when ${isGivenUp} then 0 else ${query.claimedUntil} end,
      leased_until = case when ${isGivenUp} then ${now} else 0 end
    where (${rowKey()}) in (${unclaimedSql(now, limit)})
    returning ${UNCLAIMED_FILE}`;
  return rows.flatMap(({ status, isActive, ...message }) =>
    status === "pending" && isActive ? [message] : [],
  );
}

/** Pending files whose messages arrived while the RAG was paused. A queued one finds a claim. */
export const takeUnstartedFiles = (
  db: Database,
  ragId: RagId,
  { claimedUntil, limit }: { claimedUntil: number; limit: number },
) =>
  readRows(db)`update rag_files set claimed_until = ${claimedUntil}
    where (${rowKey()}) in (
      select ${rowKey("x")} from ${rowsOf(ragId, "pending")} and x.attempts = 0
      order by g.generation, x.path limit ${limit})
    returning ${MESSAGE}`;

/** Keeps pending files from the sweep at least until then: their messages are sent once more. */
export const claimPending = (db: Database, messages: IndexMessage[], claimedUntil: number) =>
  execute(db)`update rag_files set claimed_until = ${claimedUntil} from json_each(${messages}) m
    where ${sameFile()} and rag_files.revision = m.value ->> 'revision'
      and rag_files.status = 'pending' and rag_files.claimed_until < ${claimedUntil}`;

/** Ten minutes of sweeps: by then the claims of all other files have expired. */
const RELEASED_AT_ONCE = 10_000;

/** Due for the next sweep: the RAG may have been paused. As many as a sweep processes. */
export const releasePending = (db: Database, ragId: RagId, claimedAfter: number) =>
  execute(db)`update rag_files set claimed_until = 1 where (${rowKey()}) in (
    select ${rowKey("x")} from ${rowsOf(ragId, "pending")} and x.attempts = 0
      and x.claimed_until > ${claimedAfter} limit ${RELEASED_AT_ONCE})`;

/** Files that wait for a spending limit are due then. */
export const releaseLimited = (db: Database, dueAt: number) =>
  execute(db)`update rag_files set claimed_until = ${dueAt} where (${rowKey()}) in (
    select ${rowKey("x")} from rag_generations g
      cross join rag_files x indexed by rag_files_claimed
        on ${SAME} and x.${IN_WORK} and x.claimed_until > ${dueAt}
    where ${OPEN} and x.status = 'pending' and x.error_code = 'spending-limit')`;

type Times = PendTimes & { limit: number };

const PENDED = select({
  ...MESSAGE_FIELDS,
  isLive: flag("generation = (select r.generation from rags r where r.id = rag_id)"),
});

/** Makes failed files pending; null: at all paths. `count`: of those that the RAG lists. */
export const requeueFailed = (
  db: Database,
  ragId: RagId,
  paths: readonly string[] | null,
  times: Times,
): Promise<PendingFiles> =>
  requeue(db, times, sql`${rowsOf(ragId, "error")} and ${paths === null ? raw("1") : isAt(paths)}`);

/** Makes the files at these paths that are indexed or failed pending. */
export async function requeueEnded(
  db: Database,
  ragId: RagId,
  paths: readonly string[],
  times: Times,
): Promise<PendingFiles> {
  const failed = await requeueFailed(db, ragId, paths, times);
  const indexed = await requeue(db, times, sql`${rowsOf(ragId, "indexed")} and ${isAt(paths)}`);
  return {
    messages: [...failed.messages, ...indexed.messages],
    count: failed.count + indexed.count,
  };
}

type PendingFiles = { messages: IndexMessage[]; count: number };

const isAt = (paths: readonly string[]) => sql`x.path in (select value from json_each(${paths}))`;

async function requeue(db: Database, times: Times, from: Sql): Promise<PendingFiles> {
  const rows = await readRows(db)`${requeueSql(times)}
    where (${rowKey()}) in (select ${rowKey("x")} from ${from} limit ${times.limit})
    returning ${PENDED}`;
  const messages = rows.map(({ isLive: _live, ...message }) => message);
  return { messages, count: rows.filter(({ isLive }) => isLive).length };
}

/** Makes a source's files that failed for an outside cause pending. */
export const requeueFailedOutside = (db: Database, sourceId: FileSourceId, times: Times) =>
  readRows(db)`${requeueSql(times)}
    where (${rowKey()}) in (select ${rowKey("x")} from rags r
      cross join rag_generations g on g.rag_id = r.id and ${OPEN}
      cross join rag_files x on x.rag_id = g.rag_id and x.generation = g.generation
        and x.status = 'error'
      where r.file_source_id = ${sourceId} and r.removed_at is null and x.error_is_outside = 1
      limit ${times.limit})
    returning ${MESSAGE}`;
