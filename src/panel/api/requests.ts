import { z } from "@hono/zod-openapi";

import { callRecord, type CallRecord } from "../../core/calls/call-record.ts";
import type { Services } from "../../services.ts";
import { Endpoints, time } from "./request/endpoint.ts";

const MAX_ID_LENGTH = 100;

export const callFilter = z.object({
  status: z
    .string()
    .regex(/^[1-5](?:\d\d|xx)$/, "must be a status, such as 404, or a class, such as 4xx")
    .optional(),
  path: z.string().optional().describe("A part of the path."),
  token: z
    .string()
    .max(MAX_ID_LENGTH)
    .optional()
    .describe("The id of a token: its own last 100 calls."),
  degraded: z.enum(["true", "false"]).optional(),
});

/** Calls of the request log, the newest first. */
export async function findCalls(
  { requestRecords }: Pick<Services, "requestRecords">,
  { status = "", path = "", token, degraded }: z.infer<typeof callFilter>,
): Promise<CallRecord[]> {
  const calls = await requestRecords.list(token ?? null);
  return calls.filter(
    (call) =>
      String(call.status).startsWith(status.replace("xx", "")) &&
      call.path.includes(path) &&
      (degraded === undefined || String(call.degraded.length > 0) === degraded),
  );
}

export const requestRoutes = new Endpoints("service").list(
  "get /requests",
  "The last 1,000 calls of programs, at most 7 days old, without queries and texts. For administrators.",
  { query: callFilter, item: callRecord.extend({ time }), by: "admins" },
  ({ services, query }) => findCalls(services, query),
).app;
