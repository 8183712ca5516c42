import { reasonOf } from "../../core/errors.ts";
import { withRetries } from "../../core/work/with-retries.ts";

/** A binding's error does not say whether a retry may succeed: each call gets three attempts. */
const RULES = {
  tries: 3,
  firstDelayMs: 400,
  maxDelayMs: 2_000,
  remainingMs: () => Number.POSITIVE_INFINITY,
  retryAfterMs: () => 0,
};

/** For calls that a caller waits for: one retry, after a short wait. */
export const ONCE_MORE = { tries: 2, firstDelayMs: 100 };

/** Retries after a growing, jittered wait; throws the last failure, labelled with `what`. */
export async function retryBindingCall<T>(
  what: string,
  call: () => Promise<T>,
  rules: Partial<typeof RULES> = {},
): Promise<T> {
  try {
    return await withRetries(call, { ...RULES, ...rules, signal: new AbortController().signal });
  } catch (cause) {
    throw new Error(`${what}: ${reasonOf(cause)}`, { cause });
  }
}
