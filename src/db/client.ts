import { drizzle } from "drizzle-orm/d1";

import * as schema from "./schema/index.ts";

const opened = new WeakMap<D1Database, Database>();

const open = (binding: D1Database) => drizzle(binding, { schema, casing: "snake_case" });

/** Made once for each binding: reading the schema costs more than a query. */
export function openDatabase(binding: D1Database): Database {
  const known = opened.get(binding) ?? open(binding);
  opened.set(binding, known);
  return known;
}

/** `batch()` is atomic; `transaction()` throws on D1. */
export type Database = ReturnType<typeof open>;
