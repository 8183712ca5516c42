import { DeadlineExceeded } from "../core/deadline.ts";
import type { Deadline } from "../core/deadline.ts";
import { QuarryError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { withRetries } from "../core/retry.ts";
import type { ModelUse } from "../ports/job-queue.ts";
import { ModelFailure } from "../ports/models.ts";
import type { Services } from "../services.ts";

export type RetrievalServices = Pick<
  Services,
  "config" | "now" | "log" | "trace" | "ragIndexes" | "vectorIndex" | "models"
>;

/** What every leg of one retrieval shares: the budget, and the list of what was lost. */
export type Call = {
  services: RetrievalServices;
  deadline: Deadline;
  /** Plain sentences in order of loss, each once. */
  degradations: Set<string>;
  /** Embedding and reranking, those that failed among them. */
  uses: ModelUse[];
  /** When each leg ran; those of a kind run side by side. */
  legs: LegTime[];
};

export type LegKind = "embedding" | "search" | "vectorIndex" | "hydration" | "reranking";
type LegTime = { kind: LegKind; from: number; to: number };

const TRIES = 2;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 1_000;

/**
 * One leg within its share (0 to 1) of what is left of the budget. A failure is no error: it is
 * recorded, and the leg is null.
 */
export async function leg<T>(
  call: Call,
  { what, kind }: { what: string; kind: LegKind },
  share: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const { deadline, degradations, legs, services } = call;
  const startedAt = services.now();
  const endsAt = startedAt + deadline.remainingMs * share;
  const tryWithin = (signal: AbortSignal) =>
    withRetries(() => work(signal), {
      tries: TRIES,
      firstDelayMs: FIRST_DELAY_MS,
      maxDelayMs: MAX_DELAY_MS,
      remainingMs: () => endsAt - services.now(),
      retryAfterMs: retryAfter,
      signal,
    });
  return await services.trace(`retrieval ${kind}`, async (note) => {
    try {
      return await deadline.run(what, tryWithin, share);
    } catch (thrown) {
      const loss = sentence(what, thrown, services.now() - startedAt);
      // What is down is asked for several things, and lost once.
      if (![...degradations].some((known) => known.startsWith(`${what}: `))) degradations.add(loss);
      note({ "retrieval.degradation": loss });
      reportUnknown(services.log, what, thrown);
      return null;
    } finally {
      legs.push({ kind, from: startedAt, to: services.now() });
    }
  });
}

function retryAfter(thrown: unknown): number | null {
  if (thrown instanceof ModelFailure) return thrown.retryable ? (thrown.retryAfterMs ?? 0) : null;
  // A Durable Object that was moved or updated says so, and answers the next call.
  return thrown instanceof Error && "retryable" in thrown && thrown.retryable === true ? 0 : null;
}

function sentence(what: string, thrown: unknown, elapsedMs: number): string {
  if (thrown instanceof DeadlineExceeded) return thrown.message;
  if (thrown instanceof QuarryError) return `${what}: ${thrown.message}`;
  const reason = thrown instanceof ModelFailure ? thrown.message : "failed";
  return `${what}: ${reason} after ${Math.round(elapsedMs)} ms`;
}

/** What is no known failure may be a defect of ours; its kind is logged, never its message. */
function reportUnknown(log: Log, what: string, thrown: unknown): void {
  const known =
    thrown instanceof DeadlineExceeded ||
    thrown instanceof QuarryError ||
    thrown instanceof ModelFailure;
  if (known) return;
  log.warn("retrieval leg failed", {
    leg: what,
    error: thrown instanceof Error ? thrown.name : typeof thrown,
  });
}
