import { z } from "zod";

import { normalForm } from "../core/normal-form.ts";
import { json, number, text, select } from "./select.ts";
import { raw, onlyRow, runBatch, sql, joinSql, readRows } from "./sql.ts";
import type { Reads, Sql, Selection } from "./sql.ts";

export type Slice = { offset: number; limit: number };

const COUNT = select({ count: number("count(*)") });

/** Counts the rows of `from …`. */
export const countSql = (from: Sql): Sql<{ count: number }> => sql`select ${COUNT} ${from}`;

/** The number of rows of `from …`. */
export async function countRows(db: Reads, from: Sql): Promise<number> {
  const [total] = await runBatch(db, [countSql(from)]);
  return onlyRow(total).count;
}

/** The number of rows of `from …`; counting stops at `max`. */
export const countUpTo = (db: Reads, max: number, from: Sql) =>
  countRows(db, sql`from (select 1 ${from} limit ${max})`);

/** A slice of the rows of `from …` in an order, and the number of all, in one round trip. */
export async function readPage<Row>(
  db: Reads,
  selection: Selection<Row>,
  { from, order, offset, limit }: Slice & { from: Sql; order: Sql },
): Promise<{ data: Row[]; total: number }> {
  const [data, totals] = await runBatch(db, [
    sql`select ${selection} ${from} order by ${order} limit ${limit} offset ${offset}`,
    countSql(from),
  ]);
  return { data, total: onlyRow(totals).count };
}

/** By id, then by identifier, each from its index: `or` would read all that is not removed. */
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
  const usableKey = (key: Key | null) => (key?.length === columns ? key : null);
  const key = usableKey(after) ?? usableKey(before);
  // One row more than is shown tells whether there are more.
  return { key, backwards: key !== null && usableKey(after) === null, rows: limit + 1 };
}

