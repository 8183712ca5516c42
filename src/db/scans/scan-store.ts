import { z } from "zod";

import type { FileSourceId, ScanRunId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { flag, id, json, jsonObject, nullable, number, row, text, type Row } from "../columns.ts";
import { execute, query, runBatch, statement } from "../raw-sql.ts";
import type { Statement } from "../raw-sql.ts";
import { leftOutList } from "./left-out.ts";

/** Empty pages in a row; `mark`: hash of the cursor that the page of the number `markedAt` led to. */
const listingAdvance = z.object({
  pages: z.number(),
  empty: z.number(),
  mark: z.string(),
  markedAt: z.number(),
});

/** The state a scan needs to continue, stored with each page that it commits. */
const scanProgress = z.object({
  mode: z.enum(["full", "follow", "look"]),
  urls: z.array(z.string()).nullable(),
  confirmRemovals: z.boolean(),
  /** Pages committed. */
  step: z.number(),
  /** After the change feed, everything is listed to mend what the feed missed. */
  verify: z.boolean().optional(),
  /**
   * The first page whose notes count: pages before it followed a change feed, or belong to a
   * listing that began anew.
   */
  notesFrom: z.number().optional(),
  /** When the listing began, if the run followed a change feed before it, ms. */
  listedFrom: z.number().optional(),
  cursor: z.string().nullable(),
  /** The cursor is too long for a row and is stored in the bucket. */
  cursorIsStored: z.boolean(),
  /** What shows that the listing ends; absent at its beginning. */
  advance: listingAdvance.optional(),
  leftOut: leftOutList.optional(),
  /** Everything is listed; unlisted files are still to be removed. */
  listed: z.boolean(),
  partial: z.boolean(),
  seenFiles: z.number(),
  /** Failed attempts of the current page. */
  attempts: z.number(),
  changeCursor: z.string().nullable(),
  /** Identifies the commit, so that the other statements of its batch can refer to it. */
  commit: z.string(),
});
export type ScanProgress = z.infer<typeof scanProgress>;

const SCANNED_SOURCE = row({
  id: id<FileSourceId>(),
  provider: text,
  config: jsonObject,
  sealedSecrets: nullable(text),
  scanIntervalMinutes: number,
  changeCursor: nullable(text),
  listedAt: nullable(number),
  heldSince: nullable(number),
});

export type ScanRun = {
  id: ScanRunId;
  startedAt: number;
  source: Row<typeof SCANNED_SOURCE>;
  progress: ScanProgress;
};

const SOURCE = `id, provider, config, sealed_secrets as sealedSecrets,
  scan_interval_minutes as scanIntervalMinutes, change_cursor as changeCursor,
  listed_at as listedAt, held_since as heldSince`;

/**
 * Begins a run unless one is in progress; then the source is marked to be scanned again.
 * `unknown`: there is no such source.
 */
export async function beginRun(
  db: Database,
  fileSourceId: FileSourceId,
  of: { runId: ScanRunId; now: number; claimedUntil: number; progress: ScanProgress },
): Promise<ScanRun | "busy" | "unknown"> {
  const { runId, now, claimedUntil, progress } = of;
  const [[source], , busy] = await runBatch(db, [
    query(
      SCANNED_SOURCE,
      `update file_sources set scan_run_id = ?2, scan_claimed_until = ?3, scan_again = 0,
         next_scan_at = case when scan_interval_minutes > 0
           then ?4 + scan_interval_minutes * 60000 end
       where id = ?1 and removed_at is null and scan_run_id is null returning ${SOURCE}`,
      fileSourceId,
      runId,
      claimedUntil,
      now,
    ),
    statement(
      `insert into scan_runs (id, file_source_id, started_at, progress)
       select ?2, id, ?3, ?4 from file_sources where id = ?1 and scan_run_id = ?2`,
      fileSourceId,
      runId,
      now,
      progress,
    ),
    statement(
      `select 1 from file_sources where id = ?1 and removed_at is null and scan_run_id <> ?2`,
      fileSourceId,
      runId,
    ),
  ]);
  if (source !== undefined) return { id: runId, startedAt: now, source, progress };
  return busy.length > 0 ? "busy" : "unknown";
}

/** False when no run is in progress any more: begin one instead. */
export async function scanOnceMore(db: Database, fileSourceId: FileSourceId): Promise<boolean> {
  const rows = await execute(
    db,
    `update file_sources set scan_again = 1 where id = ?1 and scan_run_id is not null
     returning 1`,
    fileSourceId,
  );
  return rows.length > 0;
}

const UNFINISHED_RUN = row({ startedAt: number, progress: json(scanProgress) });

/** Resumes a run; null when it has ended or its source was removed. */
export async function resumeRun(
  db: Database,
  fileSourceId: FileSourceId,
  runId: ScanRunId,
  claimedUntil: number,
): Promise<ScanRun | null> {
  const [[source], [run]] = await runBatch(db, [
    query(
      SCANNED_SOURCE,
      `update file_sources set scan_claimed_until = ?3
       where id = ?1 and scan_run_id = ?2 and removed_at is null returning ${SOURCE}`,
      fileSourceId,
      runId,
      claimedUntil,
    ),
    query(
      UNFINISHED_RUN,
      `select started_at as startedAt, progress from scan_runs
       where id = ?1 and finished_at is null`,
      runId,
    ),
  ]);
  return source === undefined || run === undefined ? null : { id: runId, source, ...run };
}

export type RunCounts = {
  mendedAdded: number;
  mendedChanged: number;
  added: number;
  changed: number;
  unchanged: number;
  failed: number;
  downloadsSaved: number;
};

export const NO_COUNTS: RunCounts = {
  mendedAdded: 0,
  mendedChanged: 0,
  added: 0,
  changed: 0,
  unchanged: 0,
  failed: 0,
  downloadsSaved: 0,
};

/** A condition that is true only within the named commit; `?1` run, `?2` commit. */
export const COMMITTED = `exists (select 1 from scan_runs
  where id = ?1 and progress ->> '$.commit' = ?2)`;

/**
 * Advances a run by one step, if no other worker has: the first statement of a page's batch. The
 * other statements have the condition `COMMITTED`.
 */
export function commitStep(
  run: ScanRun,
  next: ScanProgress,
  counts: RunCounts,
  claimedUntil: number,
): Statement[] {
  return [
    statement(
      `update scan_runs set progress = ?3, added = added + ?4, changed = changed + ?5,
         unchanged = unchanged + ?6, failed = failed + ?7, downloads_saved = downloads_saved + ?8,
         mended_added = mended_added + ?9, mended_changed = mended_changed + ?10
       where id = ?1 and finished_at is null and progress ->> '$.commit' = ?2 returning 1`,
      run.id,
      run.progress.commit,
      next,
      counts.added,
      counts.changed,
      counts.unchanged,
      counts.failed,
      counts.downloadsSaved,
      counts.mendedAdded,
      counts.mendedChanged,
    ),
    statement(
      `update file_sources set scan_claimed_until = ?3
       where id = ?4 and scan_run_id = ?1 and ${COMMITTED}`,
      run.id,
      next.commit,
      claimedUntil,
      run.source.id,
    ),
  ];
}

/** False when another worker has advanced the run. */
export async function moveOn(
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
  /** Everything was listed and compared, ms; null: not in this run. */
  listedAt: number | null;
  /** An earlier time than the scan interval gives; null for none. */
  nextScanAt: number | null;
  /** Since when runs hold removals back, ms; null: not any more. */
  heldSince: number | null;
};

const ENDED_RUN = row({ scanAgain: flag });

/**
 * Ends a run. Returns whether another was requested meanwhile, which is due at `againBy` (ms) in
 * case its message is lost; null when the run had ended already.
 */
export async function endRun(
  db: Database,
  run: ScanRun,
  end: RunEnd,
  { now, againBy }: { now: number; againBy: number },
): Promise<{ scanAgain: boolean } | null> {
  const [[ended]] = await runBatch(db, [
    query(
      ENDED_RUN,
      `update file_sources set scan_run_id = null, scan_claimed_until = null,
         status = case when ?3 is null then 'active' else 'error' end,
         change_cursor = coalesce(?4, change_cursor), listed_at = coalesce(?7, listed_at),
         held_since = ?8, left_out = coalesce(?9, left_out),
         next_scan_at = case when scan_again = 1 then min(?6, coalesce(next_scan_at, ?6))
           when scan_interval_minutes > 0 and ?5 is not null
           then min(?5, coalesce(next_scan_at, ?5)) else next_scan_at end
       where id = ?1 and scan_run_id = ?2 returning scan_again as scanAgain`,
      run.source.id,
      run.id,
      end.error,
      end.changeCursor,
      end.nextScanAt,
      againBy,
      end.listedAt,
      end.heldSince,
      run.progress.leftOut ?? null,
    ),
    statement(
      `update scan_runs set finished_at = ?2, error = ?3, held_removals = ?4, progress = null,
         verified = ?5, left_out = coalesce(?6, left_out),
         removed = (select count(*) from files f indexed by files_deleted
           where +f.file_source_id = scan_runs.file_source_id
           and f.deleted_at is not null and f.deleted_at >= scan_runs.started_at)
       where id = ?1 and finished_at is null`,
      run.id,
      now,
      end.error,
      end.heldRemovals,
      isMending(run.progress) && end.listedAt !== null,
      run.progress.leftOut ?? null,
    ),
  ]);
  return ended ?? null;
}

/** Notes how many files a listing lacked that the change feed had not reported as deleted. */
export async function noteMendedRemovals(db: Database, run: ScanRun, count: number) {
  const sql = `update scan_runs set mended_removed = max(mended_removed, ?2) where id = ?1`;
  await runBatch(db, [statement(sql, run.id, count)]);
}
