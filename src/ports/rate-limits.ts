export type Surface = "api" | "webhooks" | "embed" | "login" | "panel";

export type RateVerdict = {
  allowed: boolean;
  limit: number;
  /** Requests left in the window after this one. */
  remaining: number;
  /** Time until the window has room again (refused) or is empty again (allowed); ms. */
  resetMs: number;
};

/** @throws QuarryError `limits-unavailable` when the store does not answer. */
export type RateLimits = (surface: Surface, client: string) => Promise<RateVerdict>;
