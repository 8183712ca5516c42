import { inArray, sql, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** A slice of a list. */
export type Slice = { offset: number; limit: number };

/** Passes any number of values as one bound parameter. */
export const among = (column: SQLiteColumn, values: readonly string[]): SQL =>
  inArray(column, sql`(select value from json_each(${JSON.stringify(values)}))`);
