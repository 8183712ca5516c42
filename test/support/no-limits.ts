import type { Spending } from "../../src/ports/spending.ts";

/** No spending limit applies. */
export const noLimits: Spending = {
  bill: () => {},
  withSubject: () => noLimits,
  reserve: async () => ({ isLimited: false, settle: () => {} }),
};
