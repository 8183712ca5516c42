import type { FileSourceId, ScanRunId } from "../../core/ids.ts";
import { fileSources, scanRuns } from "../schema/index.ts";
import type { ScanProgress } from "../schema/sources.ts";
import { columnsOf, pick, notNull, select, rowAsSelect, type Row } from "../select.ts";
import { execute, hasRows, runBatch, sql, readRows, readValues } from "../sql.ts";
import type { Database, Sql } from "../sql.ts";

export type { ScanProgress };

const s = columnsOf(fileSources);
const SCANNED_SOURCE = select({
  ...pick(s, "id", "provider", "config", "sealedSecrets"),
  ...pick(s, "scanIntervalMinutes", "changeCursor", "listedAt", "heldSince"),
  ...pick(s, "permissions", "permissionsSince"),
});

export type ScanRun = {
  id: ScanRunId;
  startedAt: number;
  source: Row<typeof SCANNED_SOURCE>;
  progress: ScanProgress;
};

/** While a run is in progress, marks that another is wanted. `unknown`: there is no such source. */
export async function beginRun(
  db: Database,
  fileSourceId: FileSourceId,
  claim: { runId: ScanRunId; now: number; claimedUntil: number; progress: ScanProgress },
): Promise<ScanRun | "busy" | "unknown"> {
  const { runId, now, claimedUntil, progress } = claim;
  const [[source], , busy] = await runBatch(db, [
    sql`update file_sources set scan_run_id = ${runId}, scan_claimed_until = ${claimedUntil},
        scan_again = 0, next_scan_at = case when scan_interval_minutes > 0
          then ${now} + scan_interval_minutes * 60000 end
      where id = ${fileSourceId} and removed_at is null and scan_run_id is null
      returning ${SCANNED_SOURCE}`,
    sql`insert into scan_runs
      ${rowAsSelect(scanRuns, { id: runId, fileSourceId, startedAt: now, progress })} from file_sources
      where id = ${fileSourceId} and scan_run_id = ${runId}`,
    sql`select 1 from file_sources
      where id = ${fileSourceId} and removed_at is null and scan_run_id <> ${runId}`,
  ]);
  if (source !== undefined) return { id: runId, startedAt: now, source, progress };
  return busy.length > 0 ? "busy" : "unknown";
}

/** False when no run is in progress any more: begin one instead. */
export const scanOnceMore = (db: Database, fileSourceId: FileSourceId) =>
  hasRows(db)`update file_sources set scan_again = 1
    where id = ${fileSourceId} and scan_run_id is not null returning 1`;

const RUN = select(pick(columnsOf(scanRuns), "startedAt", "progress"));

/** Resumes a run; null when it has ended or its source was removed. */
export async function resumeRun(
  db: Database,
  fileSourceId: FileSourceId,
  runId: ScanRunId,
  claimedUntil: number,
): Promise<ScanRun | null> {
  const [[source], [run]] = await runBatch(db, [
    sql`update file_sources set scan_claimed_until = ${claimedUntil}
      where id = ${fileSourceId} and scan_run_id = ${runId} and removed_at is null
      returning ${SCANNED_SOURCE}`,
    sql`select ${RUN} from scan_runs where id = ${runId} and finished_at is null`,
  ]);
  if (source === undefined || run === undefined || run.progress === null) return null;
  return { id: runId, source, startedAt: run.startedAt, progress: run.progress };
}

export const NO_COUNTS = {
  mendedAdded: 0,
  mendedChanged: 0,
  added: 0,
  changed: 0,
  unchanged: 0,
  failed: 0,
  downloadsSaved: 0,
};
export type RunCounts = typeof NO_COUNTS;

/** A condition that is true only within the named commit. */
export const isCommitted = ({ id }: ScanRun, commit: string): Sql =>
  sql`exists (select 1 from scan_runs where id = ${id} and progress ->> '$.commit' = ${commit})`;

/** The first statement of a page's batch; the others have the condition `isCommitted`. */
export const commitStep = (
  run: ScanRun,
  next: ScanProgress,
  counts: RunCounts,
  claimedUntil: number,
): Sql[] => [
  sql`update scan_runs set progress = ${next}, added = added + ${counts.added},
      changed = changed + ${counts.changed}, unchanged = unchanged + ${counts.unchanged},
      failed = failed + ${counts.failed},
      downloads_saved = downloads_saved + ${counts.downloadsSaved},
      mended_added = mended_added + ${counts.mendedAdded},
      mended_changed = mended_changed + ${counts.mendedChanged}
    where id = ${run.id} and finished_at is null
      and progress ->> '$.commit' = ${run.progress.commit} returning 1`,
  sql`update file_sources set scan_claimed_until = ${claimedUntil}
    where id = ${run.source.id} and scan_run_id = ${run.id} and ${isCommitted(run, next.commit)}`,
];

/** False when another worker has advanced the run. */
export async function advance(
  db: Database,
  run: ScanRun,
  next: ScanProgress,
  claimedUntil: number,
): Promise<boolean> {
  const [moved] = await runBatch(db, commitStep(run, next, NO_COUNTS, claimedUntil));
  return (moved ?? []).length > 0;
}

/** Everything is listed after the change feed was followed to its end. */
export const isMending = ({ mode, verify }: ScanProgress) => mode === "full" && verify === true;

export type RunEnd = {
  error: string | null;
  heldRemovals: number;
  /** Null keeps the source's current cursor. */
  changeCursor: string | null;
  /** Everything was listed and compared, ms; null: not in this run; 0: the next run lists it. */
  listedAt: number | null;
  /** An earlier time than the scan interval gives; null for none. */
  nextScanAt: number | null;
  /** Since when runs hold removals back, ms; null: not any more. */
  heldSince: number | null;
};

