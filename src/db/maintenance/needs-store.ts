import { filesOfSources, selectRagsOfSources, summed } from "../catalog/source-counts.ts";
import { NEWEST_SCAN } from "../catalog/source-store.ts";
import type { Database } from "../client.ts";
import { number } from "../columns.ts";
import { fileSources, ragFiles, scanRuns } from "../schema/index.ts";
import { columnsOf, computed, optional, pick, select, type Row } from "../select.ts";
import { raw, runBatch, sql } from "../sql.ts";

const s = columnsOf(fileSources, "s");
const run = columnsOf(scanRuns, "run");
const x = columnsOf(ragFiles, "x");

/** Joins the failing files `x` of the live generations of RAGs `r` that have some. */
export const FAILING_FILES = raw(`rags r
  cross join rag_generations g on g.rag_id = r.id and g.generation = r.generation
    and g.error_files > 0
  cross join rag_files x on x.rag_id = r.id and x.generation = r.generation
    and x.status = 'error'`);

const FAILING_FILE = select({
  sourceIdentifier: s.identifier,
  filePath: x.path,
  errorMessage: x.errorMessage,
});

const FAILING_SOURCE = select({
  ...pick(s, "identifier", "name", "provider", "config", "status", "leftOut"),
  error: optional(run.error),
  heldRemovals: computed(number, "coalesce(run.held_removals, 0)"),
});

const SCAN = select(pick(s, "identifier"));

/** What needs somebody, and what is under way. */
export type Needs = {
  /** Files by status, each once, however many RAGs index it. */
  counts: ReturnType<typeof summed>;
  /** The number of failing files. */
  failing: number;
  failingFiles: Row<typeof FAILING_FILE>[];
  /** Sources that are not read, whose removals wait, or of which limits leave something out. */
  failingSources: Row<typeof FAILING_SOURCE>[];
  scans: Row<typeof SCAN>[];
};

/**
 * At the cost of two rows for each RAG and source; `limit` bounds each list. Failing files are read
 * from the index of statuses, in RAGs whose counters say that there are any.
 */
export async function readNeeds(
  db: Database,
  { now, limit }: { now: number; limit: number },
): Promise<Needs> {
  const [rags, failingFiles, failingSources, scans] = await runBatch(db, [
    selectRagsOfSources,
    sql`select distinct ${FAILING_FILE} from ${FAILING_FILES}
      cross join file_sources s on s.id = r.file_source_id
      where r.removed_at is null limit ${limit}`.reading(FAILING_FILE),
    sql`select ${FAILING_SOURCE} from file_sources s ${NEWEST_SCAN}
      where s.removed_at is null and (s.status = 'error' or run.held_removals > 0 or s.left_out <> '[]')
      order by s.identifier limit ${limit}`.reading(FAILING_SOURCE),
    sql`select ${SCAN} from file_sources s
      where s.removed_at is null and s.scan_claimed_until > ${now} limit ${limit}`.reading(SCAN),
  ]);
  const files = await filesOfSources(db, rags);
  const counts = summed(files.values());
  const listed = new Set(failingFiles.map((one) => `${one.sourceIdentifier} ${one.filePath}`));
  const failing = failingFiles.length === limit ? counts.error : listed.size;
  return { counts, failing, failingFiles, failingSources, scans };
}
