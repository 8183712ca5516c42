import { MINUTE_MS } from "../../core/time.ts";

/**
 * A queue consumer starts no further file after this time (ms). With three minutes for reading the
 * last file, it stays below the five minutes of processor time that `wrangler.toml` sets.
 * Processor time cannot be measured, but never exceeds elapsed time.
 */
const BEGIN_WITHIN_MS = MINUTE_MS;

export type WorkBudget = {
  /**
   * Whether one more file may be started. The first always may, so every invocation makes
   * progress.
   */
  mayBegin: () => boolean;
  /** Whether waiting for memory is still worthwhile. */
  mayWait: () => boolean;
  /** Whether what has not been started will not be. */
  isOver: () => boolean;
};

/** A budget that starts now. */
export function workBudget(now: () => number): WorkBudget {
  const end = now() + BEGIN_WITHIN_MS;
  let hasBegun = false;
  return {
    mayWait: () => now() < end,
    isOver: () => hasBegun && now() >= end,
    mayBegin: () => {
      const may = !hasBegun || now() < end;
      hasBegun = true;
      return may;
    },
  };
}
