import type { ChunkId } from "../../core/ids.ts";
import type { IndexChange } from "../index-change.ts";
import type { TermCounts } from "./term-counts.ts";
import { addToTotals } from "../totals.ts";
import { deleteInFlight, plainUpTo, vectorIdOfRow } from "../vectors/in-flight-vectors.ts";
import { takeWords } from "./word-index.ts";

export type LeavingChunk = { chunk: number; id: ChunkId; live: number };

/**
 * Deletes chunks with all that hangs on them, and leaves tombstones of their vectors: also of those
 * of staged chunks, which may be in the vector index by now.
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
  deleteInFlight(
    sql,
    leaving.map(({ chunk }) => chunk),
  );
  const plain = plainUpTo(sql);
  const ids = JSON.stringify(leaving.map((row) => vectorIdOfRow(row, plain)));
  const added = sql.exec(
    "INSERT OR IGNORE INTO vector_tombstones (id) SELECT value FROM json_each(?) RETURNING 1",
    ids,
  );
  const tombstones = added.toArray().length;
  const staged = live.length - leaving.length;
  addToTotals(sql, { chunks: -live.length, staged, tombstones });
}

/** Deletes some chunks, live or staged, of an index that nobody asks any more; whether more are left. */
export function abandonChunks(
  sql: SqlStorage,
  termCounts: TermCounts,
  change: IndexChange,
  limit: number,
): boolean {
  const leaving = sql
    .exec<LeavingChunk>("SELECT chunk, id, live FROM chunks ORDER BY chunk LIMIT ?", limit)
    .toArray();
  deleteChunks(sql, termCounts, leaving);
  change.left.push(...leaving.map(({ chunk }) => chunk));
  return leaving.length === limit;
}
