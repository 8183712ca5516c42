import { createMiddleware } from "hono/factory";

import type { Env } from "../../env.ts";
import type { Services } from "../../services.ts";
import { clientOf } from "../client-address.ts";
import { RequestLog } from "../request-log.ts";
import type { AppEnv } from "../app-env.ts";

/** A request's execution context. Hono's type lacks `tracing`, which the object has. */
type Context = { waitUntil(work: Promise<unknown>): void; tracing?: Tracing };

export type Compose = (env: Env, context: Context) => Services;

/** Puts the services into the context, their log being the request's. */
export function services(compose: Compose) {
  return createMiddleware<AppEnv>(async (context, next) => {
    const composed = compose(context.env, context.executionCtx);
    const log = composed.log.with({ requestId: context.get("requestId") });
    const { headers } = context.req.raw;
    const caller = headers.get("Authorization") ?? headers.get("Cookie") ?? clientOf(headers);
    const turns = { ...composed.turns, caller };
    context.set("services", { ...composed, turns, log: new RequestLog(log) });
    await next();
  });
}
