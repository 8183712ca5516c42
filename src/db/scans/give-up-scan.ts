import type { FileSourceId, ScanRunId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { runBatch, sql } from "../sql.ts";

/** Ends a scan whose message failed at every delivery; `runId` null: the run in progress. */
export async function giveUpScan(
  db: Database,
  fileSourceId: FileSourceId,
  of: { runId: ScanRunId | null; reason: string; now: number; nextScanAt: number },
): Promise<void> {
  const { runId, reason, now, nextScanAt } = of;
  const which = sql`(select scan_run_id from file_sources where id = ${fileSourceId}
    and scan_claimed_until < ${now} and (${runId} is null or scan_run_id = ${runId}))`;
  await runBatch(db, [
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
  await runBatch(db, [
    sql`update scan_runs set finished_at = ${now}, progress = null,
        error = 'the configuration was changed'
      where finished_at is null and id = (select scan_run_id from file_sources where id = ${id})`,
    sql`update file_sources set scan_run_id = null, scan_claimed_until = null where id = ${id}`,
  ]);
}
