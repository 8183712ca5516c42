import { createMiddleware } from "hono/factory";

import type { AppEnv } from "../app-env.ts";
import { isHttps } from "../client-address.ts";

/** For answers that are data: nothing in them may run, be framed or be cached. */
const DEFAULTS = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy":
    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Cache-Control": "no-store",
};

/** Subdomains are not included: they may belong to others. */
const A_YEAR_OF_HTTPS = "max-age=31536000";

/** Programs open these in a window, and would lose it: it leads back to them and closes itself. */
const OPENED_BY_PROGRAMS = /^\/(?:authorize|panel\/sign-in)(?:\/|$)/;

/** Sets the headers that the handler has not set: a page has its own policy. */
export const securityHeaders = createMiddleware<AppEnv>(async (context, next) => {
  await next();
  const services: AppEnv["Variables"]["services"] | undefined = context.get("services");
  if (services !== undefined && isHttps(services.config, context.req.raw)) {
    context.res.headers.set("Strict-Transport-Security", A_YEAR_OF_HTTPS);
  }
  if (OPENED_BY_PROGRAMS.test(context.req.path)) {
    context.res.headers.set("Cross-Origin-Opener-Policy", "unsafe-none");
  }
  for (const [name, value] of Object.entries(DEFAULTS)) {
    if (!context.res.headers.has(name)) context.res.headers.set(name, value);
  }
});
