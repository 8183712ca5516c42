import { BitSet } from "../core/bit-set.ts";
import type { SearchExclusions } from "../ports/rag-index.ts";
import { select, valueOf, valuesOf } from "./tables.ts";

export function writeExclusions(sql: SqlStorage, { paths, passages }: SearchExclusions): void {
  const rows = [...paths.map((path) => ["file", path]), ...passages.map((key) => ["passage", key])];
  sql.exec("DELETE FROM exclusions");
  sql.exec(
    `INSERT OR IGNORE INTO exclusions (kind, value)
      SELECT value ->> 0, value ->> 1 FROM json_each(?)`,
    JSON.stringify(rows),
  );
}

export function excludedPaths(sql: SqlStorage): Set<string> {
  return new Set(
    select(sql, "exclusions", ["value"], "WHERE kind = 'file'").map(({ value }) => value),
  );
}

export const isPathExcluded = (sql: SqlStorage, path: string): boolean =>
  valueOf(sql, "SELECT 1 FROM exclusions WHERE kind = 'file' AND value = ?", path) !== null;

/** The live chunks of the excluded passages' texts; null: nothing is excluded. */
export function excludedChunks(sql: SqlStorage): BitSet | null {
  const chunks = valuesOf<number>(
    sql,
    `SELECT c.chunk FROM exclusions e
      CROSS JOIN chunks c ON c.duplicate_key = e.value AND c.live = 1 WHERE e.kind = 'passage'`,
  );
  return chunks.length === 0 ? null : new BitSet(chunks);
}
