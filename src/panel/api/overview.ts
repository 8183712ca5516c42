import { z } from "@hono/zod-openapi";

import { countSecrets } from "../../access/secrets/reseal-secrets.ts";
import { usageReport } from "../../catalog/usage/usage-report.ts";
import { invalidField } from "../../core/errors.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../core/time.ts";
import { namesOf } from "../../db/access/audit-store.ts";
import { hasPermissions, ragsWithoutPermissions } from "../../db/catalog/source-store.ts";
import { readOverview } from "../../db/maintenance/overview-store.ts";
import { fieldsOfKind, Endpoints, time, timeOrNull, schema } from "./request/endpoint.ts";
import { mayReadAll } from "./request/guards.ts";
import { span } from "./request/route.ts";

/** Entries of each list; the counts say how many there are in all. */
const LIST_LIMIT = 20;
/** Window of the rates: long enough for a quiet service, short enough to show current problems. */
const CALL_HOURS = 24;

const files = z
  .object(fieldsOfKind(z.int(), "pending", "processing", "indexed", "error", "deleted"))
  .optional();
const labels = { identifier: z.string(), name: z.string() };
const Overview = schema("Overview", {
  files,
  failingFiles: z.array(z.record(z.string(), z.unknown())),
  failingSources: z.array(z.object({ ...labels, error: z.string().nullable(), since: timeOrNull })),
  /** With files that are tried again, and why the last try of one of them failed. */
  waitingSources: z.array(z.object({ ...labels, errorMessage: z.string() })),
  scansUnderWay: z.array(z.object({ ...labels, startedAt: time })),
  oldestPendingSeconds: z.int().nullable(),
  queues: z.array(
    z.object({
      queue: z.string(),
      ...fieldsOfKind(z.int().nullable(), "waiting", "oldestSeconds"),
    }),
  ),
  calls: z.object({
    ...fieldsOfKind(z.int(), "hours", "total", "errors", "degraded"),
    ...fieldsOfKind(z.number(), "errorRate", "degradedRate"),
  }),
  vectorIndex: z
    .object({
      indexes: z.int(),
      /** The number of RAGs compared completely; the counts are from their last comparison. */
      compared: z.int(),
      lastComparedAt: timeOrNull,
      ...fieldsOfKind(z.int(), "vectorsChecked", "vectorsAddedAgain", "vectorsRemoved", "underWay"),
      underWaySince: timeOrNull,
    })
    .nullable(),
  /** Since when nothing can be stored; null: there is room. */
  noRoomSince: timeOrNull,
  secrets: z.object({ sealedByPreviousKey: z.int(), unreadable: z.int() }),
});

export const overviewRoutes = new Endpoints("service").json(
  "get /overview",
  "Status of the service. Counts of files, what fails, scans, queues, calls of the last 24 hours.",
  { answer: Overview },
  async ({ services: { config, db, now, queueBacklog, storage, vectorIndex }, caller }) => {
    const at = now();
    const callsSince = at - (at % HOUR_MS) - (CALL_HOURS - 1) * HOUR_MS;
    const { noRoomSince, problem } = storage;
    const reading = { now: at, callsSince, limit: LIST_LIMIT, mayReadAll: mayReadAll(caller) };
    // How much work waits, and how many vectors there are, counts files of every source.
    const tellsOfAll = reading.mayReadAll || !(await hasPermissions(db, null));
    const [overview, queues, secrets] = await Promise.all([
      readOverview(db, { ...reading, problem }),
      tellsOfAll ? queueBacklog() : [],
      countSecrets({ config, db }),
    ]);
    return {
      files: overview.counts,
      failingFiles: overview.failingFiles,
      failingSources: overview.failingSources.map((failing) =>
        Object.assign(failing, { since: failing.finishedAt }),
      ),
      waitingSources: overview.waitingSources,
      scansUnderWay: overview.scans,
      oldestPendingSeconds: tellsOfAll ? ageOf(overview.oldestPendingSince, at) : null,
      queues: queues.map((queue) =>
        Object.assign(queue, { oldestSeconds: ageOf(queue.oldestAt, at) }),
      ),
      calls: { hours: CALL_HOURS, ...ratesOf(overview.calls) },
      vectorIndex:
        vectorIndex === null || !tellsOfAll ? null : reconciliationOf(overview.verifications),
      noRoomSince,
      secrets,
    };
  },
).app;

