import { createMiddleware } from "hono/factory";

import type { AppEnv } from "../app-env.ts";

/** For answers that are data: nothing in them may run, be framed or be kept. */
const DEFAULTS = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/** Sets what the handler has not set itself: a page brings its own policy. */
export const securityHeaders = createMiddleware<AppEnv>(async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(DEFAULTS)) {
    if (!context.res.headers.has(name)) context.res.headers.set(name, value);
  }
});
