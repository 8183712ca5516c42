import type { FileSourceId, ScanRunId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, row, type Row } from "../columns.ts";
import { execute, readRows } from "../raw-sql.ts";

/** Makes the source's next scan due at `dueAt` or earlier. False: no such source. */
export async function advanceNextScan(
  db: Database,
  sourceId: FileSourceId,
  dueAt: number,
): Promise<boolean> {
  const rows = await execute(
    db,
    `update file_sources set next_scan_at = min(coalesce(next_scan_at, ?2), ?2)
     where id = ?1 and removed_at is null returning 1`,
    sourceId,
    dueAt,
  );
  return rows.length > 0;
}

/** Sources whose scan is due; each is due again at `dueAgainAt` in case its message is lost. */
export async function takeDueSources(
  db: Database,
  now: number,
  dueAgainAt: number,
): Promise<FileSourceId[]> {
  const rows = await readRows(
    db,
    row({ id: id<FileSourceId>() }),
    `update file_sources set next_scan_at = ?2
     where next_scan_at <= ?1 and removed_at is null returning id`,
    now,
    dueAgainAt,
  );
  return rows.map(({ id }) => id);
}

const UNCLAIMED_SCAN = row({ fileSourceId: id<FileSourceId>(), runId: id<ScanRunId>() });

/** Scans whose worker or message was lost. */
export async function takeUnclaimedScans(
  db: Database,
  now: number,
  claimedUntil: number,
): Promise<Row<typeof UNCLAIMED_SCAN>[]> {
  return await readRows(
    db,
    UNCLAIMED_SCAN,
    `update file_sources set scan_claimed_until = ?2
     where scan_claimed_until < ?1 and scan_run_id is not null and removed_at is null
     returning id as fileSourceId, scan_run_id as runId`,
    now,
    claimedUntil,
  );
}
