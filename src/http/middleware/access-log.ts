import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import { callRecord, plainText, surfaceOf } from "../../core/calls/call-record.ts";
import { newId } from "../../core/ids.ts";
import { attempt } from "../../core/log.ts";
import type { AppEnv } from "../app-env.ts";
import { RequestLog } from "../request-log.ts";

/** No status of HTTP: the caller had gone before there was an answer. */
const CALLER_GONE = 499;

/** One line per request, with what it did, without the query string: it may name documents. */
export const accessLog = createMiddleware<AppEnv>(async (context, next) => {
  const startedAt = Date.now();
  // The runtime may end the work of a caller who hung up, and nothing else would record it.
  const { signal } = context.req.raw;
  const recordDisconnect = () => recordCall(context, CALLER_GONE, startedAt);
  signal.addEventListener("abort", recordDisconnect, { once: true });
  await next();
  signal.removeEventListener("abort", recordDisconnect);
  recordCall(context, context.res.status, startedAt);
});

function recordCall(context: Context<AppEnv>, status: number, startedAt: number): void {
  const services: AppEnv["Variables"]["services"] | undefined = context.get("services");
  const actor = context.get("actor");
  const log = services?.log;
  const { method, path } = context.req;
  const answer = { method, path, status, durationMs: Date.now() - startedAt };
  const who = actor === undefined ? {} : { actor: `${actor.kind}:${actor.id}` };
  const facts = { ...answer, ...who, path: plainText(path) };
  if (!(log instanceof RequestLog)) return log?.info("request", facts);
  const [time, surface, { requestId }] = [startedAt, surfaceOf(path), context.var];
  const token = actor?.kind === "token" ? actor : null;
  const call = { ...answer, id: newId(time), time, surface, requestId, token };
  log.end("request", facts, (notes, isFirst) => {
    if (surface === null) return;
    const send = async () =>
      await services.recordCall({ ...callRecord.parse({ ...call, ...notes }), isFirst });
    services.runInBackground(attempt(log, "call not recorded", {}, send, "warn"));
  });
}
