import { filesOfSources, selectRagsOfSources, summed } from "../catalog/source-counts.ts";
import { NEWEST_SCAN } from "../catalog/source-store.ts";
import type { Database } from "../client.ts";
import { nullable, number } from "../columns.ts";
import { files, fileSources, ragFiles, rags, scanRuns } from "../schema/index.ts";
import { columnsOf, computed, optional, pick, select } from "../select.ts";
import { runBatch, sql } from "../sql.ts";
import { FAILING_FILES } from "./needs-store.ts";

const s = columnsOf(fileSources, "s");
const run = columnsOf(scanRuns, "run");
const x = columnsOf(ragFiles, "x");

const FAILING_FILE = select({
  ragIdentifier: columnsOf(rags, "r").identifier,
  filePath: x.path,
  errorMessage: x.errorMessage,
  name: columnsOf(files, "f").name,
});
const FAILING_SOURCE = select({
  ...pick(s, "identifier", "name"),
  error: optional(run.error),
  finishedAt: optional(run.finishedAt),
});
const SCAN = select({ ...pick(s, "identifier", "name"), startedAt: run.startedAt });
const OLDEST = select({ since: computed(nullable(number), "min(x.revision)") });

const sumOf = (expression: string) => computed(number, `coalesce(sum(${expression}), 0)`);
const CALLS = select({
  calls: sumOf("calls"),
  errors: sumOf("errors"),
  degraded: sumOf("degraded"),
});

/** The sums of the last complete verification of each index in use; costs two rows per index. */
const VERIFICATIONS = select({
  indexes: computed(number, "count(*)"),
  compared: computed(number, "count(v.last_verification)"),
  lastEndedAt: computed(nullable(number), "max(v.last_verification ->> 'endedAt')"),
  checked: sumOf("v.last_verification ->> 'checked'"),
  addedAgain: sumOf("v.last_verification ->> 'addedAgain'"),
  removed: sumOf("v.last_verification ->> 'removed'"),
  underWay: computed(number, "count(v.verification)"),
  underWaySince: computed(nullable(number), "min(v.verification ->> 'beganAt')"),
});

const NO_VERIFICATIONS = {
  indexes: 0,
  compared: 0,
  lastEndedAt: null,
  checked: 0,
  addedAgain: 0,
  removed: 0,
  underWay: 0,
  underWaySince: null,
};

/**
 * The data of the panel's first page. `limit` bounds each list, `callsSince` (ms, by the hour) the
 * calls. Counts are the live generations' counters, two rows per RAG; a file counts once.
 */
export async function readOverview(
  db: Database,
  { now, callsSince, limit }: { now: number; callsSince: number; limit: number },
) {
  const [ofRags, failingFiles, failingSources, scans, [oldest], [calls], [verifications]] =
    await runBatch(db, [
      selectRagsOfSources,
      sql`select ${FAILING_FILE} from ${FAILING_FILES} cross join files f on f.id = x.file_id
        where r.removed_at is null order by r.identifier, x.path limit ${limit}`.reading(
        FAILING_FILE,
      ),
      sql`select ${FAILING_SOURCE} from file_sources s ${NEWEST_SCAN}
        where s.removed_at is null and s.status = 'error'
        order by s.identifier limit ${limit}`.reading(FAILING_SOURCE),
      sql`select ${SCAN} from file_sources s join scan_runs run on run.id = s.scan_run_id
        where s.removed_at is null and s.scan_claimed_until > ${now}
        order by run.started_at desc limit ${limit}`.reading(SCAN),
      sql`select ${OLDEST} from rag_files x join rags r on x.rag_id = r.id
          and x.generation = r.generation and r.removed_at is null
        where x.status in ('pending', 'processing') and r.status = 'active'`.reading(OLDEST),
      sql`select ${CALLS} from usage_hours
        where dimension = 'all' and hour >= ${callsSince}`.reading(CALLS),
      sql`select ${VERIFICATIONS} from vector_syncs v join rag_generations g
        on g.rag_id = v.rag_id and g.generation = v.generation
          and g.state <> 'dropped'`.reading(VERIFICATIONS),
    ]);
  const counts = summed((await filesOfSources(db, ofRags)).values());
  // A revision is at least the time in ms at which the change became known.
  const oldestPendingSince = oldest?.since ?? null;
  return {
    counts,
    failingFiles,
    failingSources,
    scans,
    oldestPendingSince,
    calls,
    verifications: verifications ?? NO_VERIFICATIONS,
  };
}
