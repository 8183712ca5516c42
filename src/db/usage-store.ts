import type { Database } from "./client.ts";
import { runBatch, runOne, statement } from "./raw-sql.ts";

export type UsageDimension = "all" | "inference" | "agent" | "rag" | "token" | "model";

/** What calls of one hour, dimension, key, latency bucket and currency add up to. */
export type UsageRow = {
  hour: number;
  dimension: UsageDimension;
  key: string;
  bucket: number;
  currency: string;
  calls: number;
  errors: number;
  degraded: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
};

/** Which of these messages are counted already. */
export async function foldedUsageIds(db: Database, ids: string[]): Promise<Set<string>> {
  const rows = await runOne<{ id: string }>(
    db,
    statement(
      "select id from usage_batches where id in (select value from json_each(?1))",
      JSON.stringify(ids),
    ),
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Adds rows and remembers the messages behind them in one step. A message that was counted
 * meanwhile makes the whole step fail, so that nothing counts twice.
 * @param forgetBefore ids that were remembered before this time (ms) are forgotten.
 */
export async function addUsage(
  db: Database,
  step: { ids: string[]; rows: UsageRow[]; now: number; forgetBefore: number },
): Promise<void> {
  const { ids, rows, now, forgetBefore } = step;
  await runBatch(db, [
    statement(
      "insert into usage_batches (id, folded_at) select value, ?2 from json_each(?1)",
      JSON.stringify(ids),
      now,
    ),
    statement(ADD_ROWS, JSON.stringify(rows)),
    statement("delete from usage_batches where folded_at < ?1", forgetBefore),
  ]);
}

const ADD_ROWS = `
  insert into usage_hours (hour, dimension, key, bucket, currency,
    calls, errors, degraded, input_tokens, output_tokens, cost)
  select value ->> 'hour', value ->> 'dimension', value ->> 'key', value ->> 'bucket',
    value ->> 'currency', value ->> 'calls', value ->> 'errors', value ->> 'degraded',
    value ->> 'inputTokens', value ->> 'outputTokens', value ->> 'cost'
  from json_each(?1) where true
  on conflict (dimension, hour, key, bucket, currency) do update set
    calls = calls + excluded.calls, errors = errors + excluded.errors,
    degraded = degraded + excluded.degraded,
    input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens, cost = cost + excluded.cost`;

export type UsageGroup = "day" | Exclude<UsageDimension, "all">;

/** Sums over a time, one row a group's key, latency bucket and currency. */
export type UsageSum = Omit<UsageRow, "hour" | "dimension">;

/** `from` inclusive, `to` exclusive, both ms; hours count whole by their beginning. */
export function sumUsage(
  db: Database,
  { from, to, group }: { from: number; to: number; group: UsageGroup },
): Promise<UsageSum[]> {
  const key = group === "day" ? "date(hour / 1000, 'unixepoch')" : "key";
  const dimension = group === "day" ? "all" : group;
  return runOne<UsageSum>(
    db,
    statement(
      `select ${key} as key, bucket, currency, sum(calls) as calls, sum(errors) as errors,
         sum(degraded) as degraded, sum(input_tokens) as inputTokens,
         sum(output_tokens) as outputTokens, sum(cost) as cost
       from usage_hours where dimension = ?1 and hour >= ?2 and hour < ?3
       group by 1, 2, 3 order by 1, 2`,
      dimension,
      from,
      to,
    ),
  );
}
