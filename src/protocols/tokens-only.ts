import { createMiddleware } from "hono/factory";

import { unauthorized } from "../core/errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { credentialIn } from "../http/caller.ts";

/**
 * Panel sessions end here: these APIs are for programs, and none of them expects cookies. What is
 * no token ends here, too, before a body is read.
 * @throws QuarryError `unauthorized`.
 */
export const tokensOnly = createMiddleware<AppEnv>(async (context, next) => {
  if (context.req.header("Authorization") === undefined) throw unauthorized();
  await credentialIn(context.get("services"), context.req.raw);
  await next();
});
