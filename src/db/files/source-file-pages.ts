import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { row, text } from "../columns.ts";
import { keyedPage, readingOf, readKeyedPage, type KeyedPage, type PageAt } from "../keyset.ts";
import { query, readRows, runBatch } from "../raw-sql.ts";
import { AFTER_ALL } from "../path-range.ts";
import type { FileStatus } from "./public-files.ts";
import { SOURCE_FILE, SOURCE_FILE_COLUMNS, type SourceFile } from "./source-file-list.ts";

/** The live index of one RAG. */
export type LiveIndex = { ragId: RagId; generation: number };

export type FilePageQuery = {
  sourceId: FileSourceId;
  /** What the paths begin with; "" for all. */
  prefix: string;
  at: PageAt;
};

/** A page of a source's files in order of path, read from the index of paths alone. */
export async function readFilePage(
  db: Database,
  { sourceId, prefix, at }: FilePageQuery,
): Promise<KeyedPage<SourceFile>> {
  return await readKeyedPage(db, at, {
    read: SOURCE_FILE,
    sql: `select ${SOURCE_FILE_COLUMNS} from files f
      where f.file_source_id = ?1 and f.path >= ?2 and f.path < ?3`,
    parameters: [sourceId, prefix, prefix + AFTER_ALL],
    columns: ["f.path"],
    order: "asc",
    keyOf: ({ path }) => [path],
  });
}

const PATH = row({ path: text });

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
  const { backwards, rows } = reading;
  const key = String(reading.key?.[0] ?? "");
  const beyond = reading.key === null ? "?6 = ''" : `path ${backwards ? "<" : ">"} ?6`;
  const direction = backwards ? "desc" : "asc";
  const found = await runBatch(
    db,
    indexes.map(({ ragId, generation }) =>
      query(
        PATH,
        `select path from rag_files where rag_id = ?1 and generation = ?2 and status = ?3
           and path >= ?4 and path < ?5 and ${beyond} order by path ${direction} limit ${rows}`,
        ragId,
        generation,
        status,
        prefix,
        prefix + AFTER_ALL,
        key,
      ),
    ),
  );
  const paths = [...new Set(found.flat().map(({ path }) => path))].sort(byBytes);
  if (backwards) paths.reverse();
  const page = keyedPage(paths.slice(0, rows), at, reading, (path) => [path]);
  return { ...page, data: await filesAt(db, sourceId, page.data) };
}

/** SQLite compares the bytes of UTF-8: the order of code points, not of UTF-16. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

async function filesAt(db: Database, sourceId: FileSourceId, paths: string[]) {
  return await readRows(
    db,
    SOURCE_FILE,
    `select ${SOURCE_FILE_COLUMNS} from json_each(?2) wanted
     cross join files f on f.file_source_id = ?1 and f.path = wanted.value order by wanted.key`,
    sourceId,
    paths,
  );
}
