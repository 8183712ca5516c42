import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { id, jsonObject, nullable, number, row, text, type Row } from "../columns.ts";
import { readRows, runBatch, statement } from "../raw-sql.ts";
import type { Statement } from "../raw-sql.ts";
import { NEW_CONTENT_ID } from "../schema/sources.ts";
import type { ScanProblem } from "../schema/sources.ts";
import { countingInRags } from "../files/count-together.ts";
import { HOLDS, isOpen, MESSAGE, pendSql } from "../files/file-rows.ts";
import { leaveSql, REMOVAL } from "../files/removal-store.ts";
import type { Removal } from "../files/removal-store.ts";
import { addProblems } from "./scan-problems.ts";
import { COMMITTED, commitStep } from "./scan-store.ts";
import type { RunCounts, ScanProgress, ScanRun } from "./scan-store.ts";

/** A file of a source as last listed. */
export const KNOWN_FILE = row({
  id: id<FileId>(),
  path: text,
  externalId: nullable(text),
  url: nullable(text),
  name: text,
  size: number,
  mimeType: text,
  version: text,
  metadata: jsonObject,
  sourceState: nullable(jsonObject),
  deletedAt: nullable(number),
});
export type KnownRow = Row<typeof KNOWN_FILE>;

export const KNOWN_COLUMNS = `f.id, f.path, f.external_id as externalId, f.url, f.name, f.size,
  f.mime_type as mimeType, f.version, f.metadata, f.source_state as sourceState,
  f.deleted_at as deletedAt`;

type Named = Pick<KnownRow, "path" | "externalId">;

/**
 * The known files among these, by path and by external id. The external id is looked up only if
 * the path does not match, so that an unchanged file costs two rows read.
 */
export async function knownFiles(
  db: Database,
  sourceId: FileSourceId,
  listed: Named[],
): Promise<KnownRow[]> {
  const paths = [...new Set(listed.map(({ path }) => path))];
  const found = await knownBy(db, "path", sourceId, paths);
  const idAt = new Map(found.map(({ path, externalId }) => [path, externalId]));
  const elsewhere = listed.flatMap(({ path, externalId }) =>
    externalId === null || idAt.get(path) === externalId ? [] : [externalId],
  );
  if (elsewhere.length === 0) return found;
  const moved = await knownBy(db, "external_id", sourceId, elsewhere);
  return [...new Map([...found, ...moved].map((row) => [row.id, row])).values()];
}

/**
 * `cross join` makes the list the outer loop: else it is read once for each file of the source.
 */
async function knownBy(
  db: Database,
  column: "path" | "external_id",
  sourceId: FileSourceId,
  values: string[],
): Promise<KnownRow[]> {
  if (values.length === 0) return [];
  return await readRows(
    db,
    KNOWN_FILE,
    `select ${KNOWN_COLUMNS} from json_each(?2) m
       cross join files f on f.file_source_id = ?1 and f.${column} = m.value`,
    sourceId,
    values,
  );
}

/** A file as a page of a listing writes it. `contentIsKept`: the version is the same. */
export type ListedWrite = Omit<KnownRow, "deletedAt">;

export type PageWrites = {
  writes: ListedWrite[];
  /** Files whose path changes: all old paths are cleared before the new ones are written. */
  moved: FileId[];
  states: { id: FileId; sourceState: Record<string, unknown> | null }[];
  failures: { id: FileId; message: string; outside: boolean }[];
};

export type PageTimes = { now: number; queuedUntil: number; removedUntil: number };

/**
 * Commits a page of a listing: files, their rows in every RAG, counts and progress, all or
 * nothing. Null when another worker has committed it.
 */
export async function commitPage(
  db: Database,
  run: ScanRun,
  page: { next: ScanProgress; counts: RunCounts; problems: ScanProblem[]; writes: PageWrites },
  times: PageTimes & { claimedUntil: number },
): Promise<{ messages: IndexMessage[]; removals: Removal[] } | null> {
  const { next, counts, problems, writes } = page;
  const commits = [
    ...commitStep(run, next, counts, times.claimedUntil),
    ...addProblems(run, next.commit, problems),
  ];
  const changes = writeStatements(run, next.commit, writes, times);
  const changed = [...writes.writes, ...writes.failures].map((file) => file.id);
  const counting = countingInRags(run.source.id, changed);
  const results = await runBatch(db, [...commits, ...changes], counting);
  if ((results[0] ?? []).length === 0) return null;
  if (writes.writes.length === 0) return { messages: [], removals: [] };
  const failed = new Set(writes.failures.map(({ id }) => id));
  const pended = (results.at(-3) ?? []).map(MESSAGE);
  return {
    messages: pended.filter(({ fileId }) => !failed.has(fileId)),
    removals: (results.at(-2) ?? []).map(REMOVAL),
  };
}

