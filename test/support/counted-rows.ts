import { env } from "cloudflare:workers";

import { openDatabase } from "../../src/db/sql.ts";

/** D1's counts of the batches that went through it. */
export type RowCounts = { calls: number; read: number; written: number };

export const noRows = (): RowCounts => ({ calls: 0, read: 0, written: 0 });

/** The database, adding up what D1 reports of each statement of a batch. */
export function countedRows(database: D1Database, counts: RowCounts): D1Database {
  return new Proxy(database, {
    get(target, name) {
      if (name !== "batch") return (Reflect.get(target, name) as () => unknown).bind(target);
      return async (batch: D1PreparedStatement[]) => {
        const results = await target.batch(batch);
        counts.calls += 1;
        for (const { meta } of results) {
          counts.read += meta.rows_read;
          counts.written += meta.rows_written;
        }
        return results;
      };
    },
  });
}

/** The database of the tests, and what is read and written through this opening of it. */
export function countedDatabase() {
  const counts = noRows();
  return { counts, db: openDatabase(countedRows(env.DB, counts)) };
}
