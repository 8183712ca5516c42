import { OpenAPIHono } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";

import { notFound } from "../core/errors.ts";
import type { Env } from "../env.ts";
import type { Services } from "../services.ts";
import type { AppEnv } from "./app-env.ts";
import { clientOf } from "./client-address.ts";
import { handleError } from "./errors.ts";
import { accessLog } from "./middleware/access-log.ts";
import { requireOwnHost } from "./middleware/own-hosts.ts";
import { rateLimit } from "./middleware/rate-limit.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { RequestLog } from "./request-log.ts";
import { agentRoutes } from "./routes/agents.ts";
import { documentation } from "./routes/documentation.ts";
import { inferenceFileRoutes } from "./routes/inference-files.ts";
import { inferenceRoutes } from "./routes/inferences.ts";
import { ragFileRoutes } from "./routes/rag-files.ts";
import { ragRoutes, ragScopeRoutes } from "./routes/rags.ts";
import { siteRoutes } from "./routes/site.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { validationHook } from "./validation.ts";

/**
 * The service over HTTP. The panel mounts on what this returns: it finds the services in the
 * context, and its errors and validation are answered as those of the API. A slash at the end of a
 * path makes no difference: people type it, and programs take it from what people typed.
 */
export function createApp(compose: Compose): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>({ defaultHook: validationHook, strict: false });
  app.onError(handleError);
  app.notFound((context) => handleError(notFound(), context));
  app.use(requestId, accessLog, securityHeaders, services(compose), requireOwnHost);
  app.use("/api/rags/*", rateLimit("api"));
  app.use("/api/inferences/*", rateLimit("api"));
  app.use("/api/agents/*", rateLimit("api"));
  app.use("/api/webhooks/*", rateLimit("webhooks"));
  app.use("/embed/*", rateLimit("embed"));
  app.use("/panel/*", forgetLookups);
  app.use("/api/rags/:identifier/scopes", forgetLookups);
  const api = publicApi();
  app.route("/", api);
  app.route("/", documentation(api));
  app.route("/", siteRoutes);
  return app;
}

/** The API of the specification, apart from what else is mounted: it is what is published. */
function publicApi(): OpenAPIHono<AppEnv> {
  const api = new OpenAPIHono<AppEnv>();
  const all = [ragRoutes, ragFileRoutes, ragScopeRoutes, inferenceRoutes, inferenceFileRoutes];
  for (const routes of [...all, agentRoutes, webhookRoutes]) api.route("/", routes);
  return api;
}

/** After a change made here, nothing that this isolate looked up before it is used again. */
const forgetLookups = createMiddleware<AppEnv>(async (context, next) => {
  try {
    await next();
  } finally {
    const { method } = context.req;
    if (method !== "GET" && method !== "HEAD") context.get("services").recentLookups.forget();
  }
});

/** Ids that callers may send for a request: printable, short, harmless in a log line. */
const SANE_ID = /^[\w.:/+=@-]{1,128}$/;

/** Gives the request an id, the caller's own when it is sane, and every answer `X-Request-Id`. */
const requestId = createMiddleware<AppEnv>(async (context, next) => {
  const own = context.req.header("X-Request-Id");
  const id = own !== undefined && SANE_ID.test(own) ? own : crypto.randomUUID();
  context.set("requestId", id);
  await next();
  context.res.headers.set("X-Request-Id", id);
});

/** A request's execution context. Hono's type lacks `tracing`, which the object has. */
type Context = { waitUntil(work: Promise<unknown>): void; tracing?: Tracing };

type Compose = (env: Env, context: Context) => Services;

/** Puts the services into the context, their log being the request's. */
function services(compose: Compose) {
  return createMiddleware<AppEnv>(async (context, next) => {
    const composed = compose(context.env, context.executionCtx);
    const log = composed.log.with({ requestId: context.get("requestId") });
    const { raw } = context.req;
    const credential = raw.headers.get("Authorization") ?? raw.headers.get("Cookie");
    const caller = credential ?? clientOf(composed.config, raw);
    const turns = { ...composed.turns, caller };
    context.set("services", { ...composed, turns, log: new RequestLog(log) });
    await next();
  });
}
