import { Hono } from "hono";
import { z } from "zod";

import { DAY_MS, isoTime } from "../../core/time.ts";
import { forbidden } from "../../core/errors.ts";
import {
  countEvents,
  readEvents,
  readEventsBefore,
  type AuditEvent,
  type AuditFilter,
} from "../../db/access/audit-store.ts";
import type { Database } from "../../db/client.ts";
import { parseOrRefuse } from "../../http/validation.ts";
import { isTime } from "./request/fields.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { pageOf, pagingOf } from "./request/read-request.ts";

/** Counting more would read as many rows; `total` ends there. */
const COUNTED_MAX = 10_000;
const BATCH_EVENTS = 1_000;
const DAY_ALONE = /^\d{4}-\d{2}-\d{2}$/;

const time = z
  .string()
  .refine((text) => isTime(text), "must be an ISO 8601 time")
  .optional();
export const auditFilters = z.object({
  actor: z.string().optional(),
  action: z.string().optional(),
  from: time,
  to: time,
  format: z.enum(["json", "jsonl"]).optional(),
});

/** `to` is exclusive; a day alone is meant whole. */
function filterOf({ actor, action, from, to }: z.infer<typeof auditFilters>): AuditFilter {
  return {
    actor: actor ?? null,
    action: action ?? null,
    from: from === undefined ? null : Date.parse(from),
    to: to === undefined ? null : Date.parse(to) + (DAY_ALONE.test(to) ? DAY_MS : 0),
  };
}

const shown = (event: AuditEvent) => ({
  id: event.id,
  at: isoTime(event.at),
  actor: { kind: event.actorKind, id: event.actorId, name: event.actorName },
  action: event.action,
  target: event.target,
  fields: event.fields,
  status: event.status,
  address: event.address,
  requestId: event.requestId,
  count: event.count,
});

/** Who did what in the last 90 days, the latest first; for administrators. */
export function auditRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();
  app.get("/", async (context) => {
    if (context.get("caller").role !== "admin") throw forbidden();
    const { db } = context.get("services");
    const asked = parseOrRefuse(auditFilters, context.req.query());
    const filter = filterOf(asked);
    const accepts = context.req.header("Accept") ?? "";
    if (asked.format === "jsonl" || accepts.includes("application/x-ndjson")) {
      return linesOf(db, filter);
    }
    const paging = pagingOf(context.req);
    const [data, total] = await Promise.all([
      readEvents(db, filter, paging),
      countEvents(db, filter, COUNTED_MAX),
    ]);
    return context.json(pageOf({ data, total }, paging, shown));
  });
  return app;
}

/** Everything that the filter holds, one JSON object a line, read as it is sent. */
function linesOf(db: Database, filter: AuditFilter): Response {
  const encoder = new TextEncoder();
  let last: AuditEvent | null = null;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const events: AuditEvent[] = await readEventsBefore(db, filter, last, BATCH_EVENTS);
      const text = events.map((event) => `${JSON.stringify(shown(event))}\n`).join("");
      if (text !== "") controller.enqueue(encoder.encode(text));
      last = events.at(-1) ?? null;
      if (events.length < BATCH_EVENTS) controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/x-ndjson" } });
}
