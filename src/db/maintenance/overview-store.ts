import { filesOfSources, selectRagsOfSources, sumCounts } from "../catalog/source-counts.ts";
import { isOpenTo, NEWEST_SCAN } from "../catalog/source-store.ts";
import { r, s } from "../records.ts";
import { eventEndpoints, files, ragFiles, scanRuns } from "../schema/index.ts";
import { number, flag, text, columnsOf, orNull, pick, select, type Row } from "../select.ts";
import { hasRows, runBatch, sql, raw, readRows, onlyRow, type Database } from "../sql.ts";

const run = columnsOf(scanRuns, "run");
const x = columnsOf(ragFiles, "x");

const FAILING_FILE = select({
  ragIdentifier: r.identifier,
  filePath: x.path,
  errorMessage: x.errorMessage,
  name: columnsOf(files, "f").name,
});
const FAILING_SOURCE = select({
  ...pick(s, "identifier", "name"),
  error: orNull(run.error),
  finishedAt: orNull(run.finishedAt),
});
const SCAN = select({ ...pick(s, "identifier", "name"), startedAt: run.startedAt });
const scansUnderWay = ({ now, limit, mayReadAll }: Look) =>
  sql`select ${SCAN} from file_sources s join scan_runs run on run.id = s.scan_run_id
    where s.removed_at is null and ${isOpenTo(mayReadAll)} and s.scan_claimed_until > ${now}
    order by run.started_at desc limit ${limit}`;

const WAITING = select({
  ...pick(s, "identifier", "name"),
  errorMessage: text("w.error_message"),
});
/** Files that a look at what waits reads, many of which may be new. */
const WAITING_READ = 500;

type Look = {
  now: number;
  /** Bounds each list. */
  limit: number;
  /** False: sources with permissions are left out. */
  mayReadAll: boolean;
  /** Why nothing can be stored, the reasons of files included; null: there is room. */
  problem: string | null;
};

/** The sources with files that wait to be tried again, each with the reason of a last try. */
const waitingFiles = ({ limit, mayReadAll, problem }: Look) =>
  sql`select ${WAITING} from (
      select max(coalesce(${problem}, x.error_message)) error_message, x.file_source_id from (
        select x.error_message, r.file_source_id from rags r
        cross join rag_generations g on g.rag_id = r.id and g.generation = r.generation
          and g.pending_files > 0
        cross join rag_files x on x.rag_id = r.id and x.generation = r.generation
          and x.status = 'pending'
        where r.removed_at is null limit ${WAITING_READ}) x group by x.file_source_id) w
      cross join file_sources s on s.id = w.file_source_id
      where w.error_message is not null and ${isOpenTo(mayReadAll)}
      order by s.identifier limit ${limit}`;

const OLDEST = select({ since: orNull(number("min(x.revision)")) });

const sumOf = (expression: string) => number(`coalesce(sum(${expression}), 0)`);
const CALLS = select({
  calls: sumOf("calls"),
  errors: sumOf("errors"),
  degraded: sumOf("degraded"),
});

/** The sums of the last complete verification of each index in use; costs two rows per index. */
const VERIFICATIONS = select({
  indexes: number("count(*)"),
  compared: number("count(v.last_verification)"),
  lastEndedAt: orNull(number("max(v.last_verification ->> 'endedAt')")),
  checked: sumOf("v.last_verification ->> 'checked'"),
  addedAgain: sumOf("v.last_verification ->> 'addedAgain'"),
  removed: sumOf("v.last_verification ->> 'removed'"),
  underWay: number("count(v.verification)"),
  underWaySince: orNull(number("min(v.verification ->> 'beganAt')")),
});

/**
 * The status of the service. `callsSince` (ms, by the hour) bounds the calls. Counts are the live
 * generations' counters, three rows per RAG; a file counts once.
 */
export async function readOverview(db: Database, look: Look & { callsSince: number }) {
  const { limit, mayReadAll, callsSince } = look;
  const [ofRags, failingFiles, waitingSources, failingSources, scans, oldest, calls, checks] =
    await runBatch(db, [
      selectRagsOfSources(isOpenTo(mayReadAll)),
      sql`select ${FAILING_FILE} from ${FAILING_FILES} cross join files f on f.id = x.file_id
          cross join file_sources s on s.id = r.file_source_id
        where r.removed_at is null and ${isOpenTo(mayReadAll)} order by r.identifier, x.path limit ${limit}`,
      waitingFiles(look),
      sql`select ${FAILING_SOURCE} from file_sources s ${NEWEST_SCAN}
        where s.removed_at is null and ${isOpenTo(mayReadAll)} and s.status = 'error'
        order by s.identifier limit ${limit}`,
      scansUnderWay(look),
      sql`select ${OLDEST} from rag_files x join rags r on x.rag_id = r.id
          and x.generation = r.generation and r.removed_at is null
        where x.status in ('pending', 'processing') and r.status = 'active'`,
      sql`select ${CALLS} from usage_hours
        where dimension = 'all' and hour >= ${callsSince}`,
      sql`select ${VERIFICATIONS} from vector_syncs v join rag_generations g
        on g.rag_id = v.rag_id and g.generation = v.generation
          and g.state <> 'dropped'`,
    ]);
  const counts = sumCounts((await filesOfSources(db, ofRags)).values());
  return {
    counts,
    passages: ofRags.reduce((sum, rag) => sum + rag.passages, 0),
    failingFiles,
    waitingSources,
    failingSources,
    scans,
    // A revision is at least the time in ms at which the change became known.
    oldestPendingSince: onlyRow(oldest).since,
    calls: onlyRow(calls),
    verifications: onlyRow(checks),
  };
}

