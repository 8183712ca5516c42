import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { IndexMessage } from "../../core/queue-messages.ts";
import { counterWritesInRags } from "../files/counter-writes.ts";
import { HOLDS, isOpen, queueSql, type PendTimes } from "../files/file-rows.ts";
import { recordReadersSql, type Audience, type RecordedFile } from "../files/reader-store.ts";
import { markLeavingSql, type Removal, type RemovalTimes } from "../files/removal-store.ts";
import { countRows } from "../page.ts";
import { files } from "../schema/index.ts";
import { NEW_CONTENT_ID, type ScanProblem, type ScanProgress } from "../schema/sources.ts";
import { columnsOf, namedColumns, pick, select, type Row } from "../select.ts";
import { raw, readRows, runBatch, sql, readValues, portionsOf } from "../sql.ts";
import type { Database, Sql } from "../sql.ts";
import { commitStep, isCommitted, type RunCounts, type ScanRun } from "./scan-store.ts";

const f = columnsOf(files, "f");

/** A file of a source as last listed. */
const KNOWN_FILE = select({
  ...pick(f, "id", "path", "externalId", "url", "name", "size", "mimeType", "version"),
  ...pick(f, "metadata", "modifiedAt", "sourceState", "deletedAt"),
  ...pick(f, "audience", "readersRevision"),
});
export type KnownRow = Row<typeof KNOWN_FILE>;

/** Finds by path, and where none matches by external id: an unchanged file costs two rows read. */
export async function findKnownFiles(
  db: Database,
  sourceId: FileSourceId,
  files: Pick<KnownRow, "path" | "externalId">[],
): Promise<KnownRow[]> {
  const paths = [...new Set(files.map(({ path }) => path))];
  const rows = await findKnownBy(db, f.path.sql, sourceId, paths);
  const idAt = new Map(rows.map(({ path, externalId }) => [path, externalId]));
  const elsewhere = files.flatMap(({ path, externalId }) =>
    externalId === null || idAt.get(path) === externalId ? [] : [externalId],
  );
  if (elsewhere.length === 0) return rows;
  const moved = await findKnownBy(db, f.externalId.sql, sourceId, elsewhere);
  return [...new Map([...rows, ...moved].map((row) => [row.id, row])).values()];
}

/** `cross join` makes the list the outer loop; else it is read once for each file. */
async function findKnownBy(db: Database, column: Sql, sourceId: FileSourceId, values: string[]) {
  if (values.length === 0) return [];
  return await readRows(db)`select ${KNOWN_FILE} from json_each(${values}) m
    cross join files f on f.file_source_id = ${sourceId} and ${column} = m.value`;
}

/** A file as a page of a listing writes it. */
export type ListedWrite = Omit<
  KnownRow,
  "deletedAt" | "modifiedAt" | "audience" | "readersRevision"
> & {
  /** Null: now. */
  modifiedAt: number | null;
};

export type PageWrites = {
  writes: ListedWrite[];
  /** Files whose path changes: all old paths are cleared before the new ones are written. */
  moved: FileId[];
  states: { id: FileId; sourceState: Record<string, unknown> | null }[];
  failures: { id: FileId; message: string; outside: boolean }[];
  /** Files whose readers changed. */
  readers: RecordedFile[];
  /** At least the audiences of these. */
  audiences: Audience[];
};

/** Files, their rows, counts and progress, all or nothing. Null: another worker has done it. */
export async function commitPage(
  db: Database,
  run: ScanRun,
  page: { next: ScanProgress; counts: RunCounts; problems: ScanProblem[]; writes: PageWrites },
  times: PendTimes & RemovalTimes & { leasedUntil: number },
): Promise<{ messages: IndexMessage[]; removals: Removal[] } | null> {
  const { next, counts, problems, writes } = page;
  const commits = [
    ...commitStep(run, next, counts, times.leasedUntil),
    ...addProblems(run, next.commit, problems),
  ];
  const changes = writeStatements(run, next.commit, writes, times);
  const changed = [...writes.writes, ...writes.failures].map((file) => file.id);
  const counting = counterWritesInRags(run.source.id, changed);
  const results = await runBatch(db, [...commits, ...changes], counting);
  if ((results[0] ?? []).length === 0) return null;
  if (writes.writes.length === 0) return { messages: [], removals: [] };
  const failed = new Set(writes.failures.map(({ id }) => id));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `writeStatements` ends
  const [pended, removals] = results.slice(-3) as [IndexMessage[], Removal[]];
  return { messages: pended.filter(({ fileId }) => !failed.has(fileId)), removals };
}

function writeStatements(
  run: ScanRun,
  commit: string,
  { writes, moved, states, failures, readers, audiences }: PageWrites,
  times: PendTimes & RemovalTimes,
): Sql[] {
  const { now } = times;
  const committed = isCommitted(run, commit);
  const statements: Sql[] = [];
  const at = Math.max(now, run.source.permissionsSince);
  const parts = { audiences, files: readers };
  const recorded = recordReadersSql(run.source.id, parts, { now: at, when: committed });
  if (states.length > 0) {
    statements.push(
      sql`update files set source_state = m.value ->> 'sourceState' from json_each(${states}) m
        where files.id = m.value ->> 'id' and ${committed}`,
    );
  }
  if (writes.length === 0) return [...statements, ...recorded];
  const ofWrites = sql`json_each(${writes.map(({ id }) => id)}) m`;
  if (moved.length > 0) statements.push(...freePaths(run, committed, writes, moved));
  statements.push(
    ...portionsOf(writes).map((some) => writeFiles(run, committed, some, now)),
    ...recorded,
    queueSql(
      sql`${ofWrites} cross join files f on f.id = m.value
        cross join rags r on r.file_source_id = f.file_source_id`,
      committed,
      times,
    ),
    markLeavingSql(
      sql`${ofWrites} cross join rag_files rf on rf.file_id = m.value
          cross join files f on f.id = rf.file_id cross join rags r on r.id = rf.rag_id
        where not ${HOLDS} and ${committed}`,
      times,
    ),
    sql`update rag_files set status = 'error', claimed_until = 0, leased_until = ${now},
        error_message = m.value ->> 'message', error_code = 'source',
        error_is_outside = m.value ->> 'outside'
      from json_each(${failures}) m
      where rag_files.file_id = m.value ->> 'id' and rag_files.status = 'pending' and ${isOpen()}
        and ${committed}`,
  );
  return statements;
}

