import type { IndexFacts } from "../ports/rag-index.ts";

export type Totals = IndexFacts & { hiddenFiles: number };

/** Counters that are kept in step by every change, so that reading them costs one row. */
export function readTotals(sql: SqlStorage): Totals {
  const row = sql
    .exec<{
      chunks: number;
      files: number;
      hidden_files: number;
      staged: number;
      vector_tombstones: number;
    }>("SELECT chunks, files, hidden_files, staged, vector_tombstones FROM totals")
    .one();
  const { chunks, files, staged } = row;
  return {
    chunks,
    files,
    staged,
    tombstones: row.vector_tombstones,
    hiddenFiles: row.hidden_files,
  };
}

/** Adds to the counters; what is left out stays. */
export function addToTotals(sql: SqlStorage, change: Partial<Totals>): void {
  const { chunks = 0, files = 0, hiddenFiles = 0, staged = 0, tombstones = 0 } = change;
  sql.exec(
    `UPDATE totals SET chunks = chunks + ?, files = files + ?, hidden_files = hidden_files + ?,
      staged = staged + ?, vector_tombstones = vector_tombstones + ?`,
    chunks,
    files,
    hiddenFiles,
    staged,
    tombstones,
  );
}
