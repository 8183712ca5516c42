import type { FileSourceId, ScanRunId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { runBatch, statement } from "../raw-sql.ts";

/** Ends a scan whose message failed at every delivery; `runId` null: the run in progress. */
export async function giveUpScan(
  db: Database,
  fileSourceId: FileSourceId,
  of: { runId: ScanRunId | null; reason: string; now: number; nextScanAt: number },
): Promise<void> {
  const which = `(select scan_run_id from file_sources where id = ?1 and scan_claimed_until < ?4
    and (?2 is null or scan_run_id = ?2))`;
  await runBatch(db, [
    statement(
      `update scan_runs set finished_at = ?4, error = ?3, progress = null
       where id = ${which} and finished_at is null`,
      fileSourceId,
      of.runId,
      of.reason,
      of.now,
    ),
    statement(
      `update file_sources set status = 'error', scan_run_id = null, scan_claimed_until = null,
         next_scan_at = case when scan_interval_minutes > 0 then min(?5, coalesce(next_scan_at, ?5))
           else next_scan_at end
       where id = ?1 and scan_run_id = ${which} and ?3 is not null`,
      fileSourceId,
      of.runId,
      of.reason,
      of.now,
      of.nextScanAt,
    ),
  ]);
}

/** Ends the run in progress, if any: its listing is outdated. */
export async function abandonRun(db: Database, id: FileSourceId, now: number): Promise<void> {
  await runBatch(db, [
    statement(
      `update scan_runs set finished_at = ?2, progress = null,
         error = 'the configuration was changed'
       where finished_at is null and id = (select scan_run_id from file_sources where id = ?1)`,
      id,
      now,
    ),
    statement(
      `update file_sources set scan_run_id = null, scan_claimed_until = null where id = ?1`,
      id,
    ),
  ]);
}
