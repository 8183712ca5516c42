import { MINUTE_MS } from "../../core/time.ts";
import type { VectorId } from "../../core/ids.ts";
import { select, valueOf, addToTotals } from "../tables.ts";

/**
 * A worker lives 15 minutes at most: vectors that it was still sending when their chunk was
 * removed have arrived by then, and are removed the second time.
 */
const REMOVED_AGAIN_AFTER_MS = 16 * MINUTE_MS;

type Stored = { sql: SqlStorage };

/** Adds tombstones for these vectors. Returns how many of them had none yet. */
export function addTombstones(sql: SqlStorage, ids: VectorId[]): number {
  const added = sql.exec(
    `INSERT OR IGNORE INTO vector_tombstones (id) SELECT value FROM json_each(?) RETURNING 1`,
    JSON.stringify(ids),
  );
  const count = added.toArray().length;
  addToTotals(sql, { tombstones: count });
  return count;
}

export function tombstones({ sql }: Stored, now: number, limit: number): VectorId[] {
  const due = "WHERE due_at <= ? ORDER BY due_at, id LIMIT ?";
  return select(sql, "vector_tombstones", ["id"], due, now, limit).map(({ id }) => id);
}

export function confirmRemoved({ sql }: Stored, ids: VectorId[], now: number): void {
  const list = JSON.stringify(ids);
  const gone = sql.exec(
    `DELETE FROM vector_tombstones WHERE id IN (SELECT value FROM json_each(?))
          AND removed = 1 AND due_at <= ? RETURNING 1`,
    list,
    now,
  );
  addToTotals(sql, { tombstones: -gone.toArray().length });
  sql.exec(
    `UPDATE vector_tombstones SET removed = 1, due_at = ?
          WHERE removed = 0 AND id IN (SELECT value FROM json_each(?))`,
    now + REMOVED_AGAIN_AFTER_MS,
    list,
  );
}

/** The earliest time (ms) at which a vector is to be removed; null: no tombstones. */
export const purgeDueAt = (sql: SqlStorage): number | null =>
  valueOf(sql, "SELECT min(due_at) FROM vector_tombstones");
