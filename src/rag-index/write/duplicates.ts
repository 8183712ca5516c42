import { valuesOf } from "../tables.ts";
import type { DuplicateMark } from "./write-context.ts";

/**
 * Changes which chunks of these keys are live; of equal live chunks the first inserted is the
 * original. `change` makes the entering, unmarked chunks live. Returns the marks that changed. The
 * cost depends on the number of keys, not of equal chunks.
 */
export function updateDuplicates(
  sql: SqlStorage,
  { keys, entering }: { keys: string[]; entering: number[] },
  change: () => void,
): DuplicateMark[] {
  const list = [...new Set(keys)];
  const before = originals(sql, list);
  change();
  const after = originals(sql, list);
  const isNew = new Set(entering);
  // Most chunks are unlike all others: they enter without a mark.
  const demoted = [...before, ...entering].filter((chunk) => !after.has(chunk));
  const promoted = [...after].filter((chunk) => !before.has(chunk) && !isNew.has(chunk));
  return [...mark(sql, demoted, true), ...mark(sql, promoted, false)];
}

/** Those of these keys that live chunks have. */
export function liveKeys(sql: SqlStorage, keys: string[]): Set<string> {
  return new Set(valuesOf<string>(sql)`SELECT value FROM json_each(${keys}) wanted
    WHERE EXISTS (SELECT 1 FROM chunks WHERE duplicate_key = wanted.value AND live = 1)`);
}

/** The live chunk inserted first for each key that has one. */
function originals(sql: SqlStorage, keys: string[]): Set<number> {
  const first = valuesOf<number | null>(sql)`SELECT (
      SELECT min(chunk) FROM chunks WHERE duplicate_key = wanted.value AND live = 1
    ) AS chunk FROM json_each(${keys}) wanted`;
  return new Set(first.filter((chunk) => chunk !== null));
}

/** Marks those chunks that are still live. */
function mark(sql: SqlStorage, chunks: number[], duplicate: boolean): DuplicateMark[] {
  if (chunks.length === 0) return [];
  const marked = valuesOf<number>(sql)`UPDATE chunks SET duplicate = ${duplicate}
    WHERE chunk IN (SELECT value FROM json_each(${chunks})) AND live = 1 RETURNING chunk`;
  return marked.map((chunk) => ({ chunk, duplicate }));
}
