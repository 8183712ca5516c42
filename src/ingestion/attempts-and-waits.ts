import { MINUTE_MS, SECOND_MS } from "../core/time.ts";

const BACK_OFF_MS = [10 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS];
/** Attempts in total: the first one, and one after each wait. */
export const MAX_TRIES = BACK_OFF_MS.length + 1;
const JITTER = 0.2;

/**
 * The wait (ms) after attempt number `attempts` (1: the first) failed. Adds up to a fifth at
 * random so that files that failed together do not return together; null when no attempts are
 * left.
 */
export function backOffMs(attempts: number, random: () => number = Math.random): number | null {
  const wait = BACK_OFF_MS[attempts - 1];
  return wait === undefined ? null : Math.round(wait * (1 + JITTER * random()));
}
