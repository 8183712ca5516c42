import type { ChunkId } from "../core/ids.ts";
import type { TermCounts } from "./term-counts.ts";
import { addToTotals } from "./totals.ts";
import { takeWords } from "./word-index.ts";

export type LeavingChunk = { chunk: number; id: ChunkId; live: number };

/**
 * Deletes chunks with all that hangs on them, and remembers their vectors as dead: also those of
 * staged chunks, which may be in the vector index by now.
 */
export function deleteChunks(
  sql: SqlStorage,
  termCounts: TermCounts,
  leaving: LeavingChunk[],
): void {
  if (leaving.length === 0) return;
  const live = leaving.filter(({ live }) => live === 1).map(({ chunk }) => chunk);
  takeWords(sql, termCounts, live);
  const rows = JSON.stringify(leaving.map(({ chunk }) => chunk));
  for (const table of ["chunks", "texts", "vectors"]) {
    sql.exec(`DELETE FROM ${table} WHERE chunk IN (SELECT value FROM json_each(?))`, rows);
  }
  const ids = JSON.stringify(leaving.map(({ id }) => id));
  const dead = sql.exec(
    "INSERT OR IGNORE INTO dead_vectors (id) SELECT value FROM json_each(?) RETURNING 1",
    ids,
  );
  const deadVectors = dead.toArray().length;
  const staged = live.length - leaving.length;
  addToTotals(sql, { chunks: -live.length, staged, deadVectors });
}

/** The vectors are gone from the vector index, or wanted again. */
export function deleteDeadVectors(sql: SqlStorage, ids: ChunkId[]): void {
  const gone = sql.exec(
    "DELETE FROM dead_vectors WHERE id IN (SELECT value FROM json_each(?)) RETURNING 1",
    JSON.stringify(ids),
  );
  addToTotals(sql, { deadVectors: -gone.toArray().length });
}
