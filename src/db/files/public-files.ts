import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { Reads } from "../client.ts";
import { runBatch, runOne, statement } from "../raw-sql.ts";
import type { FILE_STATUSES } from "../schema/rags.ts";

export type FileStatus = (typeof FILE_STATUSES)[number];

export type PublicFile = {
  path: string;
  externalId: string | null;
  name: string;
  status: FileStatus;
  indexedAt: number | null;
  size: number;
  mimeType: string;
  errorMessage: string | null;
};

const COLUMNS = `rf.path, f.external_id as externalId, f.name, rf.status,
  rf.indexed_at as indexedAt, f.size, f.mime_type as mimeType, rf.error_message as errorMessage`;

export type FileFilter = { status: FileStatus | null; folder: string | null };
export type FileSlice = { ragId: RagId; offset: number; limit: number; filter: FileFilter };

/**
 * What is skipped is read from an index alone: (rag_id, path), or (rag_id, status, path) with a
 * status; only the page itself touches the tables.
 */
function filterSql({ status, folder }: FileFilter, from: ">=" | ">" = ">="): string {
  return [
    `x.rag_id = ?1 and x.path ${from} ?3`,
    status === null ? "" : "and x.status = ?2",
    folder === null ? "" : "and x.path < ?4",
  ].join(" ");
}

/** What follows "/" in the order of bytes: it ends the range of all paths below a folder. */
const AFTER_SLASH = "0";

/** The parameters ?2 to ?4: status, where the paths begin, and where they end. */
function bounds({ status, folder }: FileFilter, from = folder ?? ""): (string | null)[] {
  return [status, from, folder === null ? null : folder.slice(0, -1) + AFTER_SLASH];
}

function sliceStatement({ ragId, offset, limit, filter }: FileSlice) {
  return statement(
    `select ${COLUMNS} from (
       select x.rowid as id from rag_files x where ${filterSql(filter)}
       order by x.path limit ?5 offset ?6) page
     cross join rag_files rf on rf.rowid = page.id cross join files f on f.id = rf.file_id
     order by rf.path`,
    ragId,
    ...bounds(filter),
    limit,
    offset,
  );
}

/** Slices of one or several RAGs' lists, by path, in one round trip. */
export async function readFileSlices(db: Reads, slices: FileSlice[]): Promise<PublicFile[][]> {
  return (await runBatch(db, slices.map(sliceStatement))) as PublicFile[][];
}

/** A page and the number of files below a folder, counted in the index. */
export async function readFolderPage(db: Reads, slice: FileSlice) {
  const [files, counted] = await runBatch(db, [
    sliceStatement(slice),
    statement(
      `select count(*) as total from rag_files x where ${filterSql(slice.filter)}`,
      slice.ragId,
      ...bounds(slice.filter),
    ),
  ]);
  const [row] = (counted ?? []) as { total: number }[];
  return { files: (files ?? []) as PublicFile[], total: row?.total ?? 0 };
}

/** The next files after a path (all from the start with null), for a list without pages. */
export async function readFilesAfter(
  db: Reads,
  ragId: RagId,
  filter: FileFilter,
  after: string | null,
  limit: number,
): Promise<PublicFile[]> {
  return await runOne<PublicFile>(
    db,
    statement(
      `select ${COLUMNS} from rag_files x cross join rag_files rf on rf.rowid = x.rowid
         cross join files f on f.id = rf.file_id
       where ${filterSql(filter, after === null ? ">=" : ">")} order by x.path limit ?5`,
      ragId,
      ...bounds(filter, after ?? undefined),
      limit,
    ),
  );
}

/**
 * A file of a source as each of these RAGs indexes it, looked for by path and by external id.
 * @param names that it may be stored under; the first that is known counts.
 */
export async function findFileStatuses(
  db: Reads,
  sourceId: FileSourceId,
  ragIds: RagId[],
  names: string[],
): Promise<PublicFile[]> {
  const found = (column: string) =>
    statement(
      `select ${COLUMNS} from files f join rag_files rf on rf.file_id = f.id
       where f.file_source_id = ?1 and f.${column} in (select value from json_each(?2))
         and rf.rag_id in (select value from json_each(?3))`,
      sourceId,
      names,
      ragIds,
    );
  const [byPath, byId] = await runBatch(db, [found("path"), found("external_id")]);
  // A path names one file for certain; an external id may have been another file's before.
  return (
    firstNamed(byPath as PublicFile[], names, "path") ??
    firstNamed(byId as PublicFile[], names, "externalId") ??
    []
  );
}

function firstNamed(files: PublicFile[], names: string[], by: "path" | "externalId") {
  const name = names.find((one) => files.some((file) => file[by] === one));
  return name === undefined ? null : files.filter((file) => file[by] === name);
}
