import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import { insertScopes } from "../catalog/rag-scope-store.ts";
import { abandonmentOfRun } from "../scans/scan-store.ts";
import { archiveFiles, archiveImports, files, fileSources } from "../schema/index.ts";
import { ragFiles, ragGenerations, rags, searchExclusions } from "../schema/index.ts";
import { assignSql, columnsOf, namedColumns, pick, select, text, values } from "../select.ts";
import type { Row } from "../select.ts";
import { execute, portionsOf, raw, readRow, readRows, readValues, runBatch, sql } from "../sql.ts";
import type { Database, Sql } from "../sql.ts";

const IMPORT = select(
  pick(
    columnsOf(archiveImports),
    "id",
    "state",
    "manifestHash",
    "part",
    "leasedUntil",
    "createdAt",
  ),
);
export type ArchiveImport = Row<typeof IMPORT>;

export const insertImport = (db: Database, row: typeof archiveImports.$inferInsert) =>
  execute(db)`insert into archive_imports ${values(archiveImports, row)}`;

export const listImports = (db: Database) =>
  readRows(db)`select ${IMPORT} from archive_imports order by created_at desc, id`;

export const findImport = (db: Database, id: string) =>
  readRow(db)`select ${IMPORT} from archive_imports where id = ${id}`;

/** An unfinished import of the same archive that was begun before this one. */
export const findEarlierImport = (db: Database, manifestHash: string, id: string) =>
  readRow(db)`select ${IMPORT} from archive_imports where manifest_hash = ${manifestHash}
    and id < ${id} and state <> 'done' order by id limit 1`;

export type ImportChange = Partial<Omit<ArchiveImport, "id" | "createdAt">>;

export const saveImport = (db: Database, id: string, change: ImportChange) =>
  execute(db)`update archive_imports set ${assignSql(archiveImports, change)} where id = ${id}`;

/** Null: there is none, or another call works on it. */
export const leaseImport = (db: Database, id: string, times: { now: number; until: number }) =>
  readRow(db)`update archive_imports set leased_until = ${times.until}
    where id = ${id} and leased_until < ${times.now} returning ${IMPORT}`;

export const deleteImport = (db: Database, id: string) =>
  execute(db)`delete from archive_imports where id = ${id}`;

const WAITING = select(pick(columnsOf(archiveFiles), "path", "fileId", "file", "rags"));
export type WaitingFile = Row<typeof WAITING>;
type WaitingIn = { importId: string; sourceId: FileSourceId };

/** Keeps what an earlier call wrote; returns that. A file of a replaced source keeps its id. */
export async function addWaitingFiles(
  db: Database,
  { importId, sourceId }: WaitingIn,
  rows: WaitingFile[],
): Promise<WaitingFile[]> {
  const statements = portionsOf(rows).map(
    (some) => sql`insert or ignore into archive_files
        (import_id, file_source_id, path, file_id, file, rags)
      select ${importId}, ${sourceId}, m.value ->> 'path', coalesce((select f.id from files f
          where f.file_source_id = ${sourceId} and f.path = m.value ->> 'path'
            and m.value ->> 'fileId' <> ''), m.value ->> 'fileId'),
        m.value ->> 'file', m.value ->> 'rags' from json_each(${some}) m`,
  );
  const paths = rows.map(({ path }) => path);
  return await readWaitingFiles(db, { importId, sourceId }, paths, statements);
}

const waitingFilesSql = ({ importId, sourceId }: WaitingIn) =>
  sql`archive_files a where a.import_id = ${importId} and a.file_source_id = ${sourceId}`;

/** Rows of these paths. `before`: statements that run first in the same batch. */
export async function readWaitingFiles(
  db: Database,
  at: WaitingIn,
  paths: string[],
  before: Sql[] = [],
): Promise<WaitingFile[]> {
  const selection = sql`select ${WAITING} from ${waitingFilesSql(at)}
    and a.path in (select value from json_each(${paths}))`;
  return (await runBatch(db, [selection], { before, after: [] }))[0];
}

/** Takes some files of an import that is given up, to delete what was stored of them. */
export const takeWaitingFiles = (db: Database, at: WaitingIn, limit: number) =>
  readRows(db)`delete from archive_files where (import_id, file_source_id, path) in (
      select a.import_id, a.file_source_id, a.path from ${waitingFilesSql(at)} limit ${limit})
    returning ${WAITING}`;

