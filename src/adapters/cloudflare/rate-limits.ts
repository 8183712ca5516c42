import type { Config } from "../../config.ts";
import type { Env } from "../../env.ts";
import { limitsUnavailable } from "../../core/errors.ts";
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
      return await inTime(namespace.get(id).take(limits[surface]), withinMs);
    } catch {
      throw limitsUnavailable();
    }
  };
}

async function inTime<T>(work: Promise<T>, withinMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("rate window: no answer")), withinMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
