import { abortOf, awaitOrNull } from "./deadline.ts";

export type RetryRules = {
  /** Tries in all, the first one included. */
  tries: number;
  /** Upper bound of the first wait, ms; it doubles with every try. */
  firstDelayMs: number;
  /** Upper bound of any wait that the other side did not ask for, ms. */
  maxDelayMs: number;
  /** Time left, ms: a longer wait is not started. */
  remainingMs: () => number;
  /** Null: do not retry. Otherwise the least wait that the other side asked for, ms. */
  retryAfterMs: (thrown: unknown) => number | null;
  signal: AbortSignal;
  /** 0 to 1; tests pass their own. */
  random?: () => number;
};

/** Full jitter (0 to a doubling bound), at least what the callee wants. @throws the last failure */
export async function withRetries<T>(work: () => Promise<T>, rules: RetryRules): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      rules.signal.throwIfAborted();
      const delayMs = attempt < rules.tries ? rules.retryAfterMs(thrown) : null;
      if (delayMs === null) throw thrown;
      const bound = Math.min(rules.maxDelayMs, rules.firstDelayMs * 2 ** (attempt - 1));
      const waitMs = delayMs + (rules.random ?? Math.random)() * bound;
      if (waitMs >= rules.remainingMs()) throw thrown;
      await awaitOrNull(abortOf(rules.signal), waitMs);
    }
  }
}
