import { MINUTE_MS, type Now } from "../core/time.ts";

/** A token that is about to expire is not used any more. */
const MARGIN_MS = MINUTE_MS;

export type AccessToken = { value: string; expiresAt: number };

export type AccessTokens = {
  get(signal: AbortSignal): Promise<string>;
  /** Forgets a token that was refused. */
  renew(): void;
};

/** Access tokens, each asked for once and used until shortly before it expires. */
export function cachedTokens(
  request: (signal: AbortSignal) => Promise<AccessToken>,
  now: Now,
): AccessTokens {
  let current: AccessToken | null = null;
  return {
    async get(signal) {
      if (current === null || current.expiresAt - MARGIN_MS <= now()) {
        current = await request(signal);
      }
      return current.value;
    },
    renew() {
      current = null;
    },
  };
}
