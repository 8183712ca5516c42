import { QuarryError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { ModelUse } from "../core/queue-messages.ts";
import { DeadlineExceeded, type Deadline } from "../core/work/deadline.ts";
import { withRetries } from "../core/work/with-retries.ts";
import { ModelFailure } from "../ports/models.ts";
import type { Services } from "../services.ts";

export type RetrievalServices = Pick<
  Services,
  | "config"
  | "now"
  | "log"
  | "trace"
  | "ragIndexes"
  | "vectorIndex"
  | "models"
  | "runInBackground"
  | "turns"
>;

/** Values that all legs of one retrieval share. */
export type RetrievalCall = {
  services: RetrievalServices;
  deadline: Deadline;
  report: RetrievalReport;
};

/** `part` names the called part in degradations; `share` (0 to 1) is of the remaining time. */
export type Leg = { part: string; kind: LegKind; share: number };

const TRIES = 2;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 1_000;

/** Runs one leg within its share of the time; a failure is a degradation and gives null. */
export async function runLeg<T>(
  { services, deadline, report }: RetrievalCall,
  { part, kind, share }: Leg,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
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
      return await deadline.run(part, tryWithin, share);
    } catch (thrown) {
      const degradation = sentenceOf(part, thrown, services.now() - startedAt);
      report.addDegradation(part, degradation);
      note({ "retrieval.degradation": degradation });
      logUnknown(services.log, part, thrown);
      return null;
    } finally {
      report.times.push({ kind, from: startedAt, to: services.now() });
    }
  });
}

function retryAfter(thrown: unknown): number | null {
  if (thrown instanceof ModelFailure) return thrown.retryable ? (thrown.retryAfterMs ?? 0) : null;
  // A Durable Object that was moved or updated throws a retryable error: call it again.
  return thrown instanceof Error && "retryable" in thrown && thrown.retryable === true ? 0 : null;
}

function sentenceOf(part: string, thrown: unknown, elapsedMs: number): string {
  if (thrown instanceof DeadlineExceeded) return thrown.message;
  if (thrown instanceof QuarryError) return `${part}: ${thrown.message}`;
  const reason = thrown instanceof ModelFailure ? thrown.message : "failed";
  return `${part}: ${reason} after ${Math.round(elapsedMs)} ms`;
}

/** An unknown failure may be a defect of ours. Its kind is logged, never its message. */
function logUnknown(log: Log, part: string, thrown: unknown): void {
  const isExpected =
    thrown instanceof DeadlineExceeded ||
    thrown instanceof QuarryError ||
    thrown instanceof ModelFailure;
  if (isExpected) return;
  log.warn("retrieval leg failed", {
    leg: part,
    error: thrown instanceof Error ? thrown.name : typeof thrown,
  });
}

const LEG_KINDS = ["embedding", "restriction", "vectorIndex", "search", "reranking"] as const;
type LegKind = (typeof LEG_KINDS)[number];
type LegTime = { kind: LegKind; from: number; to: number };

/** The metadata of a retrieval: its degradations, the models it used, its times. */
export class RetrievalReport {
  /** Calls of embedding models and rerankers, failed ones too. */
  readonly uses: ModelUse[] = [];
  readonly times: LegTime[] = [];
  readonly #degradations = new Map<string, string>();

  /** Records one sentence per part, however often its calls fail. */
  addDegradation(part: string, sentence: string): void {
    if (!this.#degradations.has(part)) this.#degradations.set(part, sentence);
  }

  /** In the order in which they were recorded. */
  get degradations(): string[] {
    return [...this.#degradations.values()];
  }

  /** Milliseconds from the first start of a kind of leg to the last end. */
  legTimes(): Record<string, number> {
    return Object.fromEntries(
      LEG_KINDS.flatMap((kind): [string, number][] => {
        const ran = this.times.filter((time) => time.kind === kind);
        if (ran.length === 0) return [];
        const from = Math.min(...ran.map((time) => time.from));
        const to = Math.max(...ran.map((time) => time.to));
        return [[`${kind}Ms`, to - from]];
      }),
    );
  }
}
