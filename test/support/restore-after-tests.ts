import { afterEach, vi } from "vitest";

import "./forbidden-text.ts";

/** No test meets the clock, the spies or the variables of the one before. */
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
