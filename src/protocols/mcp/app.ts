import { Hono, type Context } from "hono";
import { createMiddleware } from "hono/factory";

import { resourceMetadataUrl } from "../../access/programs/addresses.ts";
import { forbidden, invalid, notFound, QuarryError } from "../../core/errors.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { callerFrom, credentialIn } from "../../http/caller.ts";
import { baseUrlOf } from "../../http/client-address.ts";
import { logFailure } from "../../http/errors.ts";
import { toJsonRequest, readJson } from "../../http/middleware/json-body.ts";
import { rateLimit, TOO_MANY_REQUESTS } from "../../http/middleware/rate-limit.ts";
import { requireAccess } from "../require-token.ts";
import type { Session } from "./session.ts";

/* Without sessions: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports */

const INVALID_REQUEST = -32_600;
const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

/** A refusal of the transport: it answers no single call. */
const refusal = (code: number, message: string) => ({
  jsonrpc: "2.0" as const,
  error: { code, message },
  id: null,
});

/** A browser says whose page calls; no page but our own may. */
const ownOriginOnly = createMiddleware<AppEnv>(async (context, next) => {
  const origin = context.req.header("Origin");
  const own = baseUrlOf(context.get("services").config, context.req.raw);
  if (origin !== undefined && origin !== own) throw forbidden();
  await next();
});

export function mcpProtocol(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.onError(answerError);
  app.use(
    rateLimit("api", (context) => context.json(refusal(SERVER_ERROR, TOO_MANY_REQUESTS), 429)),
  );
  app.use(ownOriginOnly, requireAccess);
  app.post("/", async (context) => {
    const session = await begin(context);
    const { raw } = context.req;
    const body = await readJson(raw);
    // Each message counts in the rate window; several in one body would not.
    if (Array.isArray(body)) throw invalid("body must be one message: batches are not supported");
    // The SDK is as large as the rest of the protocols together.
    const { serve } = await import("./serve.ts");
    return await serve(session, toJsonRequest(raw), body);
  });
  // Nothing is told without being asked, and there is no session to end.
  app.all("/", (context) => {
    const body = refusal(SERVER_ERROR, "Method not allowed: use POST");
    return context.json(body, 405, { Allow: "POST" });
  });
  app.all("*", () => {
    throw notFound();
  });
  return app;
}

/** Who calls. @throws QuarryError `unauthorized` */
async function begin(context: Context<AppEnv>): Promise<Session> {
  const services = context.get("services");
  const { raw } = context.req;
  const credential = await credentialIn(services, raw);
  const { principal } = await services.recentLookups.caller.find(services, credential, "");
  const caller = callerFrom(services, raw, principal);
  context.set("actor", caller.actor);
  return { services, credential, caller, signal: raw.signal };
}

/** Says where a program learns how to connect (RFC 9728). */
function challenge({ get, req }: Context<AppEnv>): string {
  const metadata = resourceMetadataUrl(baseUrlOf(get("services").config, req.raw));
  const wrong = req.header("Authorization") === undefined ? "" : ', error="invalid_token"';
  const parameter = metadata === null ? "" : `, resource_metadata="${metadata}"`;
  return `Bearer realm="Quarry"${wrong}${parameter}`;
}

function answerError(thrown: unknown, context: Context<AppEnv>): Response {
  const { status, error } = logFailure(thrown, context.get("services").log);
  const isText = thrown instanceof QuarryError && thrown.code === "not-json";
  const codes: Partial<Record<number, number>> = { 400: isText ? PARSE_ERROR : INVALID_REQUEST };
  if (status === 401) context.header("WWW-Authenticate", challenge(context));
  return context.json(refusal(codes[status] ?? SERVER_ERROR, error), status);
}
