import "./forbidden-text.ts";

import { afterEach, vi } from "vitest";

/** No test meets the clock, the spies or the variables of the one before. */
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
