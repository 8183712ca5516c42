import { MINUTE_MS, SECOND_MS } from "../core/time.ts";

/** How long a worker's claim lasts; it is renewed while the worker is alive. */
export const LEASE_MS = 2 * MINUTE_MS;
/** How long a new message claims its file before the sweep sends another. */
export const QUEUED_CLAIM_MS = MINUTE_MS;
/**
 * Messages from the sweep are claimed for longer, so that a long queue does not fill with repeats.
 */
export const SWEPT_CLAIM_MS = 10 * MINUTE_MS;
/**
 * A worker lives 15 minutes at most: what it still writes for a file that was replaced or removed
 * meanwhile is written by then.
 */
export const LATE_WRITES_MS = 16 * MINUTE_MS;
/** How long a removal may take to reach the index before the sweep repeats it. */
export const REMOVAL_CLAIM_MS = 30 * SECOND_MS;

/** The times of work that is queued now, and of removals that are carried out now. */
export const timesFrom = (now: number) => ({
  now,
  claimedUntil: now + QUEUED_CLAIM_MS,
  removedUntil: now + REMOVAL_CLAIM_MS,
});

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
