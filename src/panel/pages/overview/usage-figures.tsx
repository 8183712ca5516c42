import type { UsageLine, UsageOverTime } from "../../../catalog/usage/usage-report.ts";
import { DAY_MS, HOUR_MS, isoTime } from "../../../core/time.ts";
import { Charts, type Point } from "../../components/chart.tsx";
import { count, counted, duration, money, percent } from "../../components/figures.ts";

export const SPANS: Record<string, { title: string; hours: number; group: "hour" | "day" }> = {
  "24h": { title: "Last 24 hours", hours: 24, group: "hour" },
  "7d": { title: "7 days", hours: 7 * 24, group: "day" },
  "30d": { title: "30 days", hours: 30 * 24, group: "day" },
};

export type Span = { from: number; to: number; group: "hour" | "day" };

/** From the beginning of an hour, or of a day of UTC, to the end of the one that is. */
export function spanOf(name: string, now: number): Span {
  const { hours, group } = SPANS[name] ?? { hours: 24, group: "hour" };
  const step = group === "hour" ? HOUR_MS : DAY_MS;
  const to = (Math.floor(now / step) + 1) * step;
  return { from: to - hours * HOUR_MS, to, group };
}

const HOUR_AT = 11;
const HOUR_ENDS = 16;
const DAY_AT = 5;
const DAY_ENDS = 10;

function filled({ lines }: UsageOverTime, { from, to, group }: Span) {
  const step = group === "hour" ? HOUR_MS : DAY_MS;
  const byKey = new Map(lines.map((line) => [line.key, line]));
  return Array.from({ length: Math.round((to - from) / step) }, (_, at) => {
    const time = isoTime(from + at * step);
    const isHour = group === "hour";
    const key = isHour ? time : time.slice(0, DAY_ENDS);
    const label = isHour ? time.slice(HOUR_AT, HOUR_ENDS) : time.slice(DAY_AT, DAY_ENDS);
    return { label: isHour ? `${label} UTC` : label, line: byKey.get(key) };
  });
}

const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
const inPercent = (value: number) => percent(value, 1);
const rounded = (value: number) => count(Math.round(value));

const tokensOf = (line: UsageLine) => line.inputTokens + line.outputTokens;

export const UsageFigures = ({ usage, span }: { usage: UsageOverTime; span: Span }) => {
  const { total } = usage;
  if (total.calls === 0) return <p class="soft">No calls in this time.</p>;
  const times = filled(usage, span);
  const course = (valueOf: (line: UsageLine) => number) =>
    times.map(({ label, line }) => {
      return { label, value: line === undefined ? 0 : valueOf(line) };
    });
  return (
    <Charts
      label={`Usage by ${span.group}, UTC`}
      courses={[
        {
          name: "Calls",
          amount: count(total.calls),
          points: course((line) => line.calls),
          format: rounded,
        },
        {
          name: "Errors",
          ...partOf(total.errors, total),
          points: course((line) => share(line.errors, line.calls)),
        },
        {
          name: "Degraded",
          ...partOf(total.degraded, total),
          points: course((line) => share(line.degraded, line.calls)),
        },
        {
          name: "Latency, p95",
          amount: total.p95Ms === null ? "–" : duration(total.p95Ms),
          aside: total.p50Ms === null ? undefined : `p50 ${duration(total.p50Ms)}`,
          points: course((line) => line.p95Ms ?? 0),
          format: duration,
        },
        {
          name: "Model tokens",
          amount: count(tokensOf(total)),
          aside: `${count(total.outputTokens)} out`,
          points: course(tokensOf),
          format: rounded,
        },
        costOf(total, course),
      ]}
    />
  );
};

const partOf = (part: number, { calls }: UsageLine) => ({
  amount: percent(part, calls),
  aside: counted(part, "call"),
  format: inPercent,
  bad: true,
});

/** In the currency of the first price, followed by the sums in other currencies. */
function costOf(total: UsageLine, course: (valueOf: (line: UsageLine) => number) => Point[]) {
  const currency = total.cost[0]?.currency ?? "USD";
  const costIn = ({ cost }: UsageLine) =>
    cost.find((one) => one.currency === currency)?.amount ?? 0;
  const format = (amount: number) => money(amount, currency);
  const others = total.cost.slice(1).map(({ amount, currency: other }) => money(amount, other));
  return {
    name: "Cost",
    amount: format(costIn(total)),
    aside: others.join(", "),
    points: course(costIn),
    format,
  };
}
