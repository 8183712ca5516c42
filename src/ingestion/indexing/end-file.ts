import { isStorageFailure, QuarryError, SpendingReached } from "../../core/errors.ts";
import type { FileFailure } from "../../core/file-failures.ts";
import type { IndexMessage } from "../../core/queue-messages.ts";
import { isoTime, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import type { FileEnd } from "../../db/files/finish-files.ts";
import { UnreadableDocument } from "../../documents/extracted-document.ts";
import { ModelFailure, providerReason } from "../../ports/models.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import { MAX_TRIES, backOffMs } from "../timeouts.ts";
import { factsOf, indexOf, outcomeOf, fingerprintOf } from "./file-work.ts";
import { messageOf } from "./queue-by-size.ts";

/** A failed attempt that is not the last one. */
export type NextTry = { delayMs: number; reason: string };

export type FileResult =
  | { kind: "end"; end: FileEnd; again: NextTry | null }
  /** The index knows of a later change of the file, `above` this revision. */
  | { kind: "superseded"; message: IndexMessage & { above: number } }
  /** There was no time left for this file. */
  | { kind: "unstarted"; file: ClaimedFile };

/** A message sent again claims its file for this much longer than its delay. */
const RETRY_CLAIM_MS = 60_000;

export function endOf(
  file: ClaimedFile,
  facts: Pick<FileEnd, "status"> & Partial<FileEnd>,
  nextTry: NextTry | null = null,
): FileResult {
  const nothing = {
    chunkCount: null,
    fingerprint: null,
    contentId: file.contentId,
    notes: null,
    errorMessage: null,
    errorCode: null,
    errorIsOutside: false,
    claimedUntil: 0,
    isCounted: true,
  };
  return { kind: "end", end: { ...messageOf(file), ...nothing, ...facts }, again: nextTry };
}

export function supersededResult(file: ClaimedFile, above: number): FileResult {
  return { kind: "superseded", message: { ...messageOf(file), above } };
}

/** Updates only the metadata of unchanged content. Null when the chunks must be made again. */
export async function describeUnchanged(
  services: Services,
  file: ClaimedFile,
  sha256: string,
  hasText: () => Promise<boolean> = async () => true,
): Promise<FileResult | null> {
  const fingerprint = await fingerprintOf(file, sha256);
  if (fingerprint !== file.fingerprint || !(await hasText())) return null;
  const index = indexOf(services, file);
  const outcome = await labelFailure("index", () =>
    index.describeFile(factsOf(file), file.revision),
  );
  if (outcome.outcome === "absent") return null;
  if (outcome.outcome === "superseded") return supersededResult(file, outcome.revision);
  return endOf(file, { status: "indexed", chunkCount: null, fingerprint });
}

export async function endOfFailure(
  services: Services,
  file: ClaimedFile,
  thrown: unknown,
): Promise<FileResult> {
  if (thrown instanceof SpendingReached) return waitForLimit(file, thrown, services.now());
  const isOfStorage = services.storage.noRoomSince !== null;
  const isLate =
    thrown instanceof StepFailure && thrown.cause instanceof ModelFailure && thrown.cause.isLate;
  // A failure while there is no room, or while a model is slow, is not the file's fault.
  const isCounted = !isOfStorage && !isLate;
  const verdict = verdictOf(thrown, isCounted ? file.attempts : 1);
  if (verdict.kind === "again") {
    const claimedUntil = services.now() + verdict.delayMs + RETRY_CLAIM_MS;
    // Shown in the panel and logged; the API gives a reason only of files that failed for good.
    const reason = `${verdict.message}${thrown instanceof Error ? providerReason(thrown) : ""}`;
    const nextTry = { delayMs: verdict.delayMs, reason };
    const tries = isCounted ? `, try ${file.attempts} of ${MAX_TRIES}` : "";
    const errorMessage = `${reason}${tries}`;
    const facts = { claimedUntil, isCounted, errorMessage };
    return endOf(file, { status: "pending", ...facts }, nextTry);
  }
  const failed = {
    status: "error" as const,
    errorMessage: verdict.message,
    errorCode: failureOf(thrown),
  };
  if (verdict.kind === "given-up") return endOf(file, { ...failed, errorIsOutside: true });
  const unread = { ...failed, chunkCount: 0, notes: [] };
  if (file.chunkCount === 0) return endOf(file, unread);
  const { fileId, revision } = file;
  const removed = await outcomeOf(() =>
    labelFailure("index", () => indexOf(services, file).remove([{ fileId, revision }])),
  );
  if ("value" in removed) return endOf(file, unread);
  return await endOfFailure(services, { ...file, chunkCount: 0 }, removed.thrown);
}

/** The sweep queues the file when the period ends or the limit changes; no attempt counts. */
function waitForLimit(file: ClaimedFile, reached: SpendingReached, now: number): FileResult {
  const { message, isFull, retryAfterSeconds } = reached;
  const waitMs = (retryAfterSeconds ?? 0) * SECOND_MS;
  const claimedUntil = now + (isFull ? waitMs : Math.min(waitMs, MINUTE_MS));
  // Files that wait for one limit say one sentence, whenever each was tried.
  const end = isoTime(Math.floor((now + waitMs) / MINUTE_MS) * MINUTE_MS);
  const until = isFull ? `waits until ${end} or until it is raised` : "tried again within a minute";
  const errorMessage = `${message}: ${until}`;
  const facts = { claimedUntil, errorMessage, errorCode: "spending-limit" as const };
  return endOf(file, { status: "pending", isCounted: false, ...facts });
}

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

const isPlain = (thrown: unknown): thrown is Error =>
  thrown instanceof StepFailure ||
  thrown instanceof SourceFailure ||
  thrown instanceof UnreadableDocument ||
  thrown instanceof QuarryError;

export type FailureVerdict =
  /** The document itself is at fault: no automatic retry, and its earlier version is void. */
  | { kind: "unreadable"; message: string }
  /** The cause is outside the document, and there is no further attempt now. */
  | { kind: "given-up"; message: string }
  | { kind: "again"; message: string; delayMs: number };

/** `attempts` includes this attempt. */
export function verdictOf(thrown: unknown, attempts: number): FailureVerdict {
  if (thrown instanceof UnreadableDocument) return { kind: "unreadable", message: thrown.message };
  if (thrown instanceof SourceFailure) {
    if (thrown.kind === "bad-file" || thrown.kind === "our-limit") {
      return { kind: "unreadable", message: thrown.message };
    }
    if (thrown.kind === "denied") return { kind: "given-up", message: thrown.message };
  }
  const delayMs = backOffMs(attempts);
  const message = isPlain(thrown) ? thrown.message : "indexing failed";
  if (delayMs === null) return { kind: "given-up", message: `${message} after ${MAX_TRIES} tries` };
  return { kind: "again", message, delayMs: Math.max(delayMs, requestedWaitMs(thrown)) };
}

function failureOf(thrown: unknown): FileFailure {
  if (thrown instanceof UnreadableDocument) return thrown.code;
  if (thrown instanceof SourceFailure) {
    if (thrown.kind === "our-limit") return "beyond-limits";
    return thrown.kind === "denied" ? "denied" : "source";
  }
  if (thrown instanceof QuarryError) return isStorageFailure(thrown) ? "service" : "model";
  return thrown instanceof StepFailure && thrown.cause instanceof ModelFailure
    ? "model"
    : "service";
}

function requestedWaitMs(thrown: unknown): number {
  const asks = thrown instanceof StepFailure || thrown instanceof SourceFailure;
  return asks ? (thrown.retryAfterMs ?? 0) : 0;
}
