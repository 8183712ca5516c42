import type { FileSourceId, ScanRunId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { fileSources } from "../schema/index.ts";
import { columnsOf, select } from "../select.ts";
import { hasRows, readRows, readValues } from "../sql.ts";

const s = columnsOf(fileSources);

/** Makes the source's next scan due at `dueAt` or earlier. False: no such source. */
export const advanceNextScan = (db: Database, sourceId: FileSourceId, dueAt: number) =>
  hasRows(db)`update file_sources set next_scan_at = min(coalesce(next_scan_at, ${dueAt}), ${dueAt})
    where id = ${sourceId} and removed_at is null returning 1`;

/** Sources whose scan is due; each is due again at `dueAgainAt` in case its message is lost. */
export const takeDueSources = (
  db: Database,
  now: number,
  dueAgainAt: number,
): Promise<FileSourceId[]> =>
  readValues(db, s.id)`update file_sources set next_scan_at = ${dueAgainAt}
    where next_scan_at <= ${now} and removed_at is null returning id`;

type UnclaimedScan = { fileSourceId: FileSourceId; runId: ScanRunId };

const UNCLAIMED_SCAN = select({ fileSourceId: s.id, runId: s.scanRunId });

/** Scans whose worker or message was lost. */
export async function takeUnclaimedScans(
  db: Database,
  now: number,
  claimedUntil: number,
): Promise<UnclaimedScan[]> {
  const found = await readRows(db, UNCLAIMED_SCAN)`update file_sources
    set scan_claimed_until = ${claimedUntil}
    where scan_claimed_until < ${now} and scan_run_id is not null and removed_at is null
    returning ${UNCLAIMED_SCAN}`;
  return found.flatMap(({ fileSourceId, runId }) =>
    runId === null ? [] : [{ fileSourceId, runId }],
  );
}
