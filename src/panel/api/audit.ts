import { z } from "@hono/zod-openapi";

import { countEvents, readEvents, readEventPage } from "../../db/access/audit-store.ts";
import type { AuditEvent, AuditFilter } from "../../db/access/audit-store.ts";
import type { Key, KeyedPage } from "../../db/page.ts";
import { fieldChange } from "../../db/schema/access.ts";
import type { Database } from "../../db/sql.ts";
import { textStream } from "../../http/text-stream.ts";
import { fieldsOfKind, Endpoints, time, schema } from "./request/endpoint.ts";
import { span } from "./request/route.ts";

/** Counting more would read as many rows; `total` ends there. */
const MAX_COUNTED = 10_000;
const BATCH_EVENTS = 1_000;

const auditFilters = z.object({
  actor: z.string().optional(),
  action: z.string().optional(),
  ...span,
  format: z.enum(["json", "jsonl"]).optional(),
});

const filterOf = (query: z.infer<typeof auditFilters>): AuditFilter => {
  const { actor = null, action = null, from = null, to = null } = query;
  return { actor, action, from, to };
};

const answerOf = ({ actorKind, actorId, actorName, ...event }: AuditEvent) => ({
  ...event,
  actor: { kind: actorKind, id: actorId, name: actorName },
});
const Event = schema("AuditEvent", {
  id: z.string(),
  at: time,
  actor: z.object({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
  action: z.string(),
  target: z.string().nullable().describe("The last one, where refusals of several are one entry."),
  fields: z.array(z.string()),
  changes: z
    .array(fieldChange)
    .describe("Values of changed fields, but for secret and long ones; none in old entries."),
  status: z.int(),
  ...fieldsOfKind(z.string(), "address", "requestId"),
  count: z.int(),
});

export const auditRoutes = new Endpoints("service").list(
  "get /audit",
  "Who did what in the last 90 days. For administrators. `format=jsonl` answers all as JSON Lines.",
  { query: auditFilters, item: Event, mediaTypes: ["application/x-ndjson"], by: "admins" },
  async ({ context, services: { db }, query, paging }) => {
    const filter = filterOf(query);
    const accepts = context.req.header("Accept") ?? "";
    if (query.format === "jsonl" || accepts.includes("application/x-ndjson")) {
      const headers = { "Content-Type": "application/x-ndjson" };
      return new Response(textStream(linesOf(db, filter)), { headers });
    }
    const [data, total] = await Promise.all([
      readEvents(db, filter, paging),
      countEvents(db, filter, MAX_COUNTED),
    ]);
    return { data: data.map(answerOf), total };
  },
).app;

async function* linesOf(db: Database, filter: AuditFilter): AsyncGenerator<string, void> {
  for (let after: Key | null | undefined; after !== null;) {
    const at = { after: after ?? null, before: null, limit: BATCH_EVENTS };
    const page: KeyedPage<AuditEvent> = await readEventPage(db, filter, at);
    yield page.data.map((event) => `${JSON.stringify(Event.parse(answerOf(event)))}\n`).join("");
    ({ after } = page);
  }
}
