import { Hono } from "hono";

import { readLimits, type SpentLimit } from "../catalog/limits/limit-verbs.ts";
import { usageReport } from "../catalog/usage/usage-report.ts";
import { unauthorized } from "../core/errors.ts";
import { SECOND_MS } from "../core/time.ts";
import { readOverview } from "../db/maintenance/overview-store.ts";
import type { Services } from "../services.ts";
import { requireSignIn } from "./api/request/guards.ts";
import type { PanelEnv } from "./api/request/route.ts";

/* https://prometheus.io/docs/specs/om/open_metrics_spec/ */
const CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const MODELS_SHOWN = 100;
const LIMITS_SHOWN = 100;

/** `GET /metrics`, for automation keys of any role. */
export const metricsRoute = new Hono<PanelEnv>().get("/metrics", requireSignIn, async (context) => {
  if (context.get("caller").kind !== "key") throw unauthorized();
  const lines = await metricLines(context.get("services"));
  return context.body(lines.join("\n"), 200, { "Content-Type": CONTENT_TYPE });
});

async function metricLines(services: Services): Promise<string[]> {
  const { db, now, queueBacklog, requestRecords } = services;
  const at = now();
  // Sums of models begin again each month, so that a scrape reads few rows.
  const from = Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth());
  const look = { now: at, callsSince: at, limit: 1, mayReadAll: true, problem: null };
  const [counters, overview, queues, usage, limits] = await Promise.all([
    requestRecords.counters(),
    readOverview(db, look),
    queueBacklog(),
    usageReport(db, { from, to: at, group: "model" }),
    // What watches the service is answered while the ledger is not.
    readLimits(services).catch(() => []),
  ]);
  const { counts, oldestPendingSince, passages } = overview;
  const models = usage.lines.toSorted((a, b) => b.calls - a.calls).slice(0, MODELS_SHOWN);
  const usd = ({ cost }: (typeof models)[number]) =>
    cost.find(({ currency }) => currency === "USD")?.amount ?? null;
  const countersOf = (name: string) =>
    Object.entries(counters).flatMap(([key, sum]) => (key.startsWith(name) ? `${key} ${sum}` : []));
  const tokens = (direction: "input" | "output") =>
    samples(
      `quarry_model_tokens_total{direction="${direction}",model`,
      models.map((model) => [model.key, model[`${direction}Tokens`]]),
    );
  return [
    ...family("quarry_calls", "counter", "Calls by surface and status."),
    ...countersOf("quarry_calls_"),
    ...family("quarry_call_duration_seconds", "histogram", "Time until an answer begins."),
    ...countersOf("quarry_call_duration_"),
    ...family("quarry_degraded", "counter", "Calls answered without a part of the search."),
    `quarry_degraded_total ${counters["quarry_degraded_total"] ?? 0}`,
    ...family("quarry_model_tokens", "counter", "Model tokens, from 0 each month (UTC)."),
    ...tokens("input"),
    ...tokens("output"),
    ...family("quarry_cost_usd", "counter", "Cost of models priced in USD, from 0 each month."),
    ...samples(
      "quarry_cost_usd_total{model",
      models.map((model) => [model.key, usd(model)]),
    ),
    ...family("quarry_files", "gauge", "Files by status."),
    ...samples("quarry_files{status", Object.entries(counts)),
    ...family("quarry_oldest_pending_seconds", "gauge", "Age of the oldest unfinished file."),
    `quarry_oldest_pending_seconds ${Math.max(0, at - (oldestPendingSince ?? at)) / SECOND_MS}`,
    ...family("quarry_queue_messages", "gauge", "Messages that wait."),
    ...samples(
      "quarry_queue_messages{queue",
      queues.map(({ queue, waiting }) => [queue, waiting]),
    ),
    ...family("quarry_passages", "gauge", "Passages of all indexes."),
    `quarry_passages ${passages}`,
    ...family("quarry_event_deliveries", "counter", "Tries to deliver events by their result."),
    ...countersOf("quarry_event_deliveries_"),
    ...family("quarry_limit_used_ratio", "gauge", "Used and reserved of a limit's amount."),
    ...samples("quarry_limit_used_ratio{limit", limits.slice(0, LIMITS_SHOWN).map(ratioOf)),
    "# EOF\n",
  ];
}

/** A limit of nothing is used up. */
const ratioOf = ({ subject, unit, period, ...limit }: SpentLimit): [string, number] => [
  [subject.kind, subject.identifier ?? subject.id ?? "", unit, period].filter(Boolean).join(" "),
  limit.amount === 0 ? 1 : (limit.used + limit.reserved) / limit.amount,
];

const family = (name: string, type: string, help: string) => [
  `# TYPE ${name} ${type}`,
  `# HELP ${name} ${help}`,
];

/** `name` ends with a label, whose values these are; null: there is no such sample. */
const samples = (name: string, values: [string, number | null][]) =>
  values.flatMap(([text, value]) => {
    const label = text.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll("\n", String.raw`\n`);
    return value === null ? [] : `${name}="${label}"} ${value}`;
  });
