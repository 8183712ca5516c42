import { vi } from "vitest";

/** A quiet machine takes seconds at most; a slow or busy one must not fail. */
const PATIENCE_MS = 300_000;
const INTERVAL_MS = 50;

/** Waits until the assertions hold, and fails with theirs when they never do. */
export const eventually = async <Result>(
  check: () => Result | Promise<Result>,
  interval = INTERVAL_MS,
): Promise<Result> => {
  // oxlint-disable-next-line no-restricted-properties -- The only wait, so that all are patient.
  return await vi.waitFor(check, { timeout: PATIENCE_MS, interval });
};
