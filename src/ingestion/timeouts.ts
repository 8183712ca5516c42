import { DAY_MS, MINUTE_MS, SECOND_MS } from "../core/clock.ts";

/** A worker's hold on what it works on; renewed while it lives. */
export const LEASE_MS = 2 * MINUTE_MS;
/** How long a message just sent holds its file before the sweep sends another. */
export const QUEUED_HOLD_MS = MINUTE_MS;
/** The same for what the sweep sent: a long queue must not fill with repeats. */
export const SWEPT_HOLD_MS = 10 * MINUTE_MS;
/** How long a removal may take to reach the index before the sweep repeats it. */
export const REMOVAL_HOLD_MS = 30 * SECOND_MS;
/** A deleted file is listed so long, then forgotten. */
export const DELETED_KEPT_MS = 30 * DAY_MS;

/** The largest document, bytes. */
export const FILE_LIMIT_BYTES = 25 * 1024 * 1024;

const BACK_OFF_MS = [10 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS];
/** Tries in all: the first and one after each wait. */
export const MAX_TRIES = BACK_OFF_MS.length + 1;
const JITTER = 0.2;

/**
 * The wait after the `attempts`th try (1 for the first) failed, ms, up to a fifth longer so that
 * what failed together does not return together; null when there is no further try.
 */
export function backOffMs(attempts: number, random: () => number = Math.random): number | null {
  const wait = BACK_OFF_MS[attempts - 1];
  return wait === undefined ? null : Math.round(wait * (1 + JITTER * random()));
}
