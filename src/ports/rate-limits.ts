import type { Admission } from "../core/sliding-window.ts";

export type Surface = "api" | "webhooks" | "embed" | "login" | "panel";

export type RateVerdict = Admission & { limit: number };

/** @throws QuarryError `limits-unavailable` when the store does not answer. */
export type RateLimits = (surface: Surface, client: string) => Promise<RateVerdict>;
