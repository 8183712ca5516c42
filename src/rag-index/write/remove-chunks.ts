import { vectorIdOf, type ChunkId, type FileId } from "../../core/ids.ts";
import { chunksOf, run, select, addToTotals, LEFT, PREPARED, type Row } from "../tables.ts";
import { deleteInFlight, sendsVectors } from "../vectors/in-flight-vectors.ts";
import { addTombstones } from "../vectors/tombstones.ts";
import { forgetFolders } from "../vectors/vector-folders.ts";
import { markAudiencesLeft } from "./audiences.ts";
import { updateDuplicates } from "./duplicates.ts";
import { addFile, findFile, markRemoved } from "./files.ts";
import { unindexWords } from "./word-index.ts";
import type { WriteContext, Verb } from "./write-context.ts";

export type LeavingChunk = Row<"chunks", "chunk" | "id" | "live">;

/** Chunks that one transaction deletes, in some 50 ms: other calls come between steps. */
const DELETED_AT_ONCE = 256;

/**
 * Takes chunks out of every search; their vectors, staged ones too, get tombstones. Of many, the
 * rows and words are deleted by steps of maintenance.
 */
export function withdrawChunks(context: WriteContext, leaving: LeavingChunk[]): void {
  endSearching(context, leaving);
  const { sql, removals } = context;
  if (removals.passages + leaving.length <= DELETED_AT_ONCE) return deleteChunks(context, leaving);
  removals.leavesRest = true;
  // Chunks that were only staged have no words.
  const indexed = leaving.filter(({ live }) => live !== 0);
  run(sql)`UPDATE chunks SET live = ${LEFT}
    WHERE chunk IN (SELECT value FROM json_each(${chunksOf(indexed)}))`;
  deleteChunks(
    context,
    leaving.filter(({ live }) => live === 0),
  );
}

function endSearching({ sql }: WriteContext, leaving: LeavingChunk[]): void {
  deleteInFlight(sql, chunksOf(leaving));
  const vectors = leaving.map(({ id, chunk }) => vectorIdOf(id, chunk));
  if (sendsVectors(sql)) addTombstones(sql, vectors);
  const count = leaving.filter(({ live }) => live === 1).length;
  addToTotals(sql, { chunks: -count, staged: count });
}

function deleteChunks(context: WriteContext, leaving: LeavingChunk[]): void {
  const { sql } = context;
  if (leaving.length === 0) return;
  unindexWords(context, chunksOf(leaving.filter(({ live }) => live !== 0)));
  const rows = JSON.stringify(chunksOf(leaving));
  for (const table of ["chunks", "contents", "sign_codes"]) {
    sql.exec(`DELETE FROM ${table} WHERE chunk IN (SELECT value FROM json_each(?))`, rows);
  }
  addToTotals(sql, { staged: -leaving.length });
}

const LEAVING = ["chunk", "id", "live"] as const;

/** Deletes those of these chunks that have left, as one of them is stored again. */
export function deleteLeft(context: WriteContext, ids: ChunkId[]): void {
  const among = `WHERE live = ${LEFT} AND id IN (SELECT value FROM json_each(?))`;
  deleteChunks(context, select(context.sql, "chunks", [...LEAVING], among, JSON.stringify(ids)));
}

/** For a version that came to nothing, as words that it staged would stay in the index. */
export function withdrawStaged(context: WriteContext, file: number, revision: number): void {
  const own = `WHERE file = ? AND live IN (0, ${PREPARED}) AND revision <= ?`;
  const staged = select(context.sql, "chunks", [...LEAVING], own, file, revision);
  if (staged.length > 0) withdrawChunks(context, staged);
}

/** When the next step of `purgeLeft` is due, ms; null: no chunk has left. */
export const purgeLeftAt = (sql: SqlStorage): number | null =>
  sql.exec(`SELECT 1 FROM chunks WHERE live = ${LEFT} LIMIT 1`).toArray().length === 0 ? null : 0;

/** One step, inside a transaction. */
export function purgeLeft(context: WriteContext): void {
  const first = `WHERE live = ${LEFT} ORDER BY chunk LIMIT ?`;
  deleteChunks(context, select(context.sql, "chunks", [...LEAVING], first, DELETED_AT_ONCE));
}

/** Deletes up to `limit` chunks of an index no longer searched; returns whether more are left. */
export const abandon: Verb<"abandon"> = (context, limit) => {
  const { sql, change } = context;
  const first = "ORDER BY chunk LIMIT ?";
  const leaving = select(sql, "chunks", [...LEAVING], first, limit);
  endSearching(context, leaving);
  deleteChunks(context, leaving);
  change.left.push(...chunksOf(leaving));
  return leaving.length === limit;
};

/**
 * Removes a file from every answer and keeps its row as removed, even if it had no content: a job
 * in progress must find that row. Content staged by a later revision stays. Called inside a
 * transaction.
 */
function removeFile(
  context: WriteContext,
  { fileId, revision }: { fileId: FileId; revision: number },
): void {
  const { sql, change } = context;
  const file = findFile(sql, fileId) ?? addFile(sql, fileId);
  if (revision < file.revision) return;
  const own = `WHERE file = ? AND live <> ${LEFT} AND (live = 1 OR revision <= ?)`;
  const leaving = select(sql, "chunks", [...LEAVING, "duplicate_key"], own, file.file, revision);
  const live = leaving.filter((chunk) => chunk.live === 1);
  const keys = live.map(({ duplicate_key: key }) => key);
  const marks = updateDuplicates(sql, { keys, entering: [] }, () =>
    withdrawChunks(context, leaving),
  );
  change.left.push(...chunksOf(live));
  change.marks.push(...marks);
  if (file.state === "live") addToTotals(sql, { files: -1, hiddenFiles: -file.hidden });
  if (file.audience !== 0) markAudiencesLeft(context);
  markRemoved(sql, file.file, revision);
  change.files.push(file.file);
  forgetFolders(sql, file.file);
}

export const remove: Verb<"remove"> = (context, files) => {
  for (const file of files) removeFile(context, file);
};
