import type { Child } from "hono/jsx";

import type { UsageLine } from "../../../catalog/usage/usage-report.ts";
import type { UsageOverTime } from "../../../catalog/usage/usage-over-time.ts";
import { DAY_MS, HOUR_MS, isoTime } from "../../../core/time.ts";
import { Chart, type Point } from "../../components/chart.tsx";
import { count, duration, money, percent } from "../../components/figures.ts";

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
    return { label, line: byKey.get(key) };
  });
}

type FigureProps = {
  name: string;
  amount: string;
  aside?: string | undefined;
  children: Child;
};

const Figure = ({ name, amount, aside, children }: FigureProps) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <span class="amount">
        {amount} {aside === undefined ? null : <small>{aside}</small>}
      </span>
      {children}
    </dd>
  </div>
);

const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
const inPercent = (value: number) => percent(value, 1);
const inMs = (value: number) => duration(value);
const rounded = (value: number) => count(Math.round(value));

/** Calls, errors, degraded share, latency, tokens and cost, each with its course over time. */
export const UsageFigures = ({ usage, span }: { usage: UsageOverTime; span: Span }) => {
  const { total } = usage;
  const by = span.group;
  const times = filled(usage, span);
  const points = (valueOf: (line: UsageLine) => number): Point[] =>
    times.map(({ label, line }) => ({ label, value: line === undefined ? 0 : valueOf(line) }));
  const currency = total.cost[0]?.currency ?? "USD";
  const costIn = ({ cost }: UsageLine) =>
    cost.find((one) => one.currency === currency)?.amount ?? 0;
  const inMoney = (amount: number) => money(amount, currency);
  const tokens = (line: UsageLine) => line.inputTokens + line.outputTokens;
  return (
    <dl class="figures">
      <Figure name="Calls" amount={count(total.calls)}>
        <Chart label={`Calls by ${by}`} points={points((line) => line.calls)} format={rounded} />
      </Figure>
      <Figure
        name="Errors"
        amount={percent(total.errors, total.calls)}
        aside={`${count(total.errors)} calls`}
      >
        <Chart
          label={`Share of errors by ${by}`}
          points={points((line) => share(line.errors, line.calls))}
          format={inPercent}
          bad
        />
      </Figure>
      <Figure
        name="Degraded"
        amount={percent(total.degraded, total.calls)}
        aside={`${count(total.degraded)} calls`}
      >
        <Chart
          label={`Share of degraded calls by ${by}`}
          points={points((line) => share(line.degraded, line.calls))}
          format={inPercent}
          bad
        />
      </Figure>
      <Figure
        name="Latency, p95"
        amount={total.p95Ms === null ? "–" : duration(total.p95Ms)}
        aside={total.p50Ms === null ? undefined : `p50 ${duration(total.p50Ms)}`}
      >
        <Chart label={`p95 by ${by}`} points={points((line) => line.p95Ms ?? 0)} format={inMs} />
      </Figure>
      <Figure
        name="Tokens"
        amount={count(tokens(total))}
        aside={`${count(total.outputTokens)} out`}
      >
        <Chart label={`Tokens by ${by}`} points={points(tokens)} format={rounded} />
      </Figure>
      <Figure
        name="Cost"
        amount={inMoney(costIn(total))}
        aside={total.cost
          .slice(1)
          .map(({ amount, currency: other }) => money(amount, other))
          .join(", ")}
      >
        <Chart label={`Cost by ${by}`} points={points(costIn)} format={inMoney} />
      </Figure>
    </dl>
  );
};