const KEPT = ["id", "size"] as const;
const REPLACED = [
  ...(["path", "externalId", "url", "name", "mimeType", "version"] as const),
  ...(["metadata", "sourceState"] as const),
] as const;
const WRITTEN = namedColumns(files, ...KEPT, ...REPLACED);

const writeFiles = (run: ScanRun, committed: Sql, some: ListedWrite[], now: number): Sql =>
  sql`insert into files (${WRITTEN.columns}, modified_at, file_source_id, created_at)
    select ${WRITTEN.values}, coalesce(m.value ->> 'modifiedAt', ${now}), ${run.source.id}, ${now}
    from json_each(${some}) m where ${committed}
    on conflict (id) do update set ${namedColumns(files, ...REPLACED).excluded},
      modified_at = excluded.modified_at,
      size = case when version = excluded.version then size else excluded.size end,
      sha256 = case when version = excluded.version and deleted_at is null then sha256 end,
      content_id = case when version = excluded.version and deleted_at is null
        and name = excluded.name and mime_type = excluded.mime_type then content_id
        else ${raw(NEW_CONTENT_ID)} end,
      created_at = case when deleted_at is null then created_at else excluded.created_at end,
      deleted_at = null`;

/** Two files may swap their paths, or one may take the path of another that moves away. */
function freePaths(run: ScanRun, committed: Sql, writes: ListedWrite[], moved: FileId[]): Sql[] {
  const targets = writes.filter(({ id }) => moved.includes(id)).map(({ path }) => path);
  const freed = sql`update files set path = path || ' (' || id || ')'`;
  return [
    sql`${freed} where id in (select value from json_each(${moved})) and ${committed}`,
    sql`${freed} where file_source_id = ${run.source.id}
      and path in (select value from json_each(${targets})) and ${committed}`,
  ];
}

/** A source's files that are not deleted, or the pushed ones of them, in order of path. */
export const filesAfter = (
  db: Database,
  sourceId: FileSourceId,
  { after, limit, isPushed = false }: { after: string | null; limit: number; isPushed?: boolean },
) =>
  readRows(db)`select ${KNOWN_FILE} from files f
    where f.file_source_id = ${sourceId} and f.path > ${after ?? ""} and f.deleted_at is null
      and (not ${isPushed} or f.source_state ->> '$.pushed')
    order by f.path limit ${limit}`;

const FILE = select(pick(columnsOf(files), "id", "path"));

/** Files that a source had before a time (ms), in order of path, page by page. */
export const liveFileIds = (
  db: Database,
  page: { sourceId: FileSourceId; before: number; after: string; limit: number },
) =>
  readRows(db)`select ${FILE} from files
    where file_source_id = ${page.sourceId} and path > ${page.after} and deleted_at is null
      and created_at <= ${page.before} order by path limit ${page.limit}`;

/** The ids of live files that a source names: by external id or, where a file has none, by path. */
export const idsOfNamed = (
  db: Database,
  sourceId: FileSourceId,
  names: { externalId: string; path: string }[],
): Promise<FileId[]> => {
  const ids = sql`select f.id from json_each(${names}) m cross join files f
    on f.file_source_id = ${sourceId} and f.deleted_at is null`;
  return readValues(db, columnsOf(files).id)`
    ${ids} and f.path = m.value ->> 'path' and f.external_id is null
    union ${ids} and f.external_id = m.value ->> 'externalId'`;
};

/** Those that were there before a time, ms. */
export const countLiveFiles = (db: Database, sourceId: FileSourceId, before: number) =>
  countRows(
    db,
    sql`from files where file_source_id = ${sourceId} and deleted_at is null
      and created_at < ${before}`,
  );

/** Problems that are kept of a run; its count `failed` includes all. */
const PROBLEMS_KEPT = 20;
const MAX_CHARACTERS = 500;

export async function noteProblem(db: Database, run: ScanRun, problem: ScanProblem) {
  await runBatch(db, addProblems(run, run.progress.commit, [problem]));
}

/** Adds to a run's list of files and addresses that it could not read. */
function addProblems(run: ScanRun, commit: string, problems: ScanProblem[]): Sql[] {
  if (problems.length === 0) return [];
  const firstProblems = problems.slice(0, PROBLEMS_KEPT).map(({ path, message }) => ({
    path: path.slice(0, MAX_CHARACTERS),
    message: message.slice(0, MAX_CHARACTERS),
  }));
  return [
    sql`update scan_runs set problems = (select json_group_array(json(value)) from (
        select value from json_each(scan_runs.problems) union all
        select value from json_each(${firstProblems}) limit ${PROBLEMS_KEPT}))
      where id = ${run.id} and json_array_length(problems) < ${PROBLEMS_KEPT}
        and ${isCommitted(run, commit)}`,
  ];
}
