import { beforeEach, expect, test, vi } from "vitest";

import { durableRateLimits } from "../../../../src/adapters/cloudflare/rate-limits.ts";
import { parseConfig } from "../../../../src/config.ts";
import type { Admission } from "../../../../src/core/sliding-window.ts";

beforeEach(() => void vi.useFakeTimers());
const PASSED: Admission = { allowed: true, remaining: 1, resetMs: 1 };

/** A store that answers after so many milliseconds, asked by one client. */
function verdictOf(environment: "development" | "preview", afterMs: number) {
  const take = () =>
    new Promise<Admission>((resolve) => {
      setTimeout(() => resolve(PASSED), afterMs);
    });
  const namespace = { idFromName: (name: string) => name, get: () => ({ take }) };
  const limits = durableRateLimits(
    namespace as unknown as Parameters<typeof durableRateLimits>[0],
    { ...parseConfig({ ENVIRONMENT: "development" }), ENVIRONMENT: environment },
  );
  return limits("api", "192.0.2.1").catch((error: unknown) => error);
}

test.each([
  ["preview", 2_900, true],
  ["preview", 3_100, false],
  ["development", 59_000, true],
  ["development", 61_000, false],
] as const)("in %s a store that answers after %d ms counts: %s", async (where, afterMs, counts) => {
  const verdict = verdictOf(where, afterMs);
  await vi.advanceTimersByTimeAsync(afterMs);
  if (counts) expect(await verdict).toEqual(PASSED);
  else expect(await verdict).toMatchObject({ kind: "limits-unavailable" });
});