export const readWaitingExclusions = (db: Database, at: WaitingIn) =>
  readRows(db)`select ${WAITING} from ${waitingFilesSql(at)} and a.file_id = ''`;

/** How many files of an import are indexed in a RAG. */
export const countWaitingIndexed = async (db: Database, at: WaitingIn, ragId: RagId) => {
  const rows = await readRows(db)`select count(*) as files from archive_files a
    cross join json_each(a.rags) m where a.import_id = ${at.importId}
      and a.file_source_id = ${at.sourceId} and m.value ->> 'ragId' = ${ragId}
      and m.value ->> 'status' = 'indexed'`;
  return Number(rows[0]?.["files"]);
};

/** The generation of a RAG that takes the archive's index; it is used when the import ends. */
export const reserveGeneration = (db: Database, row: typeof ragGenerations.$inferInsert) =>
  execute(db)`insert or ignore into rag_generations ${values(ragGenerations, row)}`;

export const nextGeneration = (db: Database, ragId: RagId) =>
  readRow(
    db,
  )`select max(generation) + 1 as generation from rag_generations where rag_id = ${ragId}`;

type SourceRow = typeof fileSources.$inferInsert;
/** `row`: of a replaced one its settings alone, so that its secrets stay as they are then. */
export type PlannedSource = { id: FileSourceId } & (
  | { replaces: false; row: SourceRow }
  | { replaces: true; row: Partial<SourceRow> & Pick<SourceRow, "identifier" | "provider"> }
);
export type PlannedRag = {
  id: RagId;
  sourceId: FileSourceId;
  replaces: boolean;
  /** Its passages are embedded again, when the import is over. */
  embeds: boolean;
  row: typeof rags.$inferInsert;
  scopes: IndexScope[];
  generation: typeof ragGenerations.$inferInsert;
};

/** Identifiers of a plan that were taken since it was made, or whose things were removed. */
export const listConflicts = (
  db: Database,
  table: "file_sources" | "rags",
  planned: (PlannedSource | PlannedRag)[],
) => {
  const things = planned.map(({ id, replaces, row }) => [row.identifier, replaces ? id : ""]);
  return readValues(db, text("identifier"))`select m.value ->> 0 as identifier
    from json_each(${things}) m left join ${raw(table)} t
      on t.identifier = m.value ->> 0 and t.removed_at is null
    where coalesce(t.id, '') <> m.value ->> 1`;
};

const FILES = namedColumns(
  files,
  ...(["path", "name", "size", "mimeType", "externalId", "url", "version", "sha256"] as const),
  ...(["contentId", "metadata", "modifiedAt", "sourceState", "audience"] as const),
  ...(["readersRevision", "createdAt", "deletedAt"] as const),
);
const RAG_FILES = namedColumns(
  ragFiles,
  ...(["ragId", "generation", "status", "revision", "indexedAt", "errorMessage"] as const),
  ...(["errorCode", "errorIsOutside", "chunkCount", "fingerprint", "contentId"] as const),
  ...(["notes", "claimedUntil"] as const),
);
const EXCLUSIONS = namedColumns(
  searchExclusions,
  ...(["kind", "value", "path", "excerpt", "createdAt", "createdBy"] as const),
);

/**
 * Makes everything of an import visible, and its settings those of the archive, in one step. Throws
 * where another call has done so, or has given it up.
 */
export async function publishImport(
  db: Database,
  importId: string,
  plan: { sources: PlannedSource[]; rags: PlannedRag[]; now: number },
): Promise<void> {
  const { sources, rags: planned, now } = plan;
  await runBatch(db, [
    sql`insert into archive_imports (id, state, created_at) values (${importId}, (
        select 'settings' from archive_imports where id = ${importId} and state = 'writing'), 0)
      on conflict (id) do update set state = excluded.state`,
    ...sources.flatMap((source) => sourceSql(importId, source, now)),
    ...planned.flatMap((rag) => ragSql(rag, now)),
    ...sources
      .filter(({ id }) => planned.some((rag) => isBuilt(rag) && rag.sourceId === id))
      .map(({ id }) => readersToTell(importId, id, now)),
    sql`insert into rag_files (file_id, path, ${RAG_FILES.columns})
      select a.file_id, a.path, ${RAG_FILES.values} from archive_files a
      cross join json_each(a.rags) m where a.import_id = ${importId}`,
    sql`delete from archive_files where import_id = ${importId}`,
  ]);
}

