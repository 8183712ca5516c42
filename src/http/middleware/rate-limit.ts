import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import { WINDOW_MS } from "../../core/sliding-window.ts";
import { SECOND_MS } from "../../core/time.ts";
import type { Surface } from "../../ports/rate-limits.ts";
import type { AppEnv } from "../app-env.ts";
import { clientOf } from "../client-address.ts";

/** The answer of status 429, in the form of the API that was called. */
type RefusalAnswer = (context: Context<AppEnv>) => Response;

export const TOO_MANY_REQUESTS = "Too many requests";
const plainRefusal: RefusalAnswer = (context) => context.json({ error: TOO_MANY_REQUESTS }, 429);

/**
 * Applies the surface's budget per client, before anything else. The headers are the structured
 * fields of draft-ietf-httpapi-ratelimit-headers: `q` requests in `w` seconds, `r` left, `t`
 * seconds until there is room again (refused) or until the window is empty again (passed).
 * @throws QuarryError `limits-unavailable`: without a count every request is refused.
 */
export function rateLimit(surface: Surface, refusal: RefusalAnswer = plainRefusal) {
  return createMiddleware<AppEnv>(async (context, next) => {
    const { config, log, rateLimits } = context.get("services");
    const verdict = await rateLimits(surface, clientOf(config, context.req.raw));
    const resetSeconds = Math.max(1, Math.ceil(verdict.resetMs / SECOND_MS));
    const windowSeconds = WINDOW_MS / SECOND_MS;
    if (verdict.allowed) await next();
    else {
      log.note?.({ error: TOO_MANY_REQUESTS });
      context.res = refusal(context);
    }
    // Set on the final answer: a handler's own stream drops headers that were set before it.
    const { headers } = context.res;
    headers.set("RateLimit-Policy", `"${surface}";q=${verdict.limit};w=${windowSeconds}`);
    headers.set("RateLimit", `"${surface}";r=${verdict.remaining};t=${resetSeconds}`);
    if (!verdict.allowed) headers.set("Retry-After", String(resetSeconds));
  });
}
