import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { Restriction } from "../../ports/rag-index.ts";
import { IS_EXCLUDED } from "../catalog/exclusion-store.ts";
import { countSql } from "../page.ts";
import { AFTER_SLASH } from "../path-range.ts";
import type { FileCounts } from "../records.ts";
import { files, ragFiles } from "../schema/index.ts";
import { FILE_STATUSES, type FileStatus } from "../schema/rags.ts";
import { columnsOf, number, oneOf, pick, select, type Row } from "../select.ts";
import { joinSql, raw, readRows, runBatch, sql, type Reads, type Sql } from "../sql.ts";
import { shownStatus } from "./file-rows.ts";

export type { FileStatus };

const PUBLIC_FILE = select({
  ...pick(columnsOf(ragFiles, "rf"), "path", "indexedAt", "errorMessage"),
  status: shownStatus("rf"),
  ...pick(columnsOf(files, "f"), "externalId", "name", "size", "mimeType"),
  isExcluded: IS_EXCLUDED,
});
export type PublicFile = Row<typeof PUBLIC_FILE>;

/** The rows of a RAG's live generation; of a reader's files alone where `readers` says so. */
export type LiveRows = { ragId: RagId; generation: number; readers?: Restriction["readers"] };

/** `path`: of a file, or of a folder, with or without its slash. */
export type FileFilter = { status: FileStatus | null; path: string | null };
export type FileSlice = LiveRows & { offset: number; limit: number; filter: FileFilter };

/** Whether readers may read the file `f`. */
const isReadable = (readers: Restriction["readers"]): Sql =>
  readers === undefined
    ? raw("true")
    : sql`(f.readers_revision >= ${readers.since} and +f.audience in (
        select a.audience from audience_principals a
        where a.principal in (select value from json_each(${readers.principals}))))`;

/**
 * The ids and paths of what a filter selects, behind the path `after`, read from the index of
 * (rag_id, generation, status, path) alone; only a page itself reads the tables. Without a status,
 * SQLite merges the five lists in order of path, each as far as the page's end.
 */
function rowsSql(
  { ragId, generation, readers }: LiveRows,
  { status, path }: FileFilter,
  after: string | null = null,
): Sql {
  const readable =
    readers === undefined
      ? raw("")
      : sql`and exists (select 1 from files f where f.id = x.file_id and ${isReadable(readers)})`;
  const begins = after === null ? sql`>= ${path ?? ""}` : sql`> ${after}`;
  const name = path?.replace(/\/$/, "") ?? "";
  // `a-b` lies between the file `a` and the folder `a/`.
  const ends = sql`and x.path < ${name + AFTER_SLASH}
    and (x.path = ${name} or x.path >= ${`${name}/`})`;
  const rowsWith = (status: FileStatus) =>
    sql`select x.file_id, x.path from rag_files x where x.rag_id = ${ragId}
      and x.generation = ${generation} and x.status = ${status} and x.path ${begins}
      ${path === null ? raw("") : ends} ${readable}`;
  return joinSql((status === null ? FILE_STATUSES : [status]).map(rowsWith), " union all ");
}

/** The files of a page of `rowsSql`, in order of path. */
const pageSql = ({ ragId, generation }: LiveRows, page: Sql) =>
  sql`select ${PUBLIC_FILE} from (${page}) page
    cross join rag_files rf on rf.rag_id = ${ragId} and rf.generation = ${generation}
      and rf.file_id = page.file_id
    cross join files f on f.id = rf.file_id order by rf.path`;

const sliceStatement = ({ offset, limit, filter, ...live }: FileSlice) =>
  pageSql(live, sql`${rowsSql(live, filter)} order by path limit ${limit} offset ${offset}`);

/** Slices of the lists of one or several RAGs, by path, in one round trip. */
export async function readFileSlices(db: Reads, slices: FileSlice[]): Promise<PublicFile[][]> {
  return await runBatch(db, slices.map(sliceStatement));
}

/** A page and the number of files at a path or below it, counted in the index. */
export async function readPathPage(db: Reads, slice: FileSlice) {
  const [rows, [counts]] = await runBatch(db, [
    sliceStatement(slice),
    countSql(sql`from (${rowsSql(slice, slice.filter)})`),
  ]);
  return { files: rows, total: counts?.count ?? 0 };
}

const COUNTED = select({
  status: oneOf(FILE_STATUSES, "x.status"),
  files: number("count(*)"),
  chunks: number("sum(x.chunk_count)"),
});

/** A RAG's counts as its readers may know them: every file is read. */
export async function countReadable(
  db: Reads,
  { ragId, generation, readers }: LiveRows,
): Promise<{ fileCounts: FileCounts; numberVectors: number }> {
  const rows = await readRows(db)`select ${COUNTED} from rag_files x
    join files f on f.id = x.file_id where x.rag_id = ${ragId} and x.generation = ${generation}
      and x.status <> 'leaving' and ${isReadable(readers)} group by x.status`;
  const fileCounts = { pending: 0, processing: 0, indexed: 0, error: 0, deleted: 0 };
  for (const { status, files: count } of rows) fileCounts[status] = count;
  return { fileCounts, numberVectors: rows.reduce((sum, { chunks }) => sum + chunks, 0) };
}

/** The next files after a path (all from the start with null), for a list without pages. */
export async function readFilesAfter(
  db: Reads,
  live: LiveRows,
  filter: FileFilter,
  after: string | null,
  limit: number,
) {
  const next = sql`${rowsSql(live, filter, after)} order by path limit ${limit}`;
  const [files] = await runBatch(db, [pageSql(live, next)]);
  return files;
}

/** A file as each of these RAGs indexes it. `names`: that it may have; the first known counts. */
export async function findFileStatuses(
  db: Reads,
  sourceId: FileSourceId,
  rags: LiveRows[],
  names: string[],
): Promise<PublicFile[]> {
  // Those of one source have the same readers.
  const readable = isReadable(rags[0]?.readers);
  const live = rags.map(({ ragId, generation }) => ({ ragId, generation }));
  // For a reader, another file stands in for one that is not there: both cost the same rows.
  const restriction =
    rags[0]?.readers === undefined
      ? raw("null")
      : sql`select id from files where file_source_id = ${sourceId} limit 1`;
  const filesBy = (column: Sql) =>
    sql`select ${PUBLIC_FILE} from json_each(${names}) n
        left join files named on named.file_source_id = ${sourceId} and named.${column} = n.value
        cross join files f on f.id = coalesce(named.id, (${restriction}))
        cross join json_each(${live}) m
        join rag_files rf on rf.rag_id = m.value ->> 'ragId'
          and rf.generation = m.value ->> 'generation' and rf.file_id = f.id
          and rf.status <> 'leaving'
      where (named.id is not null) + ${readable} = 2`;
  const [byPath, byId] = await runBatch(db, [filesBy(raw("path")), filesBy(raw("external_id"))]);
  // A path identifies one file; an external id may have belonged to another file before.
  return filesOfName(byPath, names, "path") ?? filesOfName(byId, names, "externalId") ?? [];
}

function filesOfName(files: PublicFile[], names: string[], by: "path" | "externalId") {
  const name = names.find((candidate) => files.some((file) => file[by] === candidate));
  return name === undefined ? null : files.filter((file) => file[by] === name);
}
