import { MINUTE_MS, SECOND_MS } from "../core/time.ts";

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
