import { MINUTE_MS } from "../../core/time.ts";

/**
 * A queue consumer begins no further file after so long, ms. With the three minutes that the last
 * one may be read for, that stays below the five minutes of processor time that `wrangler.toml`
 * gives an invocation: the processor cannot be asked, but it works no longer than the clock runs.
 */
const BEGIN_WITHIN_MS = MINUTE_MS;

export type WorkBudget = {
  /** Whether one more file may be begun. The first always may, so that every invocation gets on. */
  mayBegin: () => boolean;
  /** Whether it is still worth waiting for room. */
  mayWait: () => boolean;
};

/** A budget from now on. */
export function workBudget(now: () => number): WorkBudget {
  const end = now() + BEGIN_WITHIN_MS;
  let hasBegun = false;
  return {
    mayWait: () => now() < end,
    mayBegin: () => {
      const may = !hasBegun || now() < end;
      hasBegun = true;
      return may;
    },
  };
}
