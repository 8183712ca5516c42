import type { Reads } from "./client.ts";
import { number } from "./columns.ts";
import { computed, select } from "./select.ts";
import { raw, runBatch, sql, type ReadStatement, type Selection, type Sql } from "./sql.ts";

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
export const countUpTo = (db: Reads, max: number, from: Sql): Promise<number> =>
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
