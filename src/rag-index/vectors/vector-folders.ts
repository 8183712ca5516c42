import type { BitSet } from "../../core/bit-set.ts";
import { folderOf, withAncestors } from "../../core/folders.ts";
import { trimEnd } from "../../core/trim.ts";
import type { Restriction, RestrictionPlan } from "../../ports/rag-index.ts";
import { LEFT, rowsOf, run, valueOf, valuesOf, type Row } from "../tables.ts";
import type { Verb } from "../write/write-context.ts";

/** Folders that may hold a file's vectors: the old one, too, until all are visible in the new. */

/** Vectors of these files will be sent under these folders. */
export function noteFolders(sql: SqlStorage, chunks: { file: number; folder: string }[]): void {
  const places = chunks.map(({ file, folder }) => [file, folder]);
  run(sql)`INSERT INTO vector_folders (file, folder)
    SELECT DISTINCT value ->> 0, value ->> 1 FROM json_each(${places}) WHERE 1
    ON CONFLICT (file, folder) DO UPDATE SET queued = 0 WHERE queued = 1`;
}

export function recordFileFolder(sql: SqlStorage, file: number, path: string): void {
  const folder = folderOf(path);
  run(sql)`UPDATE vector_folders SET stale = (folder <> ${folder}), queued = 0
    WHERE file = ${file} AND stale <> (folder <> ${folder})`;
}

export function forgetFolders(sql: SqlStorage, file: number): void {
  run(sql)`DELETE FROM vector_folders WHERE file = ${file}`;
}

export const countMoved = (sql: SqlStorage): number =>
  valueOf<number>(sql)`SELECT count(DISTINCT file) FROM vector_folders WHERE stale = 1` ?? 0;

/** Queues vectors of moved files to be sent again; whole files, and at least one file. */
export const queueMoved: Verb<"queueMoved"> = ({ sql }, limitChunks) => {
  const files: number[] = [];
  let queued = 0;
  const rows = rowsOf<{ file: number; chunks: number }>(sql)`
    SELECT v.file, (
      SELECT count(*) FROM chunks c WHERE c.file = v.file AND c.live <> ${LEFT}) AS chunks FROM (
      SELECT DISTINCT file FROM vector_folders WHERE stale = 1 AND queued = 0 LIMIT ${limitChunks}
    ) v`;
  for (const { file, chunks } of rows) {
    if (files.length > 0 && queued + chunks > limitChunks) break;
    files.push(file);
    queued += chunks;
  }
  if (files.length === 0) return 0;
  // In-flight vectors were sent under the old folder, or are about to be.
  run(sql)`INSERT INTO in_flight_vectors (chunk)
    SELECT c.chunk FROM json_each(${files}) moved CROSS JOIN chunks c ON c.file = moved.value
    WHERE c.live <> ${LEFT} ON CONFLICT (chunk) DO UPDATE SET batch = NULL, sent_at = 0, seen_at = NULL`;
  run(sql)`UPDATE vector_folders SET queued = 1
    WHERE stale = 1 AND file IN (SELECT value FROM json_each(${files}))`;
  return queued;
};

/** Forgets the old folders of files whose vectors are all visible in the current folder. */
export function settleMoved(sql: SqlStorage): void {
  run(sql)`DELETE FROM vector_folders WHERE stale = 1 AND queued = 1 AND NOT EXISTS (
    SELECT 1 FROM chunks c JOIN in_flight_vectors u ON u.chunk = c.chunk
    WHERE c.file = vector_folders.file)`;
}

/** The files among these whose vectors may still be under a folder other than the file's. */
export function findMovedFiles(sql: SqlStorage, files: number[]): Set<number> {
  return new Set(valuesOf<number>(sql)`SELECT v.file FROM json_each(${files}) wanted
    CROSS JOIN vector_folders v ON v.file = wanted.value AND v.stale = 1`);
}

/** Up to this many moved files are searched by their own keys; for more, all folders are. */
const FILES_BY_KEY = 20;
/** Rows about moved files that one search reads: some milliseconds. */
const MOVED_READ = 1_000;

/** Files of the restriction that the vector index may hold under other folders. */
export function planMovedFiles(
  sql: SqlStorage,
  { named: scopes }: Restriction,
  files: BitSet | null,
): RestrictionPlan {
  const folders = new Set(scopes?.folders.map((folder) => trimEnd(folder, "/")));
  const isSearchedFolder = (folder: string) =>
    folders.has("") || withAncestors(folder).some((above) => folders.has(above));
  const moved = readMovedFiles(sql, files);
  const outside = moved?.filter(({ folder }) => !isSearchedFolder(folder)).map(({ id }) => id);
  const fileIds = new Set(outside);
  return moved === null || fileIds.size > FILES_BY_KEY ? "anywhere" : [...fileIds];
}

type MovedFile = Row<"files", "file" | "id"> & Row<"vector_folders", "folder">;

/** The old folders of the moved files among these; null: too many to read. */
function readMovedFiles(sql: SqlStorage, files: BitSet | null): MovedFile[] | null {
  const few = files !== null && files.size <= MOVED_READ ? files : null;
  const from = few === null ? "vector_folders v" : "json_each(?2) few CROSS JOIN vector_folders v";
  const moved = sql
    .exec<MovedFile>(
      `SELECT v.file, f.id, v.folder FROM ${from} CROSS JOIN files f ON f.file = v.file
        WHERE v.stale = 1 ${few === null ? "" : "AND v.file = few.value"} LIMIT ?1`,
      MOVED_READ + 1,
      ...(few === null ? [] : [JSON.stringify([...few])]),
    )
    .toArray();
  return moved.length > MOVED_READ ? null : moved.filter(({ file }) => files?.has(file) !== false);
}
