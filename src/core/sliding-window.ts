import { MINUTE_MS } from "./time.ts";

/** Every rate window of the service is one minute long. */
export const WINDOW_MS = MINUTE_MS;

/** Times that have left are cut off once so many are there, and as many as are left. */
const LEFT_BEFORE_CUT = 64;

export type Admission = {
  allowed: boolean;
  /** Requests left in the window after this one. */
  remaining: number;
  /** When refused: ms until a request would pass. When allowed: ms until the window is empty. */
  resetMs: number;
};

/**
 * An exact sliding window: at most `limit` requests pass in any span of `WINDOW_MS`. Refused
 * requests are not counted, so that they do not lengthen the wait. A request costs the same
 * however many the window holds.
 */
export class SlidingWindow {
  /** Times (ms) of the admitted requests, oldest first; those before `#first` have left. */
  #times: number[];
  #first = 0;

  constructor(times: number[] = []) {
    this.#times = times;
  }

  /** When the newest request was admitted; 0: none is known. */
  get newest(): number {
    return this.#times.at(-1) ?? 0;
  }

  /** Times (ms) of the admitted requests within the window at the last `admit`, oldest first. */
  get admittedTimes(): number[] {
    return this.#times.slice(this.#first);
  }

  /** Whether the last `count` requests were all admitted after `sinceMs`. */
  hasAdmittedSince(count: number, sinceMs: number): boolean {
    return (this.#times.at(-count) ?? 0) > sinceMs;
  }

  admit(nowMs: number, limit: number): Admission {
    // A clock that was ahead by more than a window was set right: nobody waits until it is there again.
    if (this.newest - nowMs > WINDOW_MS) this.#times = this.#times.map((at) => Math.min(at, nowMs));
    // The clock can step back when an object moves to another machine; the times must not.
    const now = Math.max(nowMs, this.#times.at(-1) ?? nowMs);
    this.#dropExpired(now - WINDOW_MS);
    const counting = this.#times.length - this.#first;
    if (counting < limit) {
      this.#times.push(now);
      const resetMs = now + WINDOW_MS - nowMs;
      return { allowed: true, remaining: limit - counting - 1, resetMs };
    }
    // After a limit is lowered, the window can hold more requests than it allows.
    const leaving = this.#times[this.#times.length - limit] ?? now;
    return { allowed: false, remaining: 0, resetMs: leaving + WINDOW_MS - nowMs };
  }

  #dropExpired(upToMs: number): void {
    while ((this.#times[this.#first] ?? Infinity) <= upToMs) this.#first += 1;
    if (this.#first < LEFT_BEFORE_CUT || 2 * this.#first < this.#times.length) return;
    this.#times = this.admittedTimes;
    this.#first = 0;
  }
}
