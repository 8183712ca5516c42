import { MINUTE_MS } from "./time.ts";

/** Every rate window of the service is one minute long. */
export const WINDOW_MS = MINUTE_MS;

export type Admission = {
  allowed: boolean;
  /** Times (ms) of the admitted requests within the window, oldest first. */
  passed: number[];
  /** Requests left after this one. */
  remaining: number;
  /** When refused: ms until a request would pass. When allowed: ms until the window is empty. */
  resetMs: number;
};

/**
 * An exact sliding window: at most `limit` requests pass in any span of `WINDOW_MS`. Refused
 * requests are not counted, so that they do not lengthen the wait.
 */
export function admit(passed: readonly number[], nowMs: number, limit: number): Admission {
  const newest = passed.at(-1) ?? nowMs;
  // A clock that was ahead by more than a window was set right: nobody waits until it is there again.
  const known = newest - nowMs > WINDOW_MS ? passed.map((at) => Math.min(at, nowMs)) : passed;
  // The clock can step back when an object moves to another machine; the times must not.
  const now = Math.max(nowMs, known.at(-1) ?? nowMs);
  const counting = known.filter((at) => at > now - WINDOW_MS);
  if (counting.length < limit) {
    const grown = [...counting, now];
    return {
      allowed: true,
      passed: grown,
      remaining: limit - grown.length,
      resetMs: now + WINDOW_MS - nowMs,
    };
  }
  // After a limit is lowered, more requests can be in the window than it allows: wait for enough
  // to leave.
  const leaving = counting[counting.length - limit] ?? now;
  return { allowed: false, passed: counting, remaining: 0, resetMs: leaving + WINDOW_MS - nowMs };
}

/** Times packed into one value: a base in ms, then 32-bit offsets. */
export function packTimes(times: readonly number[]): Uint8Array {
  const [base = 0] = times;
  const view = new DataView(new ArrayBuffer(BASE_BYTES + times.length * STEP_BYTES));
  view.setFloat64(0, base);
  times.forEach((at, index) => view.setUint32(BASE_BYTES + index * STEP_BYTES, at - base));
  return new Uint8Array(view.buffer);
}

export function unpackTimes(packed: Uint8Array): number[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const count = Math.floor((packed.byteLength - BASE_BYTES) / STEP_BYTES);
  const base = view.getFloat64(0);
  return Array.from(
    { length: count },
    (_, index) => base + view.getUint32(BASE_BYTES + index * STEP_BYTES),
  );
}

const BASE_BYTES = 8;
const STEP_BYTES = 4;
