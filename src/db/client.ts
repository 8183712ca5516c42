import { drizzle } from "drizzle-orm/d1";

import * as schema from "./schema/index.ts";

/** D1 holds at most 100 bound parameters a statement: lists travel as one JSON parameter. */
export const PARAMETERS_PER_STATEMENT = 100;

export function openDatabase(binding: D1Database) {
  return drizzle(binding, { schema, casing: "snake_case" });
}

/** `batch()` is atomic; `transaction()` throws on D1. */
export type Database = ReturnType<typeof openDatabase>;
