import { z } from "@hono/zod-openapi";

import { usageReport } from "../../catalog/usage/usage-report.ts";
import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import { invalidField } from "../../core/errors.ts";
import { namesOf } from "../../db/access/audit-store.ts";
import { Endpoints, time } from "./request/endpoint.ts";
import { span } from "./request/read-request.ts";

const DEFAULT_SPAN_MS = 30 * DAY_MS;
/** By the hour at most so much at once: a line for each. */
const HOURS_MAX = 31 * 24;

const usageQuery = z.object({
  ...span,
  group: z.enum(["hour", "day", "inference", "agent", "rag", "token", "model"]).default("day"),
});

/** The last 30 days without either. */
function spanOf(sent: { from?: number | undefined; to?: number | undefined }, now: number) {
  const to = sent.to ?? now;
  const from = sent.from ?? to - DEFAULT_SPAN_MS;
  if (from >= to) throw invalidField("from", "must lie before to");
  return { from, to };
}

const Usage = z
  .object({
    from: time,
    to: time,
    group: usageQuery.shape.group,
    data: z.array(
      z.object({
        key: z.string(),
        calls: z.int(),
        errors: z.int(),
        degraded: z.int(),
        inputTokens: z.int(),
        outputTokens: z.int(),
        cost: z.array(z.object({ amount: z.number(), currency: z.string() })),
        p50Ms: z.number().nullable(),
        p95Ms: z.number().nullable(),
        identifier: z.string().nullable(),
        name: z.string().nullable(),
      }),
    ),
  })
  .openapi("Usage");

export const usageRoutes = () =>
  new Endpoints("service").json(
    "get /usage",
    "Calls, errors, tokens, cost and latency. The last 30 days by default. By hour, 31 days at most.",
    { query: usageQuery, answer: Usage },
    async ({ services: { db, now }, query: { group, ...sent } }) => {
      const asked = spanOf(sent, now());
      if (group === "hour" && asked.to - asked.from > HOURS_MAX * HOUR_MS) {
        throw invalidField("from", `must lie at most ${HOURS_MAX} hours before to`);
      }
      const { lines } = await usageReport(db, { ...asked, group });
      const kind = `${group}s`;
      const named = await namesOf(
        db,
        lines.map(({ key }) => ({ kind, key })),
      );
      const nameOf = new Map(named.map((one) => [one.id, one]));
      const data = lines.map((line) => {
        const { identifier = null, name = null } = nameOf.get(line.key) ?? {};
        const shown = { identifier: group === "token" ? null : identifier, name };
        return Object.assign({}, line, shown);
      });
      return { ...asked, group, data };
    },
  ).app;
