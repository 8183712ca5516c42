import { DAY_MS, HOUR_MS } from "../../core/clock.ts";
import type { FileId, FileSourceId, RagId, ScanRunId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { CRASHED, LEFT } from "../files/attempts.ts";
import { runBatch, runOne, statement } from "../raw-sql.ts";

/** Files that are to be worked on; the index `rag_files_held` is written the same way. */
const HELD = `status in ('pending', 'processing')`;
/** Removals that the index does not know yet; `rag_files_leaving` is written the same way. */
const LEAVING = `status = 'deleted' and held_until > 0`;

/**
 * Files that nobody holds any more: the oldest of each RAG, and in turns of the RAGs, so that
 * what waits in one keeps no other's from being found. Nobody works on a paused RAG: there only
 * what a worker left is set right.
 */
const UNHELD = `select one.value from rags r, json_each(case r.status when 'active' then
    (select json_group_array(id) from (select x.rowid as id from rag_files x
      where x.rag_id = r.id and x.${HELD} and x.held_until < ?1 order by x.held_until limit ?3))
    else (select json_group_array(id) from (select x.rowid as id from rag_files x
      where x.rag_id = r.id and x.status = 'processing' and x.held_until < ?1 limit ?3)) end) one
  where r.removed_at is null order by one.key limit ?3`;

/**
 * Files whose worker or message was lost: they wait again, and are to be queued. What used up its
 * tries without an end (its worker dies each time) is given up.
 */
export async function takeUnheldFiles(
  db: Database,
  of: { now: number; heldUntil: number; limit: number; maxTries: number; reason: string },
): Promise<IndexMessage[]> {
  const rows = await runOne<IndexMessage & { status: string; active: number }>(
    db,
    statement(
      `update rag_files set
         lease_id = case when (${LEFT} or lease_id = '${CRASHED}') and attempts < ?4
           then '${CRASHED}' end,
         status = case when attempts >= ?4 then 'error' else 'pending' end,
         error_message = case when attempts >= ?4 then ?5 else null end,
         error_is_outside = attempts >= ?4,
         held_until = case when attempts >= ?4 then 0 else ?2 end
       where rowid in (${UNHELD})
       returning rag_id as ragId, file_id as fileId, revision, status,
         exists (select 1 from rags r where r.id = rag_files.rag_id and r.status = 'active'
           and r.removed_at is null) as active`,
      of.now,
      of.heldUntil,
      of.limit,
      of.maxTries,
      of.reason,
    ),
  );
  const wanted = rows.filter(({ status, active }) => status === "pending" && active === 1);
  return wanted.map(({ ragId, fileId, revision }) => ({ ragId, fileId, revision }));
}

/** Sources whose scan is due; each is put off until `heldUntil`, when it would be due again. */
export async function takeDueSources(
  db: Database,
  now: number,
  heldUntil: number,
): Promise<FileSourceId[]> {
  const rows = await runOne<{ id: FileSourceId }>(
    db,
    statement(
      `update file_sources set next_scan_at = ?2
       where next_scan_at <= ?1 and removed_at is null returning id`,
      now,
      heldUntil,
    ),
  );
  return rows.map(({ id }) => id);
}

/** Scans whose worker or message was lost. */
export async function takeUnheldScans(
  db: Database,
  now: number,
  heldUntil: number,
): Promise<{ fileSourceId: FileSourceId; runId: ScanRunId }[]> {
  return await runOne(
    db,
    statement(
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
    statement(`select id from rags where removed_at < ?1`, before),
    statement(`select id from file_sources where removed_at < ?1`, before),
  ]);
  return {
    rags: (rags as { id: RagId }[]).map(({ id }) => id),
    sources: (sources as { id: FileSourceId }[]).map(({ id }) => id),
  };
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

/** Nobody holds anything any more: after a crash that took the queues' memory with it. */
export async function voidHolds(db: Database): Promise<void> {
  await runBatch(db, [
    statement(
      `update rag_files set held_until = 1, attempts = min(attempts, 1)
       where ${HELD} and held_until > 1`,
    ),
    statement(`update rag_files set held_until = 1 where ${LEAVING} and held_until > 1`),
    statement(
      `update generation_files set held_until = 1, attempts = min(attempts, 1)
       where state in ('pending', 'processing')`,
    ),
    statement(
      `update file_sources set scan_held_until = 1
       where scan_held_until is not null and scan_run_id is not null`,
    ),
  ]);
}

/** A RAG's index as D1 counts it, for the comparison with what is stored. */
export type CountedIndex = {
  ragId: RagId;
  generation: number;
  shards: number;
  numberVectors: number;
};

/** `limit` RAGs with no work under way; `turn` counts up, so that all have theirs in time. */
export async function quietIndexes(
  db: Database,
  turn: number,
  limit: number,
): Promise<CountedIndex[]> {
  return await runOne(
    db,
    statement(
      `select r.id as ragId, r.generation, r.number_vectors as numberVectors, g.shards
       from rags r join rag_generations g on g.rag_id = r.id and g.generation = r.generation
       where r.removed_at is null and r.pending_files = 0 and r.processing_files = 0
         and g.moved_after is null
       order by r.id limit ?2
       offset (?1 * ?2) % max(1, (select count(*) from rags where removed_at is null))`,
      turn,
      limit,
    ),
  );
}

export type CountedFile = { fileId: FileId; revision: number; status: string; chunkCount: number };

/** A RAG's files after this id, in order of id. */
export async function countedFiles(
  db: Database,
  ragId: RagId,
  after: string,
  limit: number,
): Promise<CountedFile[]> {
  return await runOne(
    db,
    statement(
      `select file_id as fileId, revision, status, chunk_count as chunkCount from rag_files
       where rag_id = ?1 and file_id > ?2 order by file_id limit ?3`,
      ragId,
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
  ragId: RagId,
  fileIds: FileId[],
  now: number,
  heldUntil: number,
): Promise<IndexMessage[]> {
  return await runOne(
    db,
    statement(
      `update rag_files set status = 'pending', revision = max(revision + 1, ?3), attempts = 0,
         error_message = null, error_is_outside = 0, indexed_sha256 = null, lease_id = null,
         held_until = ?4
       where rag_id = ?1 and file_id in (select value from json_each(?2))
         and status in ('indexed', 'error')
       returning rag_id as ragId, file_id as fileId, revision`,
      ragId,
      fileIds,
      now,
      heldUntil,
    ),
  );
}
