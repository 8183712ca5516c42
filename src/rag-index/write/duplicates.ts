import type { DuplicateMark } from "./write-context.ts";

type Row = { chunk: number; duplicate: number };

/** The live chunk that came first of each key. */
const FIRST_OF_KEYS = `SELECT (
    SELECT min(chunk) FROM chunks WHERE duplicate_key = wanted.value AND live = 1
  ) FROM json_each(?) wanted`;

/**
 * Changes which chunks of these keys are live and keeps the marks right: of equal live chunks the
 * one inserted first is the original, all others are marked. Chunks that become live in `change`
 * must be marked by it. Costs the number of keys, however many equal chunks there are.
 */
export function withSuccession(
  sql: SqlStorage,
  duplicateKeys: string[],
  change: () => void,
): DuplicateMark[] {
  const keys = JSON.stringify([...new Set(duplicateKeys)]);
  const mark = (duplicate: 0 | 1) =>
    sql
      .exec<Row>(
        `UPDATE chunks SET duplicate = ${duplicate} WHERE chunk IN (${FIRST_OF_KEYS})
          RETURNING chunk, duplicate`,
        keys,
      )
      .toArray();
  const before = mark(1);
  change();
  const after = mark(0);
  return [...before, ...after].map(({ chunk, duplicate }) => ({
    chunk,
    duplicate: duplicate === 1,
  }));
}
