/*
 * Lists that are read page by page from an index: a page costs the same wherever it lies, because
 * it begins at a key instead of skipping rows.
 */

/** Where a page lies: after a key, before one, or at the beginning. */
export type PageAt = { after: string | null; before: string | null; limit: number };

/** A page, and the keys with which the pages around it begin; null where the list ends. */
export type KeyedPage<Row> = { data: Row[]; before: string | null; after: string | null };

/** Rows to read: one more than shown tells whether there are more. */
export const rowsToRead = ({ limit }: PageAt) => limit + 1;

/** Whether the rows are read backwards, from the key to the beginning of the list. */
export const isBackwards = ({ after, before }: PageAt) => after === null && before !== null;

/** What was read as a page: rows in the order of reading, at most `rowsToRead` of them. */
export function keyedPage<Row>(
  read: Row[],
  at: PageAt,
  keyOf: (row: Row) => string,
): KeyedPage<Row> {
  const hasMore = read.length > at.limit;
  const data = read.slice(0, at.limit);
  const backwards = isBackwards(at);
  if (backwards) data.reverse();
  const [first] = data;
  const last = data.at(-1);
  const hasBefore = backwards ? hasMore : at.after !== null;
  const hasAfter = backwards || hasMore;
  return {
    data,
    before: hasBefore && first !== undefined ? keyOf(first) : null,
    after: hasAfter && last !== undefined ? keyOf(last) : null,
  };
}
