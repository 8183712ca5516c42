import { eventually } from "./eventually.ts";
import { rowsOf } from "./statements.ts";

/** A scan that was asked for and has not begun is due within a minute. */
const ASKED_MS = 60_000;

const UNSETTLED = `select
  (select count(*) from file_sources where removed_at is null
    and (scan_run_id is not null or next_scan_at <= ?1))
  + (select count(*) from files where file_source_id in
    (select id from file_sources where removed_at is not null))
  + (select count(*) from rags where removed_at is not null)
  + (select count(*) from evaluation_runs where status = 'running')
  + (select count(*) from rag_files x join rag_generations g on g.rag_id = x.rag_id
    and g.generation = x.generation and g.state in ('live', 'building')
    where x.status in ('pending', 'processing')) as count`;

/**
 * Waits until what the tests queued is worked off: a Worker that is stopped in the middle of a
 * batch of messages keeps the run from ending.
 */
export async function queuesSettled(): Promise<void> {
  await eventually(async () => {
    const [row] = await rowsOf<{ count: number }>(UNSETTLED, Date.now() + ASKED_MS);
    if (row?.count !== 0) throw new Error(`${row?.count ?? "?"} pieces of work are left`);
  });
}
