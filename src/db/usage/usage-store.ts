import { toSnakeCase } from "drizzle-orm/casing";

import { SECOND_MS, HOUR_MS } from "../../core/time.ts";
import { usageHours } from "../schema/index.ts";
import { number, text, namedColumns, select, type Row } from "../select.ts";
import { raw, readValues, runBatch, sql, readRows, type Database } from "../sql.ts";

/** The sums of one hour, dimension, key and currency; calls by the index of their latency bucket. */
export type UsageRow = typeof usageHours.$inferSelect;
export type UsageDimension = UsageRow["dimension"];

/** A message's id and its time (ms); both are the same at every delivery. */
export type UsageId = { id: string; at: number };

/** Messages close in time share rows: a longer slot gives fewer rows. */
const SLOT_MS = 10 * SECOND_MS;

/** The stored messages of each time slot; texts compare as in SQLite. */
const slotsOf = (messages: readonly UsageId[]) =>
  [...Map.groupBy(messages, ({ at }) => Math.floor(at / SLOT_MS))].map(([slot, some]) => {
    const ids = some.map(({ id }) => id).toSorted();
    return { slot, first: ids[0] ?? "", last: ids.at(-1) ?? "", ids };
  });

/** Which of these messages are counted; rows that cannot contain any are not parsed. */
const countedSql = (messages: UsageId[]) =>
  sql`usage_counted held, json_each(held.ids) counted
    where held.slot = asked.value ->> 'slot'
      and held.first <= asked.value ->> 'last' and held.last >= asked.value ->> 'first'
      and counted.value in (select value from json_each(${messages.map(({ id }) => id)}))`;

const ID = text("counted.value");

export async function readFoldedUsageIds(db: Database, messages: UsageId[]): Promise<Set<string>> {
  const ids = await readValues(db, ID)`select counted.value
    from json_each(${slotsOf(messages)}) asked, ${countedSql(messages)}`;
  return new Set(ids);
}

const KEY = ["hour", "dimension", "key", "currency"] as const;
export const SUMMED = [
  "calls",
  "errors",
  "degraded",
  "inputTokens",
  "outputTokens",
  "cost",
] as const;
const WRITTEN = namedColumns(usageHours, ...KEY, ...SUMMED, "latencies");
const ADDED = raw(
  SUMMED.map(toSnakeCase)
    .map((column) => `${column} = ${column} + excluded.${column}`)
    .join(", "),
);

/**
 * Adds rows and records their messages in one step. If a message was counted meanwhile, the whole
 * step fails, so that nothing counts twice.
 * @param forgetBefore messages from before this time (ms) are forgotten.
 */
export async function addUsage(
  db: Database,
  step: { messages: UsageId[]; rows: UsageRow[]; forgetBefore: number },
): Promise<void> {
  const { messages, rows, forgetBefore } = step;
  await runBatch(db, [
    // `ids` is not nullable: if one of them is counted already, nothing is written.
    sql`insert into usage_counted (slot, first, last, ids)
      select value ->> 'slot', value ->> 'first', value ->> 'last',
        case when exists (select 1 from ${countedSql(messages)}) then null else value ->> 'ids' end
      from json_each(${slotsOf(messages)}) asked`,
    sql`insert into usage_hours (${WRITTEN.columns}) select ${WRITTEN.values}
      from json_each(${rows}) m where true
      on conflict (dimension, hour, key, currency) do update set ${ADDED},
        latencies = (select json_group_object(bucket, calls) from (
          select key as bucket, sum(value) as calls from (
            select key, value from json_each(usage_hours.latencies)
            union all select key, value from json_each(excluded.latencies))
          group by key))`,
    sql`delete from usage_counted where slot < ${Math.floor(forgetBefore / SLOT_MS)}`,
  ]);
}

export type UsageGroup = "hour" | "day" | Exclude<UsageDimension, "all">;

const KEYS: { [Group in UsageGroup]?: string } = {
  hour: "strftime('%Y-%m-%dT%H:00:00.000Z', u.hour / 1000, 'unixepoch')",
  day: "date(u.hour / 1000, 'unixepoch')",
};

const sumOf = (column: string) => number(`sum(u.${column})`);

/** Sums over a time range, one row per group key and currency. */
const usageSum = (key: string) =>
  select({
    key: text(key),
    currency: text("u.currency"),
    calls: sumOf("calls"),
    errors: sumOf("errors"),
    degraded: sumOf("degraded"),
    inputTokens: sumOf("input_tokens"),
    outputTokens: sumOf("output_tokens"),
    cost: sumOf("cost"),
  });
export type UsageSum = Row<ReturnType<typeof usageSum>>;

/** Calls of a group key in one latency bucket, whatever their currency. */
const usageLatency = (key: string) =>
  select({
    key: text(key),
    bucket: number("cast(latency.key as integer)"),
    calls: number("sum(latency.value)"),
  });
export type UsageLatency = Row<ReturnType<typeof usageLatency>>;

/** `from` inclusive, `to` exclusive (ms); an hour counts if its start is in the range. */
export async function sumUsage(
  db: Database,
  { from, to, group }: { from: number; to: number; group: UsageGroup },
): Promise<{ sums: UsageSum[]; latencies: UsageLatency[] }> {
  const key = KEYS[group] ?? "u.key";
  const dimension = group in KEYS ? "all" : group;
  const span = sql`u.dimension = ${dimension} and u.hour >= ${from} and u.hour < ${to}`;
  const [sum, latency] = [usageSum(key), usageLatency(key)];
  const [sums, latencies] = await runBatch(db, [
    sql`select ${sum} from usage_hours u where ${span} group by 1, 2 order by 1, 2`,
    sql`select ${latency} from usage_hours u, json_each(u.latencies) latency
      where ${span} group by 1, 2`,
  ]);
  return { sums, latencies };
}

const RECENT = select({
  key: text("keys.value"),
  calls: number("sum(u.calls)"),
  errors: number("sum(u.errors)"),
});
export type RecentCalls = Row<typeof RECENT>;

/**
 * Calls of these resources in the hours since `since` (ms), the current one included. Each hour of
 * each resource is looked up by itself, so that other resources cost nothing; grouped as they come,
 * without sorting, which would read each once more.
 */
export async function recentCalls(
  db: Database,
  query: { dimension: UsageDimension; keys: string[]; since: number; now: number },
): Promise<Map<string, RecentCalls>> {
  const { dimension, keys, since, now } = query;
  const hours: number[] = [];
  for (let hour = since - (since % HOUR_MS); hour <= now; hour += HOUR_MS) hours.push(hour);
  const rows = await readRows(db)`select ${RECENT}
    from json_each(${keys}) keys cross join usage_hours u on u.dimension = ${dimension}
      and u.hour in (select value from json_each(${hours})) and u.key = keys.value
    group by keys.rowid`;
  return new Map(rows.map((sum) => [sum.key, sum]));
}