function sourceSql(importId: string, { id, replaces, row }: PlannedSource, now: number): Sql[] {
  const waiting = waitingFilesSql({ importId, sourceId: id });
  const asItem = sql`archive_files a cross join json_each('[' || a.file || ']') m
    where a.import_id = ${importId} and a.file_source_id = ${id}`;
  const isReader = sql`${asItem} and m.value ->> 'audience' is not null`;
  const settings = replaces
    ? [
        ...abandonmentOfRun(id, now),
        sql`update file_sources set ${assignSql(fileSources, row)} where id = ${id}`,
        // Files that the archive lacks go; one that took a path meanwhile gives it back.
        sql`update files set deleted_at = coalesce(deleted_at, ${now}),
            path = path || iif(path in (select a.path from ${waiting}), ' (' || id || ')', '')
          where file_source_id = ${id} and id not in (select a.file_id from ${waiting})`,
        sql`delete from search_exclusions where file_source_id = ${id}`,
      ]
    : [sql`insert into file_sources ${values(fileSources, row)}`];
  return [
    ...settings,
    sql`insert into files (id, file_source_id, ${FILES.columns})
      select a.file_id, ${id}, ${FILES.values} from ${asItem} and a.file_id <> ''
      on conflict (id) do update set ${FILES.excluded}`,
    sql`insert or ignore into audiences (id, readers, unreadable) select m.value ->> 'audience',
      m.value ->> 'readers', m.value ->> 'unreadable' from ${isReader}`,
    sql`insert or ignore into audience_principals (principal, audience)
      select p.value ->> 'principal', m.value ->> 'audience' from archive_files a
      cross join json_each('[' || a.file || ']') m cross join json_each(m.value, '$.readers') p
      where a.import_id = ${importId} and a.file_source_id = ${id}
        and m.value ->> 'audience' is not null`,
    sql`insert into search_exclusions (file_source_id, ${EXCLUSIONS.columns})
      select ${id}, ${EXCLUSIONS.values} from ${asItem} and a.file_id = ''`,
  ];
}

/** Whether the index before answers for a while. */
export const isBuilt = ({ replaces, embeds }: PlannedRag) => replaces && embeds;

const FILES_A_CHANGE = 500;

/** The previous index gets the readers of the archive. */
const readersToTell = (importId: string, sourceId: FileSourceId, now: number) =>
  sql`insert into reader_changes (file_source_id, file_ids, at)
    select ${sourceId}, json_group_array(file_id), ${now} from (
      select a.file_id, row_number() over (order by a.path) / ${FILES_A_CHANGE} as part
      from ${waitingFilesSql({ importId, sourceId })} and a.file_id <> '')
    group by part`;

/** The index before answers until one whose passages are embedded first is complete. */
function ragSql(rag: PlannedRag, now: number): Sql[] {
  const { id, replaces, row, scopes, generation } = rag;
  const isLater = isBuilt(rag);
  const state = isLater
    ? { state: "building" as const }
    : { state: "live" as const, changedAt: now, liveSince: now };
  const number = isLater ? undefined : generation.generation;
  const before = replaces
    ? [
        sql`update rag_generations set state = 'retired', changed_at = ${now}
          where rag_id = ${id} and (state = 'building' or (state = 'live' and not ${isLater}))`,
        sql`delete from rag_generations where rag_id = ${id}
          and generation = ${generation.generation}`,
        sql`update rags set ${assignSql(rags, { ...row, generation: number })},
          refused_index = null, coming_files = 0, scopes_due_at = null where id = ${id}`,
        sql`delete from rag_scopes where rag_id = ${id}`,
      ]
    : [sql`insert into rags ${values(rags, row)}`];
  const scoped = scopes.length === 0 ? [] : [insertScopes(id, scopes, now)];
  const built = { ...generation, ...state };
  return [...before, ...scoped, sql`insert into rag_generations ${values(ragGenerations, built)}`];
}
