import { HOUR_MS } from "../../core/time.ts";
import type { Database } from "../client.ts";
import { number, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { readRows } from "../raw-sql.ts";
import type { UsageDimension } from "./usage-store.ts";

const RECENT = row({ key: text, calls: number, errors: number });
export type RecentCalls = Row<typeof RECENT>;

/**
 * Calls of these resources in the hours since `since` (ms), the current one included. Each hour of
 * each resource is looked up by itself, so that other resources cost nothing; grouped as they come,
 * without sorting, which would read each once more.
 */
export async function recentCalls(
  db: Database,
  asked: { dimension: UsageDimension; keys: string[]; since: number; now: number },
): Promise<Map<string, RecentCalls>> {
  const { dimension, keys, since, now } = asked;
  const hours: number[] = [];
  for (let hour = since - (since % HOUR_MS); hour <= now; hour += HOUR_MS) hours.push(hour);
  const rows = await readRows(
    db,
    RECENT,
    `select keys.value as key, sum(u.calls) as calls, sum(u.errors) as errors
     from json_each(?2) keys cross join usage_hours u on u.dimension = ?1
       and u.hour in (select value from json_each(?3)) and u.key = keys.value
     group by keys.rowid`,
    dimension,
    keys,
    hours,
  );
  return new Map(rows.map((found) => [found.key, found]));
}