export const pingDatabase = (db: Database) => hasRows(db)`select 1`;

/** Joins the failing files `x` of the live generations of RAGs `r` that have some. */
const FAILING_FILES = raw(`rags r
  cross join rag_generations g on g.rag_id = r.id and g.generation = r.generation
    and g.error_files > 0
  cross join rag_files x on x.rag_id = r.id and x.generation = r.generation
    and x.status = 'error'`);

const FAILED_FILE = select({
  sourceIdentifier: s.identifier,
  sourceName: s.name,
  filePath: x.path,
  errorMessage: x.errorMessage,
});

/** Sources that are not read, hold removals, leave files out, or have files nobody can read. */
const SOURCE_IN_NEED = select({
  ...pick(s, "identifier", "name", "provider", "config", "status", "leftOut"),
  access: s.access,
  error: orNull(run.error),
  heldRemovals: number("coalesce(run.held_removals, 0)"),
});

/** Indexes that are rebuilt next to the live ones, such as after an upgrade. */
const BUILDS = select({
  indexes: number("count(*)"),
  filesDone: sumOf("b.indexed_files + b.error_files"),
  files: sumOf("g.pending_files + g.processing_files + g.indexed_files + g.error_files"),
});

/** An endpoint that its failures have disabled. */
const ENDED_ENDPOINT = select(pick(columnsOf(eventEndpoints), "id", "url"));

/**
 * Lists problems for a person, and work under way. Costs four rows a RAG and two a source. Failing
 * files are read by status.
 */
export async function readNeeds(db: Database, look: Look) {
  const { limit, mayReadAll, problem } = look;
  const [rags, failingFiles, waiting, failingSources, scans, builds, endpoints] = await runBatch(
    db,
    [
      selectRagsOfSources(isOpenTo(mayReadAll)),
      sql`select distinct ${FAILED_FILE} from ${FAILING_FILES}
      cross join file_sources s on s.id = r.file_source_id
      where r.removed_at is null and ${isOpenTo(mayReadAll)}
      limit ${limit}`,
      waitingFiles(look),
      sql`select ${SOURCE_IN_NEED} from file_sources s ${NEWEST_SCAN}
      where s.removed_at is null and ${isOpenTo(mayReadAll)} and (s.status = 'error' or run.held_removals > 0
        or s.left_out <> '[]' or (s.permissions = 'on' and s.access ->> 'nobody' > 0))
      order by s.identifier limit ${limit}`,
      scansUnderWay(look),
      sql`select ${BUILDS} from rags r
      cross join rag_generations b on b.rag_id = r.id and b.state = 'building'
      cross join rag_generations g on g.rag_id = r.id and g.generation = r.generation
      cross join file_sources s on s.id = r.file_source_id
      where r.removed_at is null and ${isOpenTo(mayReadAll)}`,
      sql`select ${ENDED_ENDPOINT} from event_endpoints
      where not enabled and failing_since is not null and ${mayReadAll}`,
    ],
  );
  /** Files by status, each once, however many RAGs index it. */
  const counts = sumCounts((await filesOfSources(db, rags)).values());
  const paths = new Set(failingFiles.map((file) => `${file.sourceIdentifier} ${file.filePath}`));
  const failing = failingFiles.length === limit ? counts.error : paths.size;
  const work = { waiting, failingSources, scans, builds: onlyRow(builds), endpoints, problem };
  return { counts, failing, failingFiles, ...work };
}
export type Needs = Awaited<ReturnType<typeof readNeeds>>;

const newestIdentifier = (table: string, where: string) =>
  orNull(text(`(select identifier from ${table} where ${where} order by id desc limit 1)`));
const hasRow = (rows: string) => flag(`exists (select 1 from ${rows} limit 1)`);

const STEPS = select({
  /** Identifiers of the newest of each; null: there is none. */
  source: newestIdentifier("file_sources", "removed_at is null"),
  rag: newestIdentifier("rags", "removed_at is null"),
  inference: newestIdentifier("inferences", "1"),
  hasFiles: hasRow("files"),
  isIndexing: hasRow(
    "rag_generations where state = 'live' and pending_files + processing_files > 0",
  ),
  hasToken: hasRow("tokens"),
  hasCalls: hasRow("usage_hours where dimension = 'all' and calls > 0"),
});
export type Steps = Row<typeof STEPS>;

/** How far a service is set up: one row of each table. */
export const readSteps = async (db: Database): Promise<Steps> =>
  onlyRow(await readRows(db)`select ${STEPS}`);
