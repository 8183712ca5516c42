import type { FileSourceId } from "../../core/ids.ts";
import { isInColumns, countUpTo, keyedPage, readingOf, readKeyedPage } from "../page.ts";
import type { Key, KeyedPage, PageAt } from "../page.ts";
import { files, ragFiles } from "../schema/index.ts";
import { FILE_STATUSES_BY_PROGRESS, type FileStatus } from "../schema/rags.ts";
import { number, text, columnsOf, pick, select, type Row, orNull } from "../select.ts";
import { raw, readRows, runBatch, sql, type Database, type Sql } from "../sql.ts";
import type { LiveRows } from "./public-files.ts";
import { MAX_PATHS_SEARCHED, SOURCE_FILE, type SourceFile } from "./source-file-list.ts";

export type FilePageQuery = {
  sourceId: FileSourceId;
  /** A part that the paths contain, whatever the case of its letters from A to Z; "" for all. */
  part: string;
  at: PageAt;
  /** From the last path to the first. */
  descending?: boolean;
  /** The status in any of these live indexes; null: whatever it is. */
  status: { status: FileStatus; indexes: LiveRows[] } | null;
};

const PATH = select(pick(columnsOf(ragFiles), "path"));
const SEARCHED = select({
  first: orNull(text("min(path)")),
  last: orNull(text("max(path)")),
  paths: number("count(*)"),
});

/** In order of path. A search reads 100,000 paths at most; the next page continues there. */
export async function readFilePage(
  db: Database,
  { sourceId, part, at, status, descending = false }: FilePageQuery,
): Promise<KeyedPage<SourceFile>> {
  const reading = readingOf(at, 1);
  const { backwards, rows, key } = reading;
  const isDown = backwards !== descending;
  const limit = part === "" ? rows : MAX_PATHS_SEARCHED;
  const lists = indexesOf({ sourceId, status }).map((index) =>
    pathsOf(index, { after: key?.[0], isDown, limit }),
  );
  // In the order of the inner list, which is read as far as the page needs.
  const pages = await runBatch(
    db,
    lists.map(
      (list) => sql`select ${PATH} from ${list} where ${isInColumns(["path"], part)} limit ${rows}`,
    ),
  );
  const isCut = part !== "" && !backwards && pages.flat().length < rows;
  const end = isCut ? await endOfSearch(db, lists, isDown) : undefined;
  const paths = orderPaths(pages.flat(), end, isDown);
  const page = keyedPage(paths.slice(0, rows), at, reading, (path) => [path]);
  const data = await filesAt(db, sourceId, page.data);
  return { ...page, after: page.after ?? (end === undefined ? null : [end]), data };
}

const filesAt = (db: Database, sourceId: FileSourceId, paths: string[]) =>
  readRows(db)`select ${SOURCE_FILE} from json_each(${paths}) wanted
    cross join files f on f.file_source_id = ${sourceId} and f.path = wanted.value
    order by wanted.key`;

/** Some paths of an index in order, up or down, behind one of them. */
const pathsOf = (index: Sql, to: { after: Key[0] | undefined; isDown: boolean; limit: number }) => {
  const [beyond, order] = to.isDown ? ["<", "desc"] : [">", "asc"];
  const isBeyond = to.after === undefined ? raw("1") : sql`path ${raw(beyond)} ${to.after}`;
  return sql`(select path ${index} and ${isBeyond} order by path ${raw(order)} limit ${to.limit})`;
};

type SortedPage = Pick<FilePageQuery, "sourceId" | "at"> & { descending: boolean };

const SIZED = select(pick(columnsOf(files), "path", "size"));

/** All files of a source in order of size, read from an index of sizes. */
export async function readFilesBySize(
  db: Database,
  { sourceId, at, descending }: SortedPage,
): Promise<KeyedPage<SourceFile>> {
  const page = await readKeyedPage(db, at, {
    of: SIZED,
    from: sql`from files indexed by files_size where file_source_id = ${sourceId}`,
    columns: ["size", "path"],
    order: descending ? "desc" : "asc",
  });
  const paths = page.data.map(({ path }) => path);
  return { ...page, data: await filesAt(db, sourceId, paths) };
}

/** Reads by status in one live index that holds all files: one list after the other. */
export async function readFilesByStatus(
  db: Database,
  { sourceId, at, descending, index }: SortedPage & { index: LiveRows },
): Promise<KeyedPage<SourceFile>> {
  const reading = readingOf(at, 2);
  const { backwards, rows, key } = reading;
  const isDown = backwards !== descending;
  const statuses = isDown ? [...FILE_STATUSES_BY_PROGRESS].reverse() : FILE_STATUSES_BY_PROGRESS;
  const begins = statuses.findIndex((status) => status === key?.[0]);
  const from = Math.max(0, begins);
  const lists = statuses.slice(from).map((status, nth) => {
    const [list = raw("")] = indexesOf({ sourceId, status: { status, indexes: [index] } });
    const after = nth > 0 ? undefined : key?.[1];
    return sql`select ${PATH} from ${pathsOf(list, { after, isDown, limit: rows })}`;
  });
  const pages = await runBatch(db, lists);
  const keys = pages.flatMap((paths, nth) =>
    paths.map(({ path }): [string, string] => [statuses[from + nth] ?? "", path]),
  );
  const page = keyedPage(keys.slice(0, rows), at, reading, (shown) => shown);
  const paths = page.data.map(([, path]) => path);
  return { ...page, data: await filesAt(db, sourceId, paths) };
}

/** The number of a source's files, deleted ones included, counted up to `max`. */
export const countListedFiles = (db: Database, sourceId: FileSourceId, max: number) =>
  countUpTo(db, max, sql`from files where file_source_id = ${sourceId}`);

/** The part of each index of paths that is listed: `from … where …`. */
function indexesOf({ sourceId, status }: Pick<FilePageQuery, "sourceId" | "status">): Sql[] {
  if (status === null) return [sql`from files where file_source_id = ${sourceId}`];
  return status.indexes.map(
    ({ ragId, generation }) => sql`from rag_files where rag_id = ${ragId}
      and generation = ${generation} and status = ${status.status}`,
  );
}

/** Where a search ended before a list did; undefined: it did not. */
async function endOfSearch(db: Database, lists: Sql[], isDown: boolean) {
  const searched = await runBatch(
    db,
    lists.map((list) => sql`select ${SEARCHED} from ${list}`),
  );
  const ends = searched
    .flat()
    .map(({ first, last, paths }) => ({ end: isDown ? first : last, paths }))
    .flatMap(({ end, paths }) => (end === null || paths < MAX_PATHS_SEARCHED ? [] : [end]));
  return ends.sort(byteOrder).at(isDown ? -1 : 0);
}

/** Each path once, in the order of reading, those behind a search's end left out. */
function orderPaths(pages: Row<typeof PATH>[], end: string | undefined, isDown: boolean): string[] {
  const paths = [...new Set(pages.map(({ path }) => path))].sort(byteOrder);
  if (isDown) paths.reverse();
  if (end === undefined) return paths;
  return paths.filter((path) => (isDown ? byteOrder(path, end) >= 0 : byteOrder(path, end) <= 0));
}

/** SQLite compares the bytes of UTF-8: the order of code points, not of UTF-16. */
const byteOrder = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
