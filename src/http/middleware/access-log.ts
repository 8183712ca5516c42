import { createMiddleware } from "hono/factory";

import { RequestLog } from "../request-log.ts";
import type { AppEnv } from "../app-env.ts";

const PATH_LOGGED_LENGTH = 200;

/** One line per request, with what it did, without the query string: it may name documents. */
export const accessLog = createMiddleware<AppEnv>(async (context, next) => {
  const startedAt = Date.now();
  await next();
  const services: AppEnv["Variables"]["services"] | undefined = context.get("services");
  const actor = context.get("actor");
  const log = services?.log;
  const facts = {
    method: context.req.method,
    path: context.req.path.slice(0, PATH_LOGGED_LENGTH),
    status: context.res.status,
    ...(actor === undefined ? {} : { actor: `${actor.kind}:${actor.id}` }),
    durationMs: Date.now() - startedAt,
  };
  if (log instanceof RequestLog) log.end("request", facts);
  else log?.info("request", facts);
});
