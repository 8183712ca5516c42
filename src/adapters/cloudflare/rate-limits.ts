import type { Config } from "../../config.ts";
import { limitsUnavailable, QuarryError } from "../../core/errors.ts";
import { awaitOrNull } from "../../core/work/deadline.ts";
import type { Env } from "../../env.ts";
import type { RateLimits, Surface } from "../../ports/rate-limits.ts";

/** A store that does not answer within this time counts as unavailable. */
const ANSWER_WITHIN_MS = 3_000;
/** One thread of this machine does everything: a long search delays the store, too. */
const LOCAL_ANSWER_WITHIN_MS = 60_000;

/** One Durable Object for each surface and client; any failure refuses the request. */
export function durableRateLimits(namespace: Env["RATE_WINDOW"], config: Config): RateLimits {
  const limits: Record<Surface, number> = {
    api: config.RATE_LIMIT_API,
    webhooks: config.RATE_LIMIT_WEBHOOKS,
    embed: config.RATE_LIMIT_EMBED,
    login: config.RATE_LIMIT_LOGIN,
    panel: config.RATE_LIMIT_PANEL,
  };
  const isLocal = config.ENVIRONMENT === "development";
  const withinMs = isLocal ? LOCAL_ANSWER_WITHIN_MS : ANSWER_WITHIN_MS;
  return async (surface, client) => {
    try {
      const id = namespace.idFromName(`${surface} ${client}`);
      const verdict = await awaitOrNull(namespace.get(id).take(limits[surface]), withinMs);
      if (verdict !== null) return verdict;
    } catch (thrown) {
      if (thrown instanceof QuarryError) throw thrown;
    }
    throw limitsUnavailable();
  };
}
