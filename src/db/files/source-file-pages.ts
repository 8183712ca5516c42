import type { FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { keyedPage, readingOf, readKeyedPage, type KeyedPage, type PageAt } from "../keyset.ts";
import { AFTER_ALL } from "../path-range.ts";
import { ragFiles } from "../schema/index.ts";
import type { FileStatus } from "../schema/rags.ts";
import { columnsOf, pick, select } from "../select.ts";
import { raw, readRows, runBatch, sql } from "../sql.ts";
import type { LiveRows } from "./public-files.ts";
import { SOURCE_FILE, type SourceFile } from "./source-file-list.ts";

/** The live index of one RAG. */
export type LiveIndex = LiveRows;

export type FilePageQuery = {
  sourceId: FileSourceId;
  /** What the paths begin with; "" for all. */
  prefix: string;
  at: PageAt;
};

/** A page of a source's files in order of path, read from the index of paths alone. */
export const readFilePage = (
  db: Database,
  { sourceId, prefix, at }: FilePageQuery,
): Promise<KeyedPage<SourceFile>> =>
  readKeyedPage(db, at, {
    of: SOURCE_FILE,
    from: sql`from files f where f.file_source_id = ${sourceId}
      and f.path >= ${prefix} and f.path < ${prefix + AFTER_ALL}`,
    columns: ["f.path"],
    order: "asc",
    keyOf: ({ path }) => [path],
  });

const PATH = select(pick(columnsOf(ragFiles), "path"));

/**
 * The same of the files that have a status in any of these live indexes. Each index is read in
 * order of path up to the page's end, so that the rest is never touched.
 */
export async function readFilePageByStatus(
  db: Database,
  { sourceId, prefix, at }: FilePageQuery,
  { status, indexes }: { status: FileStatus; indexes: LiveIndex[] },
): Promise<KeyedPage<SourceFile>> {
  const reading = readingOf(at, 1);
  const { backwards, rows, key } = reading;
  const beyond = key === null ? raw("1") : sql`path ${raw(backwards ? "<" : ">")} ${key[0]}`;
  const found = await runBatch(
    db,
    indexes.map(({ ragId, generation }) =>
      sql`select ${PATH} from rag_files
        where rag_id = ${ragId} and generation = ${generation} and status = ${status}
          and path >= ${prefix} and path < ${prefix + AFTER_ALL} and ${beyond}
        order by path ${raw(backwards ? "desc" : "asc")} limit ${rows}`.reading(PATH),
    ),
  );
  const paths = [...new Set(found.flat().map(({ path }) => path))].sort(byBytes);
  if (backwards) paths.reverse();
  const page = keyedPage(paths.slice(0, rows), at, reading, (path) => [path]);
  const data = await readRows(db, SOURCE_FILE)`select ${SOURCE_FILE}
    from json_each(${page.data}) wanted
    cross join files f on f.file_source_id = ${sourceId} and f.path = wanted.value
    order by wanted.key`;
  return { ...page, data };
}

/** SQLite compares the bytes of UTF-8: the order of code points, not of UTF-16. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
