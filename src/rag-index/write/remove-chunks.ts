import { vectorIdOf, type FileId } from "../../core/ids.ts";
import { chunksOf, select, addToTotals, type Row } from "../tables.ts";
import { deleteInFlight, sendsVectors } from "../vectors/in-flight-vectors.ts";
import { addTombstones } from "../vectors/tombstones.ts";
import { forgetFolders } from "../vectors/vector-folders.ts";
import { markAudiencesLeft } from "./audiences.ts";
import { updateDuplicates } from "./duplicates.ts";
import { addFile, findFile, markRemoved } from "./files.ts";
import { unindexWords } from "./word-index.ts";
import type { WriteContext, Verb } from "./write-context.ts";

export type LeavingChunk = Row<"chunks", "chunk" | "id" | "live">;

/** Deletes chunks with all dependent rows; their vectors, staged ones too, get tombstones. */
export function deleteChunks(context: WriteContext, leaving: LeavingChunk[]): void {
  const { sql } = context;
  if (leaving.length === 0) return;
  const live = leaving.filter(({ live }) => live === 1).map(({ chunk }) => chunk);
  unindexWords(context, live);
  const chunks = chunksOf(leaving);
  const rows = JSON.stringify(chunks);
  for (const table of ["chunks", "contents", "sign_codes"]) {
    sql.exec(`DELETE FROM ${table} WHERE chunk IN (SELECT value FROM json_each(?))`, rows);
  }
  deleteInFlight(sql, chunks);
  const vectors = leaving.map(({ id, chunk }) => vectorIdOf(id, chunk));
  if (sendsVectors(sql)) addTombstones(sql, vectors);
  const staged = live.length - leaving.length;
  addToTotals(sql, { chunks: -live.length, staged });
}

/** Deletes up to `limit` chunks of an index no longer searched; returns whether more are left. */
export const abandon: Verb<"abandon"> = (context, limit) => {
  const { sql, change } = context;
  const first = "ORDER BY chunk LIMIT ?";
  const leaving = select(sql, "chunks", ["chunk", "id", "live"], first, limit);
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
  const columns = ["chunk" as const, "id" as const, "live" as const, "duplicate_key" as const];
  const own = "WHERE file = ? AND (live = 1 OR revision <= ?)";
  const leaving = select(sql, "chunks", columns, own, file.file, revision);
  const live = leaving.filter((chunk) => chunk.live === 1);
  const keys = live.map(({ duplicate_key: key }) => key);
  const marks = updateDuplicates(sql, { keys, entering: [] }, () => deleteChunks(context, leaving));
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