const ageOf = (since: number | null, now: number) =>
  since === null ? null : Math.floor(Math.max(0, now - since) / SECOND_MS);

/** The comparison with the vector index outside, which goes over each index once a day. */
const reconciliationOf = (
  verifications: Awaited<ReturnType<typeof readOverview>>["verifications"],
) => ({
  ...verifications,
  lastComparedAt: verifications.lastEndedAt,
  vectorsChecked: verifications.checked,
  vectorsAddedAgain: verifications.addedAgain,
  vectorsRemoved: verifications.removed,
});

/** Parts of all calls, 0 to 1, to three decimals; 0 where there were none. */
function ratesOf({ calls, errors, degraded }: { calls: number; errors: number; degraded: number }) {
  const rate = (part: number) => (calls === 0 ? 0 : Math.round((part / calls) * 1_000) / 1_000);
  return { total: calls, errors, degraded, errorRate: rate(errors), degradedRate: rate(degraded) };
}

const DEFAULT_SPAN_MS = 30 * DAY_MS;
/** At most so many lines a request, one per hour. */
const MAX_HOURS = 31 * 24;

const usageQuery = z.object({
  ...span,
  group: z.enum(["hour", "day", "inference", "agent", "rag", "token", "model"]).default("day"),
});

/** The last 30 days without either. */
function spanOf(range: { from?: number | undefined; to?: number | undefined }, now: number) {
  const to = range.to ?? now;
  const from = range.from ?? to - DEFAULT_SPAN_MS;
  if (from >= to) throw invalidField("from", "must lie before to");
  return { from, to };
}

const Usage = schema("Usage", {
  ...fieldsOfKind(time, "from", "to"),
  group: usageQuery.shape.group,
  data: z.array(
    z.object({
      key: z.string(),
      ...fieldsOfKind(z.int(), "calls", "errors", "degraded", "inputTokens", "outputTokens"),
      cost: z.array(z.object({ amount: z.number(), currency: z.string() })),
      ...fieldsOfKind(z.number().nullable(), "p50Ms", "p95Ms"),
      ...fieldsOfKind(z.string().nullable(), "identifier", "name"),
    }),
  ),
});

export const usageRoutes = new Endpoints("service").json(
  "get /usage",
  "Calls, errors, tokens, cost and latency. The last 30 days by default. By hour, 31 days at most.",
  { query: usageQuery, answer: Usage },
  async ({ services: { db, now }, caller, query: { group, ...range } }) => {
    const period = spanOf(range, now());
    if (group === "hour" && period.to - period.from > MAX_HOURS * HOUR_MS) {
      throw invalidField("from", `must lie at most ${MAX_HOURS} hours before to`);
    }
    const report = await usageReport(db, { ...period, group });
    // Model tokens of a RAG tell how much was indexed for it.
    const open = group === "rag" && !mayReadAll(caller) ? await ragsWithoutPermissions(db) : null;
    const lines = report.lines.filter(({ key }) => open?.some((id) => id === key) ?? true);
    const kind = `${group}s`;
    const names = await namesOf(
      db,
      lines.map(({ key }) => ({ kind, key })),
    );
    const nameOf = new Map(names.map((entry) => [entry.id, entry]));
    const data = lines.map((line) => {
      const { identifier = null, name = null } = nameOf.get(line.key) ?? {};
      const subject = { identifier: group === "token" ? null : identifier, name };
      return Object.assign({}, line, subject);
    });
    return { ...period, group, data };
  },
).app;
