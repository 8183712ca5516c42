import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { Reads } from "../client.ts";
import { nullable, number, oneOf, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { query, readRows, runBatch } from "../raw-sql.ts";
import { FILE_STATUSES } from "../schema/rags.ts";
import { AFTER_SLASH } from "../path-range.ts";

export type FileStatus = (typeof FILE_STATUSES)[number];

const PUBLIC_FILE = row({
  path: text,
  externalId: nullable(text),
  name: text,
  status: oneOf(FILE_STATUSES),
  indexedAt: nullable(number),
  size: number,
  mimeType: text,
  errorMessage: nullable(text),
});
export type PublicFile = Row<typeof PUBLIC_FILE>;

/** The rows of a RAG's live generation. */
export type LiveRows = { ragId: RagId; generation: number };

const COLUMNS = `rf.path, f.external_id as externalId, f.name, rf.status,
  rf.indexed_at as indexedAt, f.size, f.mime_type as mimeType, rf.error_message as errorMessage`;

export type FileFilter = { status: FileStatus | null; folder: string | null };
export type FileSlice = LiveRows & { offset: number; limit: number; filter: FileFilter };

/**
 * The ids and paths of what a filter selects, read from the index of (rag_id, generation, status,
 * path) alone; only a page itself reads the tables. Without a status, SQLite merges the five lists
 * in order of path, each as far as the page's end.
 */
function rowsSql({ status, folder }: FileFilter, from: ">=" | ">" = ">="): string {
  const rowsWith = (wanted: string) => `select x.file_id, x.path from rag_files x
    where x.rag_id = ?1 and x.generation = ?5 and x.status = ${wanted} and x.path ${from} ?3
      ${folder === null ? "" : "and x.path < ?4"}`;
  if (status !== null) return rowsWith("?2");
  return FILE_STATUSES.map((one) => rowsWith(`'${one}'`)).join(" union all ");
}

/** The parameters ?2 to ?4: status, where the paths begin, and where they end. */
function bounds({ status, folder }: FileFilter, from = folder ?? ""): (string | null)[] {
  return [status, from, folder === null ? null : folder.slice(0, -1) + AFTER_SLASH];
}

const OF_PAGE = `cross join rag_files rf on rf.rag_id = ?1 and rf.generation = ?5
    and rf.file_id = page.file_id
  cross join files f on f.id = rf.file_id`;

function sliceStatement({ ragId, generation, offset, limit, filter }: FileSlice) {
  return query(
    PUBLIC_FILE,
    `select ${COLUMNS} from (${rowsSql(filter)} order by path limit ?6 offset ?7) page
     ${OF_PAGE} order by rf.path`,
    ragId,
    ...bounds(filter),
    generation,
    limit,
    offset,
  );
}

/** Slices of the lists of one or several RAGs, by path, in one round trip. */
export async function readFileSlices(db: Reads, slices: FileSlice[]): Promise<PublicFile[][]> {
  return await runBatch(db, slices.map(sliceStatement));
}

/** A page and the number of files below a folder, counted in the index. */
export async function readFolderPage(db: Reads, slice: FileSlice) {
  const [files, [counted]] = await runBatch(db, [
    sliceStatement(slice),
    query(
      row({ total: number }),
      `select count(*) as total from (${rowsSql(slice.filter)})`,
      slice.ragId,
      ...bounds(slice.filter),
      slice.generation,
    ),
  ]);
  return { files, total: counted?.total ?? 0 };
}

/** The next files after a path (all from the start with null), for a list without pages. */
export async function readFilesAfter(
  db: Reads,
  { ragId, generation }: LiveRows,
  filter: FileFilter,
  after: string | null,
  limit: number,
): Promise<PublicFile[]> {
  return await readRows(
    db,
    PUBLIC_FILE,
    `select ${COLUMNS} from (${rowsSql(filter, after === null ? ">=" : ">")}
       order by path limit ?6) page ${OF_PAGE} order by rf.path`,
    ragId,
    ...bounds(filter, after ?? undefined),
    generation,
    limit,
  );
}

/**
 * A file of a source as each of these RAGs indexes it, looked up by path and by external id.
 * @param names that it may be stored under; the first known one counts.
 */
export async function findFileStatuses(
  db: Reads,
  sourceId: FileSourceId,
  rags: LiveRows[],
  names: string[],
): Promise<PublicFile[]> {
  const found = (column: string) =>
    query(
      PUBLIC_FILE,
      `select ${COLUMNS} from files f cross join json_each(?3) m
         join rag_files rf on rf.rag_id = m.value ->> 'ragId'
           and rf.generation = m.value ->> 'generation' and rf.file_id = f.id
       where f.file_source_id = ?1 and f.${column} in (select value from json_each(?2))`,
      sourceId,
      names,
      rags,
    );
  const [byPath, byId] = await runBatch(db, [found("path"), found("external_id")]);
  // A path identifies one file; an external id may have belonged to another file before.
  return firstNamed(byPath, names, "path") ?? firstNamed(byId, names, "externalId") ?? [];
}

function firstNamed(files: PublicFile[], names: string[], by: "path" | "externalId") {
  const name = names.find((one) => files.some((file) => file[by] === one));
  return name === undefined ? null : files.filter((file) => file[by] === name);
}