/** Makes a page of rows in the order in which they were read. */
export function keyedPage<Row>(
  rows: Row[],
  at: PageAt,
  { key, backwards }: Reading,
  keyOf: (row: Row) => Key,
): KeyedPage<Row> {
  const hasMore = rows.length > at.limit;
  const data = rows.slice(0, at.limit);
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

/** Whether one of the columns contains a text, whatever the case of its letters; "" is in all. */
export function isInColumns(columns: readonly string[], part: string): Sql {
  if (part === "") return raw("1");
  const text = raw(`lower(${columns.join(" || char(10) || ")})`);
  const places = spellingsOf(part).map((spelling) => sql`instr(${text}, ${spelling}) > 0`);
  return sql`(${joinSql(places, " or ")})`;
}

/** SQLite's `lower` changes ASCII alone, so that other letters are tried in their usual cases. */
function spellingsOf(part: string): string[] {
  const small = part.toLowerCase();
  const titled = small.replaceAll(/(?<![\p{L}\p{M}])\p{L}/gu, (letter) => letter.toUpperCase());
  const forms = [part, small, part.toUpperCase(), titled].flatMap((text) => [
    normalForm(text, "NFC"),
    normalForm(text, "NFD"),
  ]);
  const lowerAscii = (text: string) => text.replaceAll(/[A-Z]+/g, (run) => run.toLowerCase());
  return [...new Set(forms.map(lowerAscii))];
}

type KeyedList<Row> = {
  of: Selection<Row>;
  /** All of it up to the conditions of the key: `from … where …`. */
  from: Sql;
  /** Columns of an index, in its order; together they identify a row. */
  columns: readonly string[];
  order: "asc" | "desc";
};

const KEY = json(z.array(z.union([z.string(), z.number()])), "key");

/** One page of a list, read from its index. */
export async function readKeyedPage<Row>(
  db: Reads,
  at: PageAt,
  { of: selection, from, columns, order }: KeyedList<Row>,
): Promise<KeyedPage<Row>> {
  const reading = readingOf(at, columns.length);
  const isAscending = (order === "asc") !== reading.backwards;
  const ordered = columns.map((column) => raw(`${column} ${isAscending ? "asc" : "desc"}`));
  const values = (reading.key ?? []).map((value) => sql`${value}`);
  const beyond = sql`(${raw(columns.join(", "))}) ${raw(isAscending ? ">" : "<")} (${joinSql(values, ", ")})`;
  const rows = await readRows(
    db,
  )`select ${selection.sql}, json_array(${raw(columns.join(", "))}) as key
    ${from} and ${reading.key === null ? raw("1") : beyond}
    order by ${joinSql(ordered, ", ")} limit ${reading.rows}`;
  const page = keyedPage(rows, at, reading, (row) => KEY.read(row["key"], "key"));
  return { ...page, data: page.data.map(selection.read) };
}

/** A list is counted up to here, and sorted by any column while it is shorter. */
export const MAX_COUNTED = 1_000;

/** The query of a list's address. `sort`: a column; null: the list's own order. */
export type ListQuery = {
  at: PageAt;
  search: string;
  sort: { by: string; descending: boolean } | null;
};

/** `total`: counted up to `MAX_COUNTED`. `sort`: what the page is ordered by. */
export type SortedPage<Row> = KeyedPage<Row> & { total: number; sort: ListQuery["sort"] };

type SortedList<Row> = {
  of: Selection<Row>;
  table: Sql;
  joins: Sql;
  /** Conditions on the table alone. */
  where: Sql;
  /** The column of the list's own order, read from its index; it identifies a row. */
  id: string;
  order: "asc" | "desc";
  /**
   * By name also without an order asked for, if `order` is ascending. While the list is short, names
   * are sorted as people do.
   */
  sorts: { name: string; [by: string]: string };
};

/** Names as people sort them: `part 2` before `Part 10`. */
const NAMES = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** A page of a list that was read as a whole. */
function pageByName(all: NamedRow[], at: PageAt, descending: boolean): KeyedPage<NamedRow> {
  const reading = readingOf(at, 2);
  const { key, backwards, rows } = reading;
  const keyOf = ({ name, id }: NamedRow): [string, string] => [name, id];
  const direction = descending === backwards ? 1 : -1;
  const compareRows = (a: NamedRow, [name, id]: Key) =>
    direction * (NAMES.compare(a.name, String(name)) || (a.id < String(id) ? -1 : 1));
  const beyond =
    key === null ? all : all.filter((row) => row.id !== key[1] && compareRows(row, key) > 0);
  const sorted = beyond.sort((a, b) => compareRows(a, keyOf(b)));
  return keyedPage(sorted.slice(0, rows), at, reading, keyOf);
}

type NamedRow = { id: string; name: string };

/** A page by name, for which the names of all are read. */
async function readNamedPage<Row>(
  db: Reads,
  at: PageAt,
  { of: selection, table, joins, where, id, sorts }: SortedList<Row>,
  descending: boolean,
): Promise<KeyedPage<Row>> {
  const names = select({ id: text(id), name: text(sorts.name) });
  const all = await readRows(db)`select ${names} from ${table} where ${where}`;
  const page = pageByName(all, at, descending);
  const ids = page.data.map((row) => row.id);
  const rows = await readRows(db)`select ${selection.sql}, ${raw(id)} as id_of_list
    from ${table} ${joins} where ${where} and ${raw(id)} in (select value from json_each(${ids}))`;
  const byId = new Map(rows.map((row) => [row["id_of_list"], selection.read(row)]));
  return { ...page, data: ids.flatMap((key) => byId.get(key) ?? []) };
}

/** A page of a list in its own order, or by a column where that reads few rows. */
export async function readSortedPage<Row>(
  db: Reads,
  { at, sort }: Pick<ListQuery, "at" | "sort">,
  list: SortedList<Row>,
): Promise<SortedPage<Row>> {
  const { table, where, id, sorts } = list;
  const total = await countUpTo(db, MAX_COUNTED, sql`from ${table} where ${where}`);
  const order = sort ?? (list.order === "asc" ? { by: "name", descending: false } : null);
  const isSortable = order !== null && total < MAX_COUNTED && Object.hasOwn(sorts, order.by);
  const column = isSortable ? sorts[order.by] : undefined;
  const from = sql`from ${table} ${list.joins} where ${where}`;
  if (order === null || column === undefined) {
    const page = await readKeyedPage(db, at, { ...list, from, columns: [id] });
    return { ...page, total, sort: null };
  }
  const isDown = order.descending;
  const sorted = { ...list, from, columns: [column, id], order: isDown ? "desc" : "asc" } as const;
  const page = await (order.by === "name"
    ? readNamedPage(db, at, list, isDown)
    : readKeyedPage(db, at, sorted));
  return { ...page, total, sort: order };
}
