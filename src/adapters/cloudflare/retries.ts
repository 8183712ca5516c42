import { reasonOf } from "../../core/errors.ts";
import { withRetries as retried } from "../../core/retry.ts";

/** What a binding throws says nothing of whether another try may succeed: each gets three. */
const RULES = {
  tries: 3,
  firstDelayMs: 400,
  maxDelayMs: 2_000,
  remainingMs: () => Number.POSITIVE_INFINITY,
  retryAfterMs: () => 0,
};

/** Where somebody waits for the answer: once more, and soon. */
export const ONCE_MORE = { tries: 2, firstDelayMs: 100 };

/** Calls again after a growing, jittered wait; the last failure is thrown under `what`. */
export async function withRetries<T>(
  what: string,
  call: () => Promise<T>,
  rules: Partial<typeof RULES> = {},
): Promise<T> {
  try {
    return await retried(call, { ...RULES, ...rules, signal: new AbortController().signal });
  } catch (cause) {
    throw new Error(`${what}: ${reasonOf(cause)}`, { cause });
  }
}
