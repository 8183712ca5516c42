import { drizzle } from "drizzle-orm/d1";

import * as schema from "./schema/index.ts";

const opened = new WeakMap<D1Database, Database>();

const open = (binding: D1Database) => drizzle(binding, { schema, casing: "snake_case" });

/** Created once per binding: reading the schema costs more than a query. */
export function openDatabase(binding: D1Database): Database {
  const known = opened.get(binding) ?? open(binding);
  opened.set(binding, known);
  return known;
}

/** `batch()` is atomic; `transaction()` throws on D1. */
export type Database = ReturnType<typeof open>;

/** The reads of one request; a `Database` can be used as one, too. */
export type Reads = { $client: Pick<D1Database, "prepare" | "batch"> };

/**
 * One request's reads, as a D1 session that starts at the primary: the first read, of the caller's
 * token or session, sees every revocation. Later reads may use a replica that has caught up with
 * that moment, so they see every change made before the request; without replication all go to the
 * primary. (https://developers.cloudflare.com/d1/best-practices/read-replication/)
 */
export function openReads(binding: D1Database): Reads {
  let session: D1DatabaseSession | null = null;
  return {
    get $client() {
      session ??= binding.withSession("first-primary");
      return session;
    },
  };
}
