import { createMiddleware } from "hono/factory";

import type { AppEnv } from "../app-env.ts";

/** What a caller may send as its own id: printable, short, harmless in a log line. */
const SANE_ID = /^[\w.:/+=@-]{1,128}$/;

/** Gives the request an id, the caller's own when it is sane, and every answer `X-Request-Id`. */
export const requestId = createMiddleware<AppEnv>(async (context, next) => {
  const own = context.req.header("X-Request-Id");
  const id = own !== undefined && SANE_ID.test(own) ? own : crypto.randomUUID();
  context.set("requestId", id);
  await next();
  context.res.headers.set("X-Request-Id", id);
});
