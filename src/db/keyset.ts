/*
 * Lists that are read page by page from an index: a page costs the same wherever it lies, because
 * it begins at a key instead of skipping rows.
 */
import type { Reads } from "./client.ts";
import type { RowReader } from "./columns.ts";
import { readRows } from "./raw-sql.ts";

/** A row's place in the order of its list: the values of the columns that it is ordered by. */
export type Key = (string | number)[];

/** Where a page lies: after a row, before one, or at the beginning. */
export type PageAt = { after: Key | null; before: Key | null; limit: number };

/** A page, and the keys that the pages around it begin with; null where the list ends. */
export type KeyedPage<Row> = { data: Row[]; before: Key | null; after: Key | null };

/** How a page is read: `backwards` from a key to the beginning of the list. */
export type Reading = { key: Key | null; backwards: boolean; rows: number };

/** A key of another list is no key: such a page begins at the beginning. */
export function readingOf({ after, before, limit }: PageAt, columns: number): Reading {
  const usable = (key: Key | null) => (key?.length === columns ? key : null);
  const key = usable(after) ?? usable(before);
  // One row more than is shown tells whether there are more.
  return { key, backwards: key !== null && usable(after) === null, rows: limit + 1 };
}

/** What was read, in the order of reading, as a page. */
export function keyedPage<Row>(
  read: Row[],
  at: PageAt,
  { key, backwards }: Reading,
  keyOf: (row: Row) => Key,
): KeyedPage<Row> {
  const hasMore = read.length > at.limit;
  const data = read.slice(0, at.limit);
  if (backwards) data.reverse();
  const [first] = data;
  const last = data.at(-1);
  const hasBefore = backwards ? hasMore : key !== null;
  const hasAfter = backwards || hasMore;
  return {
    data,
    before: hasBefore && first !== undefined ? keyOf(first) : null,
    after: hasAfter && last !== undefined ? keyOf(last) : null,
  };
}

/** After a prefix it sorts behind every text that begins with the prefix. */
const AFTER_ALL = "\u{10FFFF}";

/** The range of texts that begin with a prefix, for `beginsWith`; "": all texts. */
export const prefixBounds = (prefix: string) => [prefix, prefix + AFTER_ALL];

/** A condition that reads a range of the column's index; its two parameters begin at `first`. */
export const beginsWith = (column: string, first: number) =>
  `${column} >= ?${first} and ${column} < ?${first + 1}`;

type KeyedList<Row> = {
  read: RowReader<Row>;
  /** All of it up to the conditions of the key: `select … from … where …`. */
  sql: string;
  parameters: unknown[];
  /** Of an index, in its order; together they identify a row. */
  columns: readonly string[];
  order: "asc" | "desc";
  keyOf: (row: Row) => Key;
};

/** One page of a list, read from its index. */
export async function readKeyedPage<Row>(
  db: Reads,
  at: PageAt,
  list: KeyedList<Row>,
): Promise<KeyedPage<Row>> {
  const { columns, parameters } = list;
  const reading = readingOf(at, columns.length);
  const direction = (list.order === "asc") === reading.backwards ? "desc" : "asc";
  const marks = columns.map((_, column) => `?${parameters.length + 1 + column}`);
  const beyond = `(${columns.join(", ")}) ${direction === "asc" ? ">" : "<"} (${marks.join(", ")})`;
  const order = columns.map((column) => `${column} ${direction}`).join(", ");
  const rows = await readRows(
    db,
    list.read,
    `${list.sql} and ${reading.key === null ? "1" : beyond} order by ${order}
     limit ${reading.rows}`,
    ...parameters,
    ...(reading.key ?? []),
  );
  return keyedPage(rows, at, reading, list.keyOf);
}

type NamedList<Row> = {
  read: RowReader<Row>;
  /** Up to the conditions. */
  select: string;
  /** Of the table whose `id` begins with the time and whose `(name, id)` is an index. */
  alias: string;
  prefix: string;
};

/** The newest first; with a prefix, those whose names begin so in order of name. */
export async function readNamedPage<Row extends { id: string; name: string }>(
  db: Reads,
  at: PageAt,
  { read, select, alias, prefix }: NamedList<Row>,
): Promise<KeyedPage<Row>> {
  const id = `${alias}.id`;
  if (prefix === "") {
    return await readKeyedPage(db, at, {
      read,
      sql: `${select} where 1`,
      parameters: [],
      columns: [id],
      order: "desc",
      keyOf: (row) => [row.id],
    });
  }
  const name = `${alias}.name`;
  return await readKeyedPage(db, at, {
    read,
    sql: `${select} where ${beginsWith(name, 1)}`,
    parameters: prefixBounds(prefix),
    columns: [name, id],
    order: "asc",
    keyOf: (row) => [row.name, row.id],
  });
}
