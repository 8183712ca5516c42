import { percentileMs } from "../core/latency-buckets.ts";
import type { Database } from "../db/client.ts";
import { sumUsage } from "../db/usage-store.ts";
import type { UsageGroup, UsageSum } from "../db/usage-store.ts";

/** One line of the usage report. */
export type UsageLine = {
  /** A day (`YYYY-MM-DD`, UTC), the id of a resource, or the name of a model. */
  key: string;
  calls: number;
  errors: number;
  degraded: number;
  inputTokens: number;
  outputTokens: number;
  /** One sum a currency; empty when nothing had a price. */
  cost: { amount: number; currency: string }[];
  p50Ms: number | null;
  p95Ms: number | null;
};

const MEDIAN = 0.5;
const SLOW = 0.95;

/** Usage between two times (ms, `to` exclusive, by the hour), in order of key. */
export async function usageReport(
  db: Database,
  query: { from: number; to: number; group: UsageGroup },
): Promise<UsageLine[]> {
  const sums = await sumUsage(db, query);
  const keys = new Map<string, UsageSum[]>();
  for (const sum of sums) keys.set(sum.key, [...(keys.get(sum.key) ?? []), sum]);
  return [...keys].map(([key, of]) => lineOf(key, of));
}

function lineOf(key: string, sums: UsageSum[]): UsageLine {
  const total = (field: "calls" | "errors" | "degraded" | "inputTokens" | "outputTokens") =>
    sums.reduce((sum, one) => sum + one[field], 0);
  const costs = new Map<string, number>();
  for (const { currency, cost } of sums) {
    if (currency !== "") costs.set(currency, (costs.get(currency) ?? 0) + cost);
  }
  return {
    key,
    calls: total("calls"),
    errors: total("errors"),
    degraded: total("degraded"),
    inputTokens: total("inputTokens"),
    outputTokens: total("outputTokens"),
    cost: [...costs].map(([currency, amount]) => ({ amount, currency })),
    p50Ms: percentileMs(sums, MEDIAN),
    p95Ms: percentileMs(sums, SLOW),
  };
}
