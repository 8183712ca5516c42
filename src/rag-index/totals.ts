import type { IndexFacts } from "../ports/rag-index.ts";

export type Totals = IndexFacts & { hiddenFiles: number };

/** Counters updated by every change, so that reading them costs one row. */
export function readTotals(sql: SqlStorage): Totals {
  return sql
    .exec<Totals>(
      "SELECT chunks, files, hidden_files AS hiddenFiles, staged, tombstones FROM totals",
    )
    .one();
}

/** Adds to the counters; omitted ones stay. */
export function addToTotals(sql: SqlStorage, change: Partial<Totals>): void {
  const { chunks = 0, files = 0, hiddenFiles = 0, staged = 0, tombstones = 0 } = change;
  sql.exec(
    `UPDATE totals SET chunks = chunks + ?, files = files + ?, hidden_files = hidden_files + ?,
      staged = staged + ?, tombstones = tombstones + ?`,
    chunks,
    files,
    hiddenFiles,
    staged,
    tombstones,
  );
}
