import type { VectorId } from "../../core/ids.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { rowsOf, run, select, valueOf, addToTotals } from "../tables.ts";
import type { Verb } from "../write/write-context.ts";

/** Longer than a worker lives: by then, vectors sent before the removal have arrived. */
const REMOVED_AGAIN_AFTER_MS = 16 * MINUTE_MS;

/** Adds tombstones for these vectors. Returns how many of them had none yet. */
export function addTombstones(sql: SqlStorage, ids: VectorId[]): number {
  const { length } = rowsOf(sql)`INSERT OR IGNORE INTO vector_tombstones (id)
    SELECT value FROM json_each(${ids}) RETURNING 1`;
  addToTotals(sql, { tombstones: length });
  return length;
}

export const tombstones: Verb<"tombstones"> = ({ sql }, now, limit) => {
  const due = "WHERE due_at <= ? ORDER BY due_at, id LIMIT ?";
  return select(sql, "vector_tombstones", ["id"], due, now, limit).map(({ id }) => id);
};

export const confirmRemoved: Verb<"confirmRemoved"> = ({ sql }, ids, now) => {
  const deleted = rowsOf(sql)`DELETE FROM vector_tombstones
    WHERE id IN (SELECT value FROM json_each(${ids})) AND removed = 1 AND due_at <= ${now}
    RETURNING 1`;
  addToTotals(sql, { tombstones: -deleted.length });
  run(sql)`UPDATE vector_tombstones SET removed = 1, due_at = ${now + REMOVED_AGAIN_AFTER_MS}
    WHERE removed = 0 AND id IN (SELECT value FROM json_each(${ids}))`;
};

/** The earliest time (ms) at which a vector is to be removed; null: no tombstones. */
export const purgeDueAt = (sql: SqlStorage): number | null =>
  valueOf<number>(sql)`SELECT min(due_at) FROM vector_tombstones`;
