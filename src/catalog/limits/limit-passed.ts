import type { Services } from "../../services.ts";

/** Percent of a limit that are reported, once in a period each. */
export const SHARES = [80, 100];
type Passing = { limitId: string; share: number; resetsAt: number };

/** Reports that so much of a limit is used; 100: or that a call was refused for what is used. */
export async function limitPassed({ log }: Pick<Services, "log">, passing: Passing): Promise<void> {
  log.warn("spending limit", passing);
}
