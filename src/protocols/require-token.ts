import { createMiddleware } from "hono/factory";

import { bearerIn } from "../access/bearer.ts";
import { findGrant } from "../access/programs/find-grant.ts";
import { unauthorized } from "../core/errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { credentialIn, grant } from "../http/caller.ts";
import { baseUrlOf } from "../http/client-address.ts";

/** Refuses panel sessions, and calls without a token unread. @throws QuarryError `unauthorized` */
export const requireToken = createMiddleware<AppEnv>(async (context, next) => {
  if (context.req.header("Authorization") === undefined) throw unauthorized();
  await credentialIn(context.get("services"), context.req.raw);
  await next();
});

/** Admits tokens, and programs that people connected. */
export const requireAccess = createMiddleware<AppEnv>(async (context, next) => {
  const { raw } = context.req;
  const services = context.get("services");
  const token = bearerIn(raw.headers.get("Authorization"));
  const granted = await findGrant(services, token, baseUrlOf(services.config, raw));
  if (granted !== null) grant(raw, granted);
  return await requireToken(context, next);
});
