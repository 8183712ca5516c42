import { MINUTE_MS } from "../core/clock.ts";

/**
 * A queue consumer begins no further file after so long, ms. With the three minutes that the last
 * one may be read for, that stays below the five minutes of processor time that `wrangler.toml`
 * gives an invocation: the processor cannot be asked, but it works no longer than the clock runs.
 */
const BEGIN_WITHIN_MS = MINUTE_MS;

/** Whether one more file may be begun. */
export type WorkBudget = { mayBegin: () => boolean };

/** A budget from now on. The first file is always begun, so that every invocation gets on. */
export function workBudget(now: () => number): WorkBudget {
  const end = now() + BEGIN_WITHIN_MS;
  let hasBegun = false;
  return {
    mayBegin: () => {
      const may = !hasBegun || now() < end;
      hasBegun = true;
      return may;
    },
  };
}
