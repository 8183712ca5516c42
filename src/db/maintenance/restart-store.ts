import type { RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { LEAVING } from "../files/file-rows.ts";
import { IN_WORK } from "../files/pending-files.ts";
import { rags } from "../schema/index.ts";
import { columnsOf } from "../select.ts";
import { readValues, runBatch, sql } from "../sql.ts";

/**
 * Ends every claim after a crash that lost the queues' memory. Attempts stay counted: one of the
 * files in progress may have caused the crash.
 */
export async function expireClaims(db: Database): Promise<void> {
  await runBatch(db, [
    sql`update rag_files set claimed_until = 1, leased_until = 1
      where ${IN_WORK} and (claimed_until > 1 or leased_until > 1)`,
    sql`update rag_files set leased_until = 1 where ${LEAVING} and leased_until > 1`,
    sql`update file_sources set scan_claimed_until = 1
      where scan_claimed_until is not null and scan_run_id is not null`,
    sql`update evaluation_runs set lease = null, claimed_until = 1 where status = 'running'`,
  ]);
}

/** RAGs that are not removed. */
export const activeRagIds = (db: Database): Promise<RagId[]> =>
  readValues(db, columnsOf(rags).id)`select id from rags where removed_at is null`;