function writeStatements(
  run: ScanRun,
  commit: string,
  { writes, moved, states, failures }: PageWrites,
  times: PageTimes,
): Statement[] {
  const statements: Statement[] = [];
  if (states.length > 0) {
    statements.push(
      statement(
        `update files set source_state = m.value ->> 'sourceState' from json_each(?3) m
         where files.id = m.value ->> 'id' and ${COMMITTED}`,
        run.id,
        commit,
        states,
      ),
    );
  }
  if (writes.length === 0) return statements;
  const ids = writes.map(({ id }) => id);
  if (moved.length > 0) statements.push(...freePaths(run, commit, writes, moved));
  statements.push(
    ...portionsOf(writes).map((some) =>
      statement(WRITE_FILES, run.id, commit, some, run.source.id, times.now),
    ),
    statement(PEND_FILES, run.id, commit, ids, times.now, times.queuedUntil),
    statement(LEAVE_RAGS, ids, times.now, times.removedUntil, run.id, commit),
    statement(FAIL_FILES, run.id, commit, failures, times.now),
  );
  return statements;
}

/** D1 accepts a parameter of up to 2 MB, and a character may take three bytes. */
const MAX_PARAMETER_CHARACTERS = 600_000;

/** A page with long names and much metadata is written by several statements. */
function portionsOf(writes: ListedWrite[]): ListedWrite[][] {
  const portions: ListedWrite[][] = [];
  let open: ListedWrite[] = [];
  let characters = 0;
  for (const write of writes) {
    const { length } = JSON.stringify(write);
    if (open.length === 0 || characters + length > MAX_PARAMETER_CHARACTERS) {
      open = [];
      characters = 0;
      portions.push(open);
    }
    open.push(write);
    characters += length;
  }
  return portions;
}

const WRITE_FILES = `insert into files (id, file_source_id, path, external_id, url, name, size,
    mime_type, version, metadata, source_state, created_at)
  select value ->> 'id', ?4, value ->> 'path', value ->> 'externalId', value ->> 'url',
    value ->> 'name', value ->> 'size', value ->> 'mimeType', value ->> 'version',
    value -> 'metadata', value ->> 'sourceState', ?5
  from json_each(?3) where ${COMMITTED}
  on conflict (id) do update set path = excluded.path, external_id = excluded.external_id,
    url = excluded.url, name = excluded.name, mime_type = excluded.mime_type,
    size = case when version = excluded.version then size else excluded.size end,
    sha256 = case when version = excluded.version and deleted_at is null then sha256 end,
    content_id = case when version = excluded.version and deleted_at is null
      and name = excluded.name and mime_type = excluded.mime_type then content_id
      else ${NEW_CONTENT_ID} end,
    version = excluded.version, metadata = excluded.metadata,
    source_state = excluded.source_state,
    created_at = case when deleted_at is null then created_at else excluded.created_at end,
    deleted_at = null`;

const PEND_FILES = pendSql(
  `json_each(?3) m cross join files f on f.id = m.value
     cross join rags r on r.file_source_id = f.file_source_id`,
  COMMITTED,
  "?4",
  "?5",
);

const LEAVE_RAGS = leaveSql(`json_each(?1) m cross join rag_files rf on rf.file_id = m.value
  cross join files f on f.id = rf.file_id cross join rags r on r.id = rf.rag_id
  where not ${HOLDS} and ${COMMITTED.replace("?1", "?4").replace("?2", "?5")}`);

const FAIL_FILES = `update rag_files set status = 'error', claimed_until = 0, leased_until = ?4,
    error_message = m.value ->> 'message', error_is_outside = m.value ->> 'outside'
  from json_each(?3) m
  where rag_files.file_id = m.value ->> 'id' and rag_files.status = 'pending' and ${isOpen()}
    and ${COMMITTED}`;

/** Two files may swap their paths, or one may take the path of another that moves away. */
function freePaths(
  run: ScanRun,
  commit: string,
  writes: ListedWrite[],
  moved: FileId[],
): Statement[] {
  const targets = writes.filter(({ id }) => moved.includes(id)).map(({ path }) => path);
  return [
    statement(
      `update files set path = path || ' (' || id || ')'
       where id in (select value from json_each(?3)) and ${COMMITTED}`,
      run.id,
      commit,
      moved,
    ),
    statement(
      `update files set path = path || ' (' || id || ')'
       where file_source_id = ?4 and path in (select value from json_each(?3)) and ${COMMITTED}`,
      run.id,
      commit,
      targets,
      run.source.id,
    ),
  ];
}
