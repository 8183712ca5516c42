import type { ClaimedFile } from "../../db/files/claim-files.ts";
import type { FileEnd } from "../../db/files/finish-files.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Services } from "../../services.ts";
import { factsOf, indexOf, outcomeOf } from "./file-work.ts";
import { fingerprintOf } from "./fingerprint-and-ids.ts";
import { labelFailure, verdictOn } from "./index-failure.ts";

/** A failed attempt that is not the last one. */
export type NextTry = { delayMs: number; reason: string };

export type FileResult =
  | { kind: "end"; end: FileEnd; again: NextTry | null }
  /** The index knows of a later change of the file, `above` this revision. */
  | { kind: "superseded"; message: IndexMessage & { above: number } }
  /** Deleted at its source, and already recorded as deleted. */
  | { kind: "deleted" }
  /** There was no time left for this file. */
  | { kind: "unstarted"; file: ClaimedFile };

/** A message sent again claims its file for this much longer than its delay. */
const RETRY_CLAIM_MS = 60_000;

export function endOf(
  { ragId, generation, fileId, revision }: ClaimedFile,
  facts: Pick<FileEnd, "status"> & Partial<FileEnd>,
  again: NextTry | null = null,
): FileResult {
  const nothing = {
    chunkCount: null,
    fingerprint: null,
    notes: null,
    errorMessage: null,
    errorIsOutside: false,
    claimedUntil: 0,
  };
  const of = { ragId, generation, fileId, revision };
  return { kind: "end", end: { ...of, ...nothing, ...facts }, again };
}

export function superseded(file: ClaimedFile, above: number): FileResult {
  const { ragId, generation, fileId, revision } = file;
  return { kind: "superseded", message: { ragId, generation, fileId, revision, above } };
}

/**
 * When the content is unchanged, only the file's metadata may have changed. Null when the chunks
 * must be made again.
 */
export async function describeUnchanged(
  services: Services,
  file: ClaimedFile,
  sha256: string,
  hasText: () => Promise<boolean> = async () => true,
): Promise<FileResult | null> {
  const fingerprint = await fingerprintOf(file, sha256);
  if (fingerprint !== file.fingerprint || !(await hasText())) return null;
  const index = indexOf(services, file);
  const told = await labelFailure("index", () => index.describeFile(factsOf(file), file.revision));
  if (told.outcome === "absent") return null;
  if (told.outcome === "superseded") return superseded(file, told.revision);
  return endOf(file, { status: "indexed", chunkCount: null, fingerprint });
}

export async function endOfFailure(
  services: Services,
  file: ClaimedFile,
  thrown: unknown,
): Promise<FileResult> {
  const verdict = verdictOn(thrown, file.attempts);
  if (verdict.kind === "again") {
    const claimedUntil = services.now() + verdict.delayMs + RETRY_CLAIM_MS;
    const again = { delayMs: verdict.delayMs, reason: verdict.message };
    return endOf(file, { status: "pending", claimedUntil }, again);
  }
  const errorMessage = verdict.message;
  if (verdict.kind === "given-up") {
    return endOf(file, { status: "error", errorMessage, errorIsOutside: true });
  }
  const unread = { status: "error" as const, errorMessage, chunkCount: 0, notes: [] };
  if (file.chunkCount === 0) return endOf(file, unread);
  const { fileId, revision } = file;
  const removed = await outcomeOf(() =>
    labelFailure("index", () => indexOf(services, file).remove([{ fileId, revision }])),
  );
  if ("value" in removed) return endOf(file, unread);
  return await endOfFailure(services, { ...file, chunkCount: 0 }, removed.thrown);
}