const ENDED_RUN = select(pick(s, "scanAgain"));

/** Whether another was requested, due at `againBy` (ms); null: the run had ended already. */
export async function endRun(
  db: Database,
  run: ScanRun,
  end: RunEnd,
  { now, againBy }: { now: number; againBy: number },
): Promise<{ scanAgain: boolean } | null> {
  const { error, nextScanAt } = end;
  const [[runs]] = await runBatch(db, [
    sql`update file_sources set scan_run_id = null, scan_claimed_until = null,
        status = ${error === null ? "active" : "error"},
        change_cursor = coalesce(${end.changeCursor}, change_cursor),
        listed_at = coalesce(${end.listedAt}, listed_at), held_since = ${end.heldSince},
        left_out = coalesce(${run.progress.leftOut?.filter(({ about }) => about === undefined)}, left_out),
        next_scan_at = case
          when scan_again = 1 then min(${againBy}, coalesce(next_scan_at, ${againBy}))
          when scan_interval_minutes > 0 and ${nextScanAt} is not null
            then min(${nextScanAt}, coalesce(next_scan_at, ${nextScanAt}))
          else next_scan_at end
      where id = ${run.source.id} and scan_run_id = ${run.id}
      returning ${ENDED_RUN}`,
    sql`update scan_runs set finished_at = ${now}, error = ${error},
        held_removals = ${end.heldRemovals}, progress = null,
        verified = ${isMending(run.progress) && error === null && end.listedAt !== null},
        left_out = coalesce(${run.progress.leftOut}, left_out),
        removed = (select count(*) from files f indexed by files_deleted
          where +f.file_source_id = scan_runs.file_source_id
          and f.deleted_at is not null and f.deleted_at >= scan_runs.started_at)
      where id = ${run.id} and finished_at is null`,
    ...(run.progress.mode === "follow" && error === null ? [countUnchanged(run)] : []),
  ]);
  return runs ?? null;
}

/** A change feed names no unchanged files: their count is the last run's, less the changed ones. */
const countUnchanged = ({ id, source }: ScanRun): Sql =>
  sql`update scan_runs set unchanged = max(0, coalesce((
      select p.added + p.changed + p.unchanged from scan_runs p
      where p.file_source_id = ${source.id} and p.started_at < scan_runs.started_at
        and p.error is null order by p.started_at desc limit 1), 0) - changed - removed)
    where id = ${id}`;

/** Notes how many files a listing lacked that the change feed had not reported as deleted. */
export const noteMendedRemovals = (db: Database, { id }: ScanRun, count: number) =>
  execute(db)`update scan_runs set mended_removed = max(mended_removed, ${count})
    where id = ${id}`;

/** Makes the source's next scan due at `dueAt` or earlier. False: no such source. */
export const advanceNextScan = (db: Database, sourceId: FileSourceId, dueAt: number) =>
  hasRows(db)`update file_sources set next_scan_at = min(coalesce(next_scan_at, ${dueAt}), ${dueAt})
    where id = ${sourceId} and removed_at is null returning 1`;

/** Sources whose scan is due; each is due again at `dueAgainAt` in case its message is lost. */
export const takeDueSources = (db: Database, now: number, dueAgainAt: number) =>
  readValues(db, s.id)`update file_sources set next_scan_at = ${dueAgainAt}
    where next_scan_at <= ${now} and removed_at is null returning id`;

const UNCLAIMED_SCAN = select({ fileSourceId: s.id, runId: notNull(s.scanRunId) });

/** Scans whose worker or message was lost. */
export const takeUnclaimedScans = (db: Database, now: number, claimedUntil: number) =>
  readRows(db)`update file_sources set scan_claimed_until = ${claimedUntil}
    where scan_claimed_until < ${now} and scan_run_id is not null and removed_at is null
    returning ${UNCLAIMED_SCAN}`;

/** Ends a scan whose message failed at every delivery; `runId` null: the run in progress. */
export async function giveUpScan(
  db: Database,
  fileSourceId: FileSourceId,
  failure: { runId: ScanRunId | null; reason: string; now: number; nextScanAt: number },
): Promise<void> {
  const { runId, reason, now, nextScanAt } = failure;
  const which = sql`(select scan_run_id from file_sources where id = ${fileSourceId}
    and scan_claimed_until < ${now} and (${runId} is null or scan_run_id = ${runId}))`;
  await runBatch(db, [
    sql`update file_sources set listed_at = 0 where id = ${fileSourceId}
      and exists (select 1 from scan_runs where id = ${which} and progress ->> '$.mode' = 'full')`,
    sql`update scan_runs set finished_at = ${now}, error = ${reason}, progress = null
      where id = ${which} and finished_at is null`,
    sql`update file_sources set status = 'error', scan_run_id = null, scan_claimed_until = null,
        next_scan_at = case when scan_interval_minutes > 0
          then min(${nextScanAt}, coalesce(next_scan_at, ${nextScanAt})) else next_scan_at end
      where id = ${fileSourceId} and scan_run_id = ${which}`,
  ]);
}

/** Ends the run in progress, if any: its listing is outdated. */
export async function abandonRun(db: Database, id: FileSourceId, now: number): Promise<void> {
  await runBatch(db, abandonmentOfRun(id, now));
}

export const abandonmentOfRun = (id: FileSourceId, now: number) => [
  sql`update scan_runs set finished_at = ${now}, progress = null,
      error = 'the configuration was changed'
    where finished_at is null and id = (select scan_run_id from file_sources where id = ${id})`,
  sql`update file_sources set scan_run_id = null, scan_claimed_until = null where id = ${id}`,
];
