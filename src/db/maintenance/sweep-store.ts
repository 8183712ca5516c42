import { DAY_MS, HOUR_MS } from "../../core/clock.ts";
import type { FileId, FileSourceId, RagId, ScanRunId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { flag, id, number, oneOf, row } from "../columns.ts";
import type { Row } from "../columns.ts";
import { CRASHED, isLeft } from "../files/attempts.ts";
import { MESSAGE, MESSAGE_COLUMNS, OPEN, pendAgainSql } from "../files/file-rows.ts";
import { allRows, query, runBatch, statement } from "../raw-sql.ts";
import { FILE_STATUSES } from "../schema/rags.ts";

/** Files that are to be worked on; the index `rag_files_held` is written the same way. */
const HELD = `status in ('pending', 'processing')`;
/** Rows `x` of a generation `g`. */
const SAME = "x.rag_id = g.rag_id and x.generation = g.generation";
/** Removals that the index does not know yet; `rag_files_leaving` is written the same way. */
const LEAVING = `status = 'deleted' and held_until > 0`;

/**
 * Files that nobody holds any more: the oldest of each open generation, and in turns of these, so
 * that what waits in one keeps no other's from being found. Nobody works on a paused RAG: there
 * only what a worker left is set right.
 */
const UNHELD = `select one.value from rag_generations g cross join rags r on r.id = g.rag_id,
  json_each(case r.status when 'active' then
    (select json_group_array(id) from (select x.rowid as id from rag_files x where ${SAME}
      and x.${HELD} and x.held_until < ?1 order by x.held_until limit ?3))
    else (select json_group_array(id) from (select x.rowid as id from rag_files x where ${SAME}
      and x.status = 'processing' and x.held_until < ?1 limit ?3)) end) one
  where ${OPEN} and r.removed_at is null order by one.key limit ?3`;

const UNHELD_FILE = row({
  ragId: id<RagId>(),
  generation: number,
  fileId: id<FileId>(),
  revision: number,
  status: oneOf(FILE_STATUSES),
  isActive: flag,
});

/**
 * Files whose worker or message was lost: they wait again, and are to be queued. What used up its
 * tries without an end (its worker dies each time) is given up.
 */
export async function takeUnheldFiles(
  db: Database,
  of: { now: number; heldUntil: number; limit: number; maxTries: number; reason: string },
): Promise<IndexMessage[]> {
  const rows = await allRows(
    db,
    query(
      UNHELD_FILE,
      `update rag_files set
         lease_id = case when (${isLeft()} or lease_id = '${CRASHED}') and attempts < ?4
           then '${CRASHED}' end,
         status = case when attempts >= ?4 then 'error' else 'pending' end,
         error_message = case when attempts >= ?4 then ?5 else null end,
         error_is_outside = attempts >= ?4,
         held_until = case when attempts >= ?4 then ?1 else ?2 end
       where rowid in (${UNHELD})
       returning ${MESSAGE_COLUMNS}, status,
         exists (select 1 from rags r where r.id = rag_files.rag_id and r.status = 'active'
           and r.removed_at is null) as isActive`,
      of.now,
      of.heldUntil,
      of.limit,
      of.maxTries,
      of.reason,
    ),
  );
  const wanted = rows.filter(({ status, isActive }) => status === "pending" && isActive);
  return wanted.map(MESSAGE);
}

/** Sources whose scan is due; each is put off until `heldUntil`, when it would be due again. */
export async function takeDueSources(
  db: Database,
  now: number,
  heldUntil: number,
): Promise<FileSourceId[]> {
  const rows = await allRows(
    db,
    query(
      row({ id: id<FileSourceId>() }),
      `update file_sources set next_scan_at = ?2
       where next_scan_at <= ?1 and removed_at is null returning id`,
      now,
      heldUntil,
    ),
  );
  return rows.map(({ id }) => id);
}

const UNHELD_SCAN = row({ fileSourceId: id<FileSourceId>(), runId: id<ScanRunId>() });

/** Scans whose worker or message was lost. */
export async function takeUnheldScans(
  db: Database,
  now: number,
  heldUntil: number,
): Promise<Row<typeof UNHELD_SCAN>[]> {
  return await allRows(
    db,
    query(
      UNHELD_SCAN,
      `update file_sources set scan_held_until = ?2
       where scan_held_until < ?1 and scan_run_id is not null and removed_at is null
       returning id as fileSourceId, scan_run_id as runId`,
      now,
      heldUntil,
    ),
  );
}

/** RAGs and sources that were removed before `before` and still have something behind them. */
export async function removedResources(
  db: Database,
  before: number,
): Promise<{ rags: RagId[]; sources: FileSourceId[] }> {
  const [rags, sources] = await runBatch(db, [
    query(row({ id: id<RagId>() }), `select id from rags where removed_at < ?1`, before),
    query(
      row({ id: id<FileSourceId>() }),
      `select id from file_sources where removed_at < ?1`,
      before,
    ),
  ]);
  return { rags: rags.map(({ id }) => id), sources: sources.map(({ id }) => id) };
}

const SESSION_IDLE_MS = 12 * HOUR_MS;
const SESSION_AGE_MS = 7 * DAY_MS;

/** Sessions that are over, and failed sign-ins of long ago. Marks of counted usage are forgotten where usage is folded. */
export async function purgeExpired(db: Database, now: number): Promise<void> {
  await runBatch(db, [
    statement(`delete from sessions where last_seen_at < ?1`, now - SESSION_IDLE_MS),
    statement(`delete from sessions where created_at < ?1`, now - SESSION_AGE_MS),
    statement(`delete from sign_in_tries where last_at < ?1`, now - DAY_MS),
  ]);
}

/**
 * Nobody holds anything any more: after a crash that took the queues' memory with it. Attempts
 * stay counted: one of the files that were worked on may have been what crashed.
 */
export async function voidHolds(db: Database): Promise<void> {
  await runBatch(db, [
    statement(`update rag_files set held_until = 1 where ${HELD} and held_until > 1`),
    statement(`update rag_files set held_until = 1 where ${LEAVING} and held_until > 1`),
    statement(
      `update file_sources set scan_held_until = 1
       where scan_held_until is not null and scan_run_id is not null`,
    ),
  ]);
}

const COUNTED_INDEX = row({
  ragId: id<RagId>(),
  generation: number,
  shards: number,
  numberVectors: number,
});
/** A RAG's index as D1 counts it, for the comparison with what is stored. */
export type CountedIndex = Row<typeof COUNTED_INDEX>;

/** `limit` RAGs with no work under way; `turn` counts up, so that all have theirs in time. */
export async function quietIndexes(
  db: Database,
  turn: number,
  limit: number,
): Promise<CountedIndex[]> {
  return await allRows(
    db,
    query(
      COUNTED_INDEX,
      `select r.id as ragId, r.generation, g.number_vectors as numberVectors, g.shards
       from rags r join rag_generations g on g.rag_id = r.id and g.generation = r.generation
       where r.removed_at is null and g.pending_files = 0 and g.processing_files = 0
       order by r.id limit ?2
       offset (?1 * ?2) % max(1, (select count(*) from rags where removed_at is null))`,
      turn,
      limit,
    ),
  );
}

const COUNTED_FILE = row({
  fileId: id<FileId>(),
  revision: number,
  status: oneOf(FILE_STATUSES),
  chunkCount: number,
});
export type CountedFile = Row<typeof COUNTED_FILE>;

type Generation = Pick<CountedIndex, "ragId" | "generation">;

/** A generation's files after this id, in order of id. */
export async function countedFiles(
  db: Database,
  { ragId, generation }: Generation,
  after: string,
  limit: number,
): Promise<CountedFile[]> {
  return await allRows(
    db,
    query(
      COUNTED_FILE,
      `select file_id as fileId, revision, status, chunk_count as chunkCount from rag_files
       where rag_id = ?1 and generation = ?2 and file_id > ?3 order by file_id limit ?4`,
      ragId,
      generation,
      after,
      limit,
    ),
  );
}

/**
 * Files that are to be indexed from their start: nothing of what was indexed is believed. What is
 * on its way already is left to its job.
 */
export async function pendAfresh(
  db: Database,
  { ragId, generation }: Generation,
  fileIds: FileId[],
  now: number,
  heldUntil: number,
): Promise<IndexMessage[]> {
  return await allRows(
    db,
    query(
      MESSAGE,
      `${pendAgainSql("?3", "?4")}, fingerprint = null
       where rag_id = ?1 and generation = ?5 and file_id in (select value from json_each(?2))
         and status in ('indexed', 'error')
       returning ${MESSAGE_COLUMNS}`,
      ragId,
      fileIds,
      now,
      heldUntil,
      generation,
    ),
  );
}
