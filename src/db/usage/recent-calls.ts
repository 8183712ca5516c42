import { HOUR_MS } from "../../core/time.ts";
import type { Database } from "../client.ts";
import { number, text } from "../columns.ts";
import { computed, select, type Row } from "../select.ts";
import { readRows } from "../sql.ts";
import type { UsageDimension } from "./usage-store.ts";

const RECENT = select({
  key: computed(text, "keys.value"),
  calls: computed(number, "sum(u.calls)"),
  errors: computed(number, "sum(u.errors)"),
});
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
  const rows = await readRows(db, RECENT)`select ${RECENT}
    from json_each(${keys}) keys cross join usage_hours u on u.dimension = ${dimension}
      and u.hour in (select value from json_each(${hours})) and u.key = keys.value
    group by keys.rowid`;
  return new Map(rows.map((found) => [found.key, found]));
}
