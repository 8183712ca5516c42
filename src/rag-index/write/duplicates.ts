import type { DuplicateMark } from "./write-context.ts";

type Row = { chunk: number; duplicate: number };

/** The live chunk inserted first for each key. */
const FIRST_OF_KEYS = `SELECT (
    SELECT min(chunk) FROM chunks WHERE duplicate_key = wanted.value AND live = 1
  ) FROM json_each(?) wanted`;

/**
 * Changes which chunks of these keys are live and updates the duplicate marks: of equal live
 * chunks the one inserted first is the original. `change` must mark the chunks that it makes live.
 * The cost depends on the number of keys, not on the number of equal chunks.
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
