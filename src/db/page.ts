import { inArray, sql, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** A slice of a list; `only`: the ids that the caller may see, null for all. */
export type Slice = { offset: number; limit: number; only: readonly string[] | null };

/** Any number of values as one bound parameter. */
export const among = (column: SQLiteColumn, values: readonly string[]): SQL =>
  inArray(column, sql`(select value from json_each(${JSON.stringify(values)}))`);

/** Restricts a list to the permitted ids; undefined when everything is permitted. */
export const permitted = (column: SQLiteColumn, only: Slice["only"]): SQL | undefined =>
  only === null ? undefined : among(column, only);
