import { createMiddleware } from "hono/factory";

import { findPanelCaller } from "../../access/sessions/find-panel-caller.ts";
import { isSameOrigin } from "../../access/sessions/same-origin.ts";
import { sessionSecretIn } from "../../access/sessions/session-cookie.ts";
import { forbidden, unauthorized } from "../../core/errors.ts";
import { baseUrlOf } from "../../http/base-url.ts";
import type { PanelEnv } from "./panel-env.ts";

const isReading = (method: string) => method === "GET" || method === "HEAD";

/** Who calls. @throws QuarryError `unauthorized`. */
export const signedInOnly = createMiddleware<PanelEnv>(async (context, next) => {
  const caller = await findPanelCaller(context.get("services"), context.req.raw.headers);
  if (caller === null) throw unauthorized();
  context.set("caller", caller);
  await next();
});

/** What changes something with the cookie comes from our own pages. @throws `forbidden`. */
export const ownPagesOnly = createMiddleware<PanelEnv>(async ({ req, get }, next) => {
  const withCookie =
    req.header("Authorization") === undefined && sessionSecretIn(req.header("Cookie") ?? null);
  if (withCookie && !isReading(req.method)) {
    const baseUrl = baseUrlOf(get("services").config, req.raw);
    if (!isSameOrigin(req.raw, baseUrl)) throw forbidden();
  }
  await next();
});

/** A member reads everything and changes nothing. @throws QuarryError `forbidden`. */
export const adminsChange = createMiddleware<PanelEnv>(async ({ req, get }, next) => {
  if (get("caller").role !== "admin" && !isReading(req.method)) throw forbidden();
  await next();
});
