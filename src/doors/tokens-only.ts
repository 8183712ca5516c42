import { createMiddleware } from "hono/factory";

import { unauthorized } from "../core/errors.ts";
import type { AppEnv } from "../http/app-env.ts";

/**
 * Panel sessions end here: these APIs are for programs, and none of them expects cookies. A
 * request that passes has an `Authorization` header, so that nothing else is read after it.
 * @throws QuarryError `unauthorized`.
 */
export const tokensOnly = createMiddleware<AppEnv>(async (context, next) => {
  if (context.req.header("Authorization") === undefined) throw unauthorized();
  await next();
});
