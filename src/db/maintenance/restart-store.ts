import type { RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, row } from "../columns.ts";
import { IN_WORK } from "../files/pending-files.ts";
import { readRows, runBatch, statement } from "../raw-sql.ts";

/** Removals not yet applied to the index; the index `rag_files_leaving` has the same condition. */
const LEAVING = `status = 'deleted' and leased_until > 0`;

/**
 * Ends every claim after a crash that lost the queues' memory. Attempts stay counted: one of the
 * files in progress may have caused the crash.
 */
export async function expireClaims(db: Database): Promise<void> {
  await runBatch(db, [
    statement(
      `update rag_files set claimed_until = 1, leased_until = 1
       where ${IN_WORK} and (claimed_until > 1 or leased_until > 1)`,
    ),
    statement(`update rag_files set leased_until = 1 where ${LEAVING} and leased_until > 1`),
    statement(
      `update file_sources set scan_claimed_until = 1
       where scan_claimed_until is not null and scan_run_id is not null`,
    ),
    statement(
      `update evaluation_runs set lease = null, claimed_until = 1 where status = 'running'`,
    ),
  ]);
}

/** RAGs that are not removed. */
export async function activeRagIds(db: Database): Promise<RagId[]> {
  const rows = await readRows(
    db,
    row({ id: id<RagId>() }),
    `select id from rags where removed_at is null`,
  );
  return rows.map(({ id }) => id);
}
