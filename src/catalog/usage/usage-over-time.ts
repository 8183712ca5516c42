import type { Database } from "../../db/sql.ts";
import { sumUsage } from "../../db/usage/usage-store.ts";
import { lineOf, linesOf, type UsageLine } from "./usage-report.ts";

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
