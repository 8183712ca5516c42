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
