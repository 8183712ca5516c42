import { SECOND_MS } from "../../core/time.ts";
import type { Database } from "../client.ts";
import { number, row, text, type Row } from "../columns.ts";
import { query, readRows, runBatch, statement } from "../raw-sql.ts";

export type UsageDimension = "all" | "inference" | "agent" | "rag" | "token" | "model";

/** The sums of one hour, dimension, key and currency. */
export type UsageRow = {
  hour: number;
  dimension: UsageDimension;
  key: string;
  currency: string;
  calls: number;
  errors: number;
  degraded: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
  /** Calls by the index of their latency bucket. */
  latencies: Record<string, number>;
};

/** A message's id and its time (ms); both are the same at every delivery. */
export type UsageId = { id: string; at: number };

/** Messages close in time share rows: a longer slot gives fewer rows. */
const SLOT_MS = 10 * SECOND_MS;

/**
 * What is stored about the messages of one time slot; texts are compared as SQLite compares them.
 */
type Slot = { slot: number; first: string; last: string; ids: string[] };

function slotsOf(messages: readonly UsageId[]): Slot[] {
  const slots = new Map<number, string[]>();
  for (const { id, at } of messages) {
    const slot = Math.floor(at / SLOT_MS);
    slots.set(slot, [...(slots.get(slot) ?? []), id]);
  }
  return [...slots].map(([slot, unordered]) => {
    const ids = unordered.toSorted();
    return { slot, first: ids[0] ?? "", last: ids.at(-1) ?? "", ids };
  });
}

/** Which of `?2` are counted in the slot `asked`; rows that cannot contain any are not parsed. */
const COUNTED = `usage_counted held, json_each(held.ids) counted
  where held.slot = asked.value ->> 'slot'
    and held.first <= asked.value ->> 'last' and held.last >= asked.value ->> 'first'
    and counted.value in (select value from json_each(?2))`;

const idsOf = (messages: UsageId[]) => JSON.stringify(messages.map(({ id }) => id));

const MESSAGE = row({ id: text });

/** Which of these messages are counted already. */
export async function foldedUsageIds(db: Database, messages: UsageId[]): Promise<Set<string>> {
  const rows = await readRows(
    db,
    MESSAGE,
    `select counted.value as id from json_each(?1) asked, ${COUNTED}`,
    JSON.stringify(slotsOf(messages)),
    idsOf(messages),
  );
  return new Set(rows.map(({ id }) => id));
}

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
    statement(REMEMBER, JSON.stringify(slotsOf(messages)), idsOf(messages)),
    statement(ADD_ROWS, JSON.stringify(rows)),
    statement("delete from usage_counted where slot < ?1", Math.floor(forgetBefore / SLOT_MS)),
  ]);
}

/** `ids` is not nullable: if one of them is counted already, nothing is written. */
const REMEMBER = `
  insert into usage_counted (slot, first, last, ids)
  select value ->> 'slot', value ->> 'first', value ->> 'last',
    case when exists (select 1 from ${COUNTED}) then null else value ->> 'ids' end
  from json_each(?1) asked`;

const ADD_ROWS = `
  insert into usage_hours (hour, dimension, key, currency,
    calls, errors, degraded, input_tokens, output_tokens, cost, latencies)
  select value ->> 'hour', value ->> 'dimension', value ->> 'key',
    value ->> 'currency', value ->> 'calls', value ->> 'errors', value ->> 'degraded',
    value ->> 'inputTokens', value ->> 'outputTokens', value ->> 'cost', value ->> 'latencies'
  from json_each(?1) where true
  on conflict (dimension, hour, key, currency) do update set
    calls = calls + excluded.calls, errors = errors + excluded.errors,
    degraded = degraded + excluded.degraded,
    input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens, cost = cost + excluded.cost,
    latencies = (select json_group_object(bucket, calls) from (
      select key as bucket, sum(value) as calls from (
        select key, value from json_each(usage_hours.latencies)
        union all select key, value from json_each(excluded.latencies))
      group by key))`;

export type UsageGroup = "hour" | "day" | Exclude<UsageDimension, "all">;

/** Sums over a time range, one row per group key and currency. */
const USAGE_SUM = row({
  key: text,
  currency: text,
  calls: number,
  errors: number,
  degraded: number,
  inputTokens: number,
  outputTokens: number,
  cost: number,
});
export type UsageSum = Row<typeof USAGE_SUM>;

/** Calls of a group key in one latency bucket, whatever their currency. */
const USAGE_LATENCY = row({ key: text, bucket: number, calls: number });
export type UsageLatency = Row<typeof USAGE_LATENCY>;

const KEYS: { [Group in UsageGroup]?: string } = {
  hour: "strftime('%Y-%m-%dT%H:00:00.000Z', hour / 1000, 'unixepoch')",
  day: "date(hour / 1000, 'unixepoch')",
};

/**
 * `from` inclusive, `to` exclusive, both ms; an hour counts fully if its start is in the range.
 */
export async function sumUsage(
  db: Database,
  { from, to, group }: { from: number; to: number; group: UsageGroup },
): Promise<{ sums: UsageSum[]; latencies: UsageLatency[] }> {
  const key = KEYS[group] ?? "u.key";
  const dimension = group in KEYS ? "all" : group;
  const span = "dimension = ?1 and hour >= ?2 and hour < ?3";
  const [sums, latencies] = await runBatch(db, [
    query(
      USAGE_SUM,
      `select ${key} as key, currency, sum(calls) as calls, sum(errors) as errors,
         sum(degraded) as degraded, sum(input_tokens) as inputTokens,
         sum(output_tokens) as outputTokens, sum(cost) as cost
       from usage_hours u where ${span} group by 1, 2 order by 1, 2`,
      dimension,
      from,
      to,
    ),
    query(
      USAGE_LATENCY,
      `select ${key} as key, cast(latency.key as integer) as bucket, sum(latency.value) as calls
       from usage_hours u, json_each(u.latencies) latency
       where ${span} group by 1, 2`,
      dimension,
      from,
      to,
    ),
  ]);
  return { sums, latencies };
}
