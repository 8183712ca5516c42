import { z } from "zod";

import type { Config } from "../../config.ts";
import { limitsUnavailable } from "../../core/errors.ts";
import type { RateLimits, Surface } from "../../ports/rate-limits.ts";

/** A store that does not answer within this is as good as away: nobody waits longer for a count. */
const ANSWER_WITHIN_MS = 3_000;

const verdict = z.object({
  allowed: z.boolean(),
  limit: z.number(),
  remaining: z.number(),
  resetMs: z.number(),
});

type WindowStub = { take(limit: number): Promise<unknown> };

/** One Durable Object for each surface and client; whatever goes wrong there lets nobody through. */
export function durableRateLimits(namespace: DurableObjectNamespace, config: Config): RateLimits {
  const limits: Record<Surface, number> = {
    api: config.RATE_LIMIT_API,
    webhooks: config.RATE_LIMIT_WEBHOOKS,
    embed: config.RATE_LIMIT_EMBED,
    login: config.RATE_LIMIT_LOGIN,
  };
  return async (surface, client) => {
    try {
      const id = namespace.idFromName(`${surface} ${client}`);
      const stub = namespace.get(id) as unknown as WindowStub;
      return verdict.parse(await inTime(stub.take(limits[surface])));
    } catch {
      throw limitsUnavailable();
    }
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("rate window: no answer")), ANSWER_WITHIN_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
