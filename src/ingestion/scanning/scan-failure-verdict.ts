import { MINUTE_MS } from "../../core/time.ts";
import type { ScanProgress } from "../../db/scans/scan-store.ts";
import { SourceFailure, type SourceFailureKind } from "../../ports/source-reader.ts";
import { MAX_TRIES, backOffMs } from "../timeouts.ts";

/** A listing that fails on its first page gives up soon; one under way gets more attempts. */
const TRIES_OF_FIRST_PAGE = 2;
/** After a failed run, the next begins after this time or after the scan interval. */
const NEXT_RUN_AFTER_MS: Record<SourceFailureKind | "unexpected", number> = {
  throttled: 5 * MINUTE_MS,
  down: 5 * MINUTE_MS,
  denied: 30 * MINUTE_MS,
  "bad-file": 60 * MINUTE_MS,
  "our-limit": 60 * MINUTE_MS,
  unexpected: 5 * MINUTE_MS,
};
const MAX_WAIT_IN_RUN_MS = 15 * MINUTE_MS;
/** Kinds of failure after which the same page may succeed a little later. */
const PASSING = new Set<string>(["throttled", "down", "unexpected"]);

export type ScanVerdict = { again: boolean; message: string; delayMs: number };

/**
 * Decides whether and when the page is retried, else how the run ends. Messages are safe to show.
 */
export function scanFailureVerdict(
  thrown: unknown,
  { step, attempts }: Pick<ScanProgress, "step" | "attempts">,
): ScanVerdict {
  const { kind, message, askedMs } = factsOf(thrown);
  const tries = step === 0 ? TRIES_OF_FIRST_PAGE : MAX_TRIES;
  const delayMs = Math.max(backOffMs(attempts + 1) ?? 0, askedMs);
  const mayPass = PASSING.has(kind);
  if (mayPass && attempts + 1 < tries && delayMs <= MAX_WAIT_IN_RUN_MS) {
    return { again: true, message, delayMs };
  }
  const said = mayPass && attempts > 0 ? `${message} after ${attempts + 1} tries` : message;
  return { again: false, message: said, delayMs: Math.max(NEXT_RUN_AFTER_MS[kind], askedMs) };
}

function factsOf(thrown: unknown) {
  if (thrown instanceof SourceFailure) {
    const { kind, message, retryAfterMs } = thrown;
    return { kind, message, askedMs: retryAfterMs ?? 0 };
  }
  const message = "the file source could not be scanned";
  return { kind: "unexpected" as const, message, askedMs: 0 };
}
