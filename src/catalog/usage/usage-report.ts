import { percentileMs } from "../../core/latency-buckets.ts";
import type { Database } from "../../db/sql.ts";
import {
  sumUsage,
  type UsageGroup,
  type UsageLatency,
  type UsageSum,
} from "../../db/usage/usage-store.ts";

/** One line of the usage report. */
export type UsageLine = {
  /** An hour or day (ISO 8601, UTC), the id of a resource, or the name of a model. */
  key: string;
  calls: number;
  errors: number;
  degraded: number;
  inputTokens: number;
  outputTokens: number;
  /** One sum per currency; empty when nothing had a price. */
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
  return linesOf(await sumUsage(db, query));
}

type Summed = Awaited<ReturnType<typeof sumUsage>>;

/** Sums as lines of a report, in order of key. */
function linesOf({ sums, latencies }: Summed): UsageLine[] {
  const latenciesOf = Map.groupBy(latencies, ({ key }) => key);
  const keys = Map.groupBy(sums, ({ key }) => key);
  return [...keys].map(([key, of]) => lineOf(key, of, latenciesOf.get(key) ?? []));
}

/** One line of all these sums. */
function lineOf(key: string, sums: UsageSum[], latencies: UsageLatency[]): UsageLine {
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
    p50Ms: percentileMs(latencies, MEDIAN),
    p95Ms: percentileMs(latencies, SLOW),
  };
}

/** Lines by hour or day, in order of time, and all of them together. */
export type UsageOverTime = { lines: UsageLine[]; total: UsageLine };

/** Usage between two times (ms, `to` exclusive), for a chart and the figure above it. */
export async function usageOverTime(
  db: Database,
  query: { from: number; to: number; group: "hour" | "day" },
): Promise<UsageOverTime> {
  const found = await sumUsage(db, query);
  return { lines: linesOf(found), total: lineOf("", found.sums, found.latencies) };
}
