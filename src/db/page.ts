import {
  raw,
  runBatch,
  sql,
  joined,
  readRows,
  type Reads,
  type ReadStatement,
  type Selection,
  type Sql,
} from "./sql.ts";
import { number, computed, select } from "./select.ts";
import { AFTER_ALL } from "./path-range.ts";

/** A slice of a list. */
export type Slice = { offset: number; limit: number };

const COUNT = select({ count: computed(number, "count(*)") });

/** Counts the rows of `from …`. */
export const counting = (from: Sql): ReadStatement<{ count: number }> =>
  sql`select ${COUNT} ${from}`.reading(COUNT);

/** The number of rows of `from …`. */
export async function countRows(db: Reads, from: Sql): Promise<number> {
  const [[counted]] = await runBatch(db, [counting(from)]);
  return counted?.count ?? 0;
}

/** The number of rows of `from …`; counting stops at `max`. */
export const countUpTo = (db: Reads, max: number, from: Sql) =>
  countRows(db, sql`from (select 1 ${from} limit ${max})`);

/** A slice of the rows of `from …` in an order, and the number of all, in one round trip. */
export async function readPage<Row>(
  db: Reads,
  of: Selection<Row>,
  { from, order, offset, limit }: Slice & { from: Sql; order: Sql },
): Promise<{ data: Row[]; total: number }> {
  const [data, [counted]] = await runBatch(db, [
    sql`select ${of} ${from} order by ${order} limit ${limit} offset ${offset}`.reading(of),
    counting(from),
  ]);
  return { data, total: counted?.count ?? 0 };
}

/**
 * The id of what a key names in a table, by id or by identifier; an id takes precedence. Each is
 * looked up in its index, where `or` would read all that is not removed.
 */
export const idOfKey = (table: "rags" | "file_sources", key: string): Sql =>
  sql`(select id from (select id from ${raw(table)} where id = ${key} union all
    select id from ${raw(table)} where identifier = ${key} and removed_at is null) limit 1)`;

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

/** A condition that reads a range of the column's index; "" selects all. */
export const beginsWith = (column: string, prefix: string): Sql =>
  sql`${raw(column)} >= ${prefix} and ${raw(column)} < ${prefix + AFTER_ALL}`;

type KeyedList<Row> = {
  of: Selection<Row>;
  /** All of it up to the conditions of the key: `from … where …`. */
  from: Sql;
  /** Columns of an index, in its order; together they identify a row. */
  columns: readonly string[];
  order: "asc" | "desc";
  keyOf: (row: Row) => Key;
};

/** One page of a list, read from its index. */
export async function readKeyedPage<Row>(
  db: Reads,
  at: PageAt,
  { of, from, columns, order, keyOf }: KeyedList<Row>,
): Promise<KeyedPage<Row>> {
  const reading = readingOf(at, columns.length);
  const isAscending = (order === "asc") !== reading.backwards;
  const ordered = columns.map((column) => raw(`${column} ${isAscending ? "asc" : "desc"}`));
  const key = joined(
    (reading.key ?? []).map((value) => sql`${value}`),
    ", ",
  );
  const beyond = sql`(${raw(columns.join(", "))}) ${raw(isAscending ? ">" : "<")} (${key})`;
  const rows = await readRows(db, of)`select ${of} ${from}
    and ${reading.key === null ? raw("1") : beyond}
    order by ${joined(ordered, ", ")} limit ${reading.rows}`;
  return keyedPage(rows, at, reading, keyOf);
}

type NamedList<Row> = {
  of: Selection<Row>;
  /** Up to the conditions. */
  from: Sql;
  /** Of the table whose `id` begins with the time and whose `(name, id)` is an index. */
  alias: string;
  prefix: string;
};

/** The newest first; with a prefix, those whose names begin so in order of name. */
export async function readNamedPage<Row extends { id: string; name: string }>(
  db: Reads,
  at: PageAt,
  { of, from, alias, prefix }: NamedList<Row>,
): Promise<KeyedPage<Row>> {
  const [id, name] = [`${alias}.id`, `${alias}.name`];
  if (prefix === "") {
    const keyOf = (row: Row) => [row.id];
    const all = sql`${from} where 1`;
    return await readKeyedPage(db, at, { of, from: all, columns: [id], order: "desc", keyOf });
  }
  return await readKeyedPage(db, at, {
    of,
    from: sql`${from} where ${beginsWith(name, prefix)}`,
    columns: [name, id],
    order: "asc",
    keyOf: (row) => [row.name, row.id],
  });
}
