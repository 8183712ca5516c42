import { createMiddleware } from "hono/factory";

import type { AppEnv } from "../app-env.ts";

/** After a change made here, nothing that this isolate looked up before it is used again. */
export const forgetLookups = createMiddleware<AppEnv>(async (context, next) => {
  try {
    await next();
  } finally {
    const { method } = context.req;
    if (method !== "GET" && method !== "HEAD") context.get("services").recentLookups.forget();
  }
});
