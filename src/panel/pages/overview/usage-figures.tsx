import type { UsageLine, UsageOverTime } from "../../../catalog/usage/usage-report.ts";
import { DAY_MS, HOUR_MS, isoTime } from "../../../core/time.ts";
import { Chart, type Point } from "../../components/chart.tsx";
import { count, counted, duration, money, percent } from "../../components/figures.ts";
import { Figure } from "../../components/page-head.tsx";

/** What the charts can look back on. */
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

/** A line for each hour or day, those without calls as well. */
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

/** Calls, errors, degraded share, latency, tokens and cost, each with its course over time. */
export const UsageFigures = ({ usage, span }: { usage: UsageOverTime; span: Span }) => {
  const { total } = usage;
  const times = filled(usage, span);
  const chart = (label: string, valueOf: (line: UsageLine) => number): CourseProps => ({
    label: `${label} by ${span.group}`,
    points: times.map(({ label, line }) => {
      return { label, value: line === undefined ? 0 : valueOf(line) };
    }),
  });
  return (
    <dl class="figures">
      <Figure name="Calls" amount={count(total.calls)}>
        <Chart {...chart("Calls", (line) => line.calls)} format={rounded} />
      </Figure>
      <Share
        name="Errors"
        part={total.errors}
        total={total}
        course={chart("Share of errors", (line) => share(line.errors, line.calls))}
      />
      <Share
        name="Degraded"
        part={total.degraded}
        total={total}
        course={chart("Share of degraded calls", (line) => share(line.degraded, line.calls))}
      />
      <Figure
        name="Latency, p95"
        amount={total.p95Ms === null ? "–" : duration(total.p95Ms)}
        aside={total.p50Ms === null ? undefined : `p50 ${duration(total.p50Ms)}`}
      >
        <Chart {...chart("p95", (line) => line.p95Ms ?? 0)} format={duration} />
      </Figure>
      <Figure
        name="Tokens"
        amount={count(tokensOf(total))}
        aside={`${count(total.outputTokens)} out`}
      >
        <Chart {...chart("Tokens", tokensOf)} format={rounded} />
      </Figure>
      <Cost total={total} chart={chart} />
    </dl>
  );
};

type CourseProps = { label: string; points: Point[] };

type ShareProps = { name: string; part: number; total: UsageLine; course: CourseProps };

const Share = ({ name, part, total, course }: ShareProps) => (
  <Figure name={name} amount={percent(part, total.calls)} aside={counted(part, "call")}>
    <Chart {...course} format={inPercent} bad />
  </Figure>
);

type CostProps = {
  total: UsageLine;
  chart: (label: string, valueOf: (line: UsageLine) => number) => CourseProps;
};

/** In the currency of the first price, followed by the sums in other currencies. */
const Cost = ({ total, chart }: CostProps) => {
  const currency = total.cost[0]?.currency ?? "USD";
  const costIn = ({ cost }: UsageLine) =>
    cost.find((one) => one.currency === currency)?.amount ?? 0;
  const others = total.cost.slice(1).map(({ amount, currency: other }) => money(amount, other));
  return (
    <Figure name="Cost" amount={money(costIn(total), currency)} aside={others.join(", ")}>
      <Chart {...chart("Cost", costIn)} format={(amount) => money(amount, currency)} />
    </Figure>
  );
};
