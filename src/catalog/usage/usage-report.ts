import { percentileMs } from "../../core/calls/latency-buckets.ts";
import type { Database } from "../../db/sql.ts";
import { sumUsage } from "../../db/usage/usage-store.ts";
import type { UsageGroup, UsageLatency, UsageSum } from "../../db/usage/usage-store.ts";

const MEDIAN = 0.5;
const SLOW = 0.95;

/** Usage between two times (ms, `to` exclusive, by the hour): lines by key, and all together. */
export async function usageReport(
  db: Database,
  query: { from: number; to: number; group: UsageGroup },
) {
  const { sums, latencies } = await sumUsage(db, query);
  const latenciesOf = Map.groupBy(latencies, ({ key }) => key);
  const lines = [...Map.groupBy(sums, ({ key }) => key)].map(([key, rows]) =>
    lineOf(key, rows, latenciesOf.get(key) ?? []),
  );
  return { lines, total: lineOf("", sums, latencies) };
}
export type UsageReport = Awaited<ReturnType<typeof usageReport>>;

/** `key`: an hour or day (ISO 8601, UTC), the id of a resource, or the name of a model. */
function lineOf(key: string, sums: UsageSum[], latencies: UsageLatency[]) {
  const total = (field: "calls" | "errors" | "degraded" | "inputTokens" | "outputTokens") =>
    sums.reduce((sum, entry) => sum + entry[field], 0);
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
    /** One sum per currency; empty when nothing had a price. */
    cost: [...costs].map(([currency, amount]) => ({ amount, currency })),
    p50Ms: percentileMs(latencies, MEDIAN),
    p95Ms: percentileMs(latencies, SLOW),
  };
}
export type UsageLine = ReturnType<typeof lineOf>;
