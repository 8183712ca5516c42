import { QuarryError } from "../../core/errors.ts";
import { ModelFailure } from "../../ports/models.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { UnreadableDocument } from "../../documents/extracted-document.ts";
import { MAX_TRIES, backOffMs } from "../timeouts.ts";

/** A step failed for a cause that may pass. The message holds no address, key or body. */
export class StepFailure extends Error {
  override readonly name = "StepFailure";
  readonly retryAfterMs: number | null;

  constructor(message: string, retryAfterMs: number | null, options?: { cause?: unknown }) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Runs one step and converts whatever it throws into a failure that names the step. */
export async function labelFailure<T>(step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (isPlain(cause)) throw cause;
    if (cause instanceof ModelFailure) {
      throw new StepFailure(`${step}: ${cause.message}`, cause.retryAfterMs, { cause });
    }
    throw new StepFailure(`${step}: failed`, null, { cause });
  }
}

const isPlain = (thrown: unknown) =>
  thrown instanceof StepFailure ||
  thrown instanceof SourceFailure ||
  thrown instanceof UnreadableDocument ||
  thrown instanceof QuarryError;

/** What to do after a failed attempt. */
export type FailureVerdict =
  /** The document itself is at fault: no automatic retry, and its earlier version is void. */
  | { kind: "unreadable"; message: string }
  /** The cause is outside the document, and there is no further attempt now. */
  | { kind: "given-up"; message: string }
  | { kind: "again"; message: string; delayMs: number };

/** `attempts` includes this attempt. */
export function verdictOn(thrown: unknown, attempts: number): FailureVerdict {
  if (thrown instanceof UnreadableDocument) return { kind: "unreadable", message: thrown.message };
  if (thrown instanceof SourceFailure) {
    if (thrown.kind === "bad-file" || thrown.kind === "our-limit") {
      return { kind: "unreadable", message: thrown.message };
    }
    if (thrown.kind === "denied") return { kind: "given-up", message: thrown.message };
  }
  const delayMs = backOffMs(attempts);
  const message = plainMessage(thrown);
  if (delayMs === null) return { kind: "given-up", message: `${message} after ${MAX_TRIES} tries` };
  return { kind: "again", message, delayMs: Math.max(delayMs, askedWaitMs(thrown)) };
}

function plainMessage(thrown: unknown): string {
  return isPlain(thrown) && thrown instanceof Error ? thrown.message : "indexing failed";
}

function askedWaitMs(thrown: unknown): number {
  const asks = thrown instanceof StepFailure || thrown instanceof SourceFailure;
  return asks ? (thrown.retryAfterMs ?? 0) : 0;
}
