import type { FileSourceId } from "../../core/ids.ts";
import { IS_EXCLUDED } from "../catalog/exclusion-store.ts";
import { isInColumns, readPage, type Slice } from "../page.ts";
import { AFTER_SLASH, AFTER_ALL } from "../path-range.ts";
import { rankOf } from "../records.ts";
import { textList } from "../schema/columns.ts";
import { files } from "../schema/index.ts";
import { FILE_STATUSES, type FileStatus } from "../schema/rags.ts";
import {
  number,
  oneOf,
  text,
  json,
  columnsOf,
  pick,
  select,
  flag,
  type Row,
  orNull,
} from "../select.ts";
import { raw, readRow, sql, readRows, type Database, type Sql } from "../sql.ts";

const f = columnsOf(files, "f");

/** Rows of a file `f` in the live generations. */
const ROWS = `rag_files rf join rags r on r.id = rf.rag_id and r.generation = rf.generation
  where rf.file_id = f.id and rf.status <> 'leaving'`;

/** Null while no RAG indexes the file. */
const STATUS = orNull(
  oneOf(
    FILE_STATUSES,
    `case when f.deleted_at is not null then 'deleted' else (select rf.status from ${ROWS}
    order by ${rankOf("rf.status")} limit 1) end`,
  ),
);

export const SOURCE_FILE = select({
  ...pick(f, "path", "name", "externalId", "url", "size", "mimeType", "sha256"),
  status: STATUS,
  isExcluded: IS_EXCLUDED,
  errorMessage: orNull(
    text(
      // A file that is tried again shows why its last try failed.
      `(select rf.error_message from ${ROWS} and rf.status <> 'deleted'
      and rf.error_message is not null order by rf.status = 'error' desc limit 1)`,
    ),
  ),
  /** Parts of the live content that were left out or repaired. */
  notes: json(
    textList,
    `coalesce((select rf.notes from ${ROWS} order by rf.indexed_at desc limit 1), '[]')`,
  ),
  /** The last success in any RAG, ms. */
  indexedAt: orNull(number(`(select max(rf.indexed_at) from ${ROWS})`)),
});
/** A file as the panel lists it, over all RAGs. */
export type SourceFile = Row<typeof SOURCE_FILE>;

type FileQuery = Slice & {
  sourceId: FileSourceId;
  status?: FileStatus | undefined;
  /** A folder, with or without its trailing slash, or a file. */
  path?: string | undefined;
  /** A part of the path, searched in the source's first 100,000 paths; "": any. */
  contains?: string | undefined;
};

/** Paths that one search for a part of a path reads from the index of paths. */
export const MAX_PATHS_SEARCHED = 100_000;

/** The source's files `f`, or those whose paths contain this. */
const filesOf = (sourceId: FileSourceId, contains: string) =>
  contains === ""
    ? raw("files f")
    : sql`(select path from (select path from files where file_source_id = ${sourceId}
          order by path limit ${MAX_PATHS_SEARCHED}) where ${isInColumns(["path"], contains)}) found
        cross join files f on f.file_source_id = ${sourceId} and f.path = found.path`;

/** A folder is a range of paths; what else is in the range (`a-b` beside `a/b`) is filtered out. */
const isInside = (path: string) =>
  sql`f.path >= ${path} and f.path < ${path + AFTER_SLASH}
    and (f.path = ${path} or substr(f.path, 1, length(${path}) + 1) = ${`${path}/`})`;

const FILE_WITH_STATUS = select({
  ...pick(f, "id", "name", "size", "mimeType", "version", "sha256", "contentId", "deletedAt"),
  status: STATUS,
});
export type FileWithStatus = Row<typeof FILE_WITH_STATUS>;

/** One file with its status in one statement, so that both are of the same version. */
export const findFileWithStatus = (db: Database, sourceId: FileSourceId, path: string) =>
  readRow(db)`select ${FILE_WITH_STATUS} from files f
    where f.file_source_id = ${sourceId} and f.path = ${path}`;

/** In order of path, each with its least advanced status over all RAGs; and the total count. */
export async function listFilesOfSource(
  db: Database,
  { sourceId, path = "", status, contains = "", ...slice }: FileQuery,
): Promise<{ data: SourceFile[]; total: number }> {
  const folder = path.replace(/\/$/, "");
  const from = sql`from ${filesOf(sourceId, contains)} where f.file_source_id = ${sourceId}
    and ${folder === "" ? raw("1") : isInside(folder)}
    and ${status === undefined ? raw("1") : sql`${STATUS.sql} = ${status}`}`;
  return await readPage(db, SOURCE_FILE, { ...slice, from, order: raw("f.path") });
}

const ENTRY = select({ path: text("path"), isFolder: flag("isFolder") });

/** An entry directly in a folder: a folder's path ends in "/", a file's does not. */
export type FolderEntry = Row<typeof ENTRY>;

/**
 * Folders and files directly in a folder (`""`: the root; else with its trailing slash), in order
 * of path, behind `after`. Each step jumps over all that lies below a folder, so that a page reads
 * about as many rows as it has entries, whatever is below them.
 */
export async function listFolder(
  db: Database,
  slice: { sourceId: FileSourceId; folder: string; after: string | null; limit: number },
): Promise<FolderEntry[]> {
  const { sourceId, folder, after, limit } = slice;
  const nextPathSql = (from: Sql) => sql`(select min(f.path) from files f where f.file_source_id =
    ${sourceId} and f.path > ${from} and f.path < ${folder + AFTER_ALL} and f.deleted_at is null)`;
  const rest = sql`substr(found, length(${folder}) + 1)`;
  // The slashes of `https://` part no folders: a host is the outermost one of a web source.
  const slash = sql`instr(replace(${rest}, '://', ':  '), '/')`;
  const isFolder = sql`${slash} > 0`;
  const below = sql`${folder} || substr(${rest}, 1, ${slash})`;
  const start = after === null ? folder : after.replace(/\/$/, `/${AFTER_ALL}`);
  return await readRows(db)`with recursive step(found) as (
      select ${nextPathSql(sql`${start}`)}
      union all
      select ${nextPathSql(sql`case when ${isFolder} then ${below} || ${AFTER_ALL} else found end`)}
      from step where found is not null
      limit ${limit})
    select ${ENTRY} from (
      select case when ${isFolder} then ${below} else found end as path, ${isFolder} as isFolder
      from step where found is not null)`;
}
