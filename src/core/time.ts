/** Milliseconds since the Unix epoch. Passed as an argument, so that tests can control time. */
export type Now = () => number;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** ISO 8601 UTC with milliseconds, the form of every time in the API. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** `Retry-After`, seconds or an HTTP date, as ms to wait; null: it is neither. */
export function waitMsIn(retryAfter: string, nowMs: number): number | null {
  if (/^\s*\d+(\.\d+)?\s*$/.test(retryAfter)) return Number(retryAfter) * SECOND_MS;
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

/** When the day or month (UTC) of a time ends, ms. */
export function periodEnd(period: "day" | "month", at: number): number {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return period === "month" ? Date.UTC(year, month + 1) : at - (at % DAY_MS) + DAY_MS;
}

/** As RFC 3339 has it, and with the zones of PHP and Python (`+0200`). */
const ISO_TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/i;
const ZONE = /([+-]\d\d):?(\d\d)$/;
const DAY_LENGTH = "2026-11-23".length;

/** A day (its first instant, UTC) or a time with its zone, ISO 8601, as ms; null: it is neither. */
export function timeIn(text: string): number | null {
  // In the form of the standard: `Date.parse` guesses at others, and takes year 50 for 1950.
  const standard = text.toUpperCase().replace(" ", "T").replace(ZONE, "$1:$2");
  const ms = ISO_TIME.test(text) ? Date.parse(standard) : Number.NaN;
  const day = text.slice(0, DAY_LENGTH);
  // `Date.parse` takes 30 February for 2 March.
  return Number.isNaN(ms) || !isoTime(Date.parse(day)).startsWith(day) ? null : ms;
}
