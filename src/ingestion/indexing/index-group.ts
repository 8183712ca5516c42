import type { FileSourceId } from "../../core/ids.ts";
import { inParallel } from "../../core/work/parallel.ts";
import { runCooperatively } from "../../core/work/cooperative.ts";
import { countAttempt } from "../../db/files/attempts.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import type { FileEnd } from "../../db/files/finish-files.ts";
import type { IndexMessage, PushedTexts } from "../../ports/job-queue.ts";
import type { Services } from "../../services.ts";
import { chunkCooperatively } from "../../documents/chunking/chunk-document.ts";
import { slicesOf } from "./embed-chunks.ts";
import type { EmbeddingTally } from "./embedding-tally.ts";
import { UnreadableDocument } from "../../documents/extracted-document.ts";
import { factsOf, indexOf, placed } from "./file-work.ts";
import { fingerprintOf, identify } from "./fingerprint-and-ids.ts";
import { hasExtractedText, keepsExtractedText } from "./extracted-texts.ts";
import type { FileWork } from "./file-work.ts";
import { StepFailure, labelFailure, verdictOn } from "./index-failure.ts";
import type { Lease } from "./lease.ts";
import { loadDocument } from "./load-document.ts";
import type { LoadedDocument } from "./load-document.ts";
import { removeDeletedFile } from "../removal/remove-deleted-files.ts";
import { reuseVectors } from "./reuse-vectors.ts";
import { storeSlice } from "./store-slice.ts";
import { byIndex, isSmall, storeVersions, takeComplete } from "./store-versions.ts";
import { storedNotes } from "./stored-notes.ts";
import type { WorkBudget } from "./work-budget.ts";

/** An invocation may have six connections at once; more files would only wait. */
const FILES_AT_ONCE = 6;
const SLICES_AT_ONCE = 3;

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

/** What the files of one invocation share. */
export type IndexJob = {
  lease: Lease;
  budget: WorkBudget;
  tally: EmbeddingTally;
  texts: PushedTexts;
};

export type GroupResult = { results: FileResult[]; saved: Map<FileSourceId, number> };

/**
 * Reads and chunks each file, embeds the new chunks of all files together, then activates each
 * version.
 */
export async function indexGroup(
  services: Services,
  group: ClaimedFile[],
  job: IndexJob,
): Promise<GroupResult> {
  const { lease, budget, tally } = job;
  const load = loadingOnce(services, job);
  const prepared = await inParallel(group, FILES_AT_ONCE, async (file) => {
    if (!budget.mayBegin()) return { kind: "unstarted", file } satisfies FileResult;
    if (file.isSuspect) await countAttempt(services.db, file, lease.id);
    await lease.renew();
    return await attempt(services, file, () => prepare(services, file, load));
  });
  const works = prepared.flatMap((one) => ("chunks" in one ? [one] : []));
  await findMissing(services, works);
  await inParallel(works, FILES_AT_ONCE, async (work) => await reuseVectors(services, work));
  const limitOf = (file: ClaimedFile) => embedderOf(services, file).batchLimit;
  await inParallel(slicesOf(works, limitOf), SLICES_AT_ONCE, async (slice) => {
    await lease.renew();
    await storeSlice(services, slice, tally);
  });
  await storeVersions(services, takeComplete(works));
  const results = await inParallel(prepared, FILES_AT_ONCE, async (one) =>
    "chunks" in one ? await attempt(services, one.file, () => activate(services, one)) : one,
  );
  return { results, saved: savedBySource(works) };
}

const embedderOf = (services: Services, file: ClaimedFile) =>
  services.models.embedder(file.embeddingModel, file.dimensions);

/** When two RAGs share a source, the file is downloaded and extracted once. */
function loadingOnce(services: Services, job: IndexJob) {
  const loading = new Map<string, Promise<LoadedDocument>>();
  return (file: ClaimedFile): Promise<LoadedDocument> => {
    const key = `${file.fileId} ${file.version}`;
    const known = loading.get(key) ?? loadDocument(services, file, job);
    loading.set(key, known);
    return known;
  };
}

/** An error in a step of one file ends the attempt of that file only. */
async function attempt<T>(
  services: Services,
  file: ClaimedFile,
  step: () => Promise<T>,
): Promise<T | FileResult> {
  try {
    return await step();
  } catch (thrown) {
    return await endOfFailure(services, file, thrown);
  }
}

async function prepare(
  services: Services,
  file: ClaimedFile,
  load: (file: ClaimedFile) => Promise<LoadedDocument>,
): Promise<FileWork | FileResult> {
  // An unknown model or a missing setting is reported before anything is downloaded.
  const { tokenizer } = embedderOf(services, file);
  if (file.sha256 !== null && file.fingerprint !== null) {
    const known = await describeUnchanged(services, file, file.sha256, () =>
      isTextStored(services, file),
    );
    if (known !== null) return known;
  }
  const loaded = await load(file);
  if (loaded.outcome === "deleted") {
    await removeDeletedFile(services, file.fileId);
    return { kind: "deleted" };
  }
  if (loaded.sha256 !== file.sha256) {
    const unchanged = await describeUnchanged(services, file, loaded.sha256);
    if (unchanged !== null) return unchanged;
  }
  const fingerprint = await fingerprintOf(file, loaded.sha256);
  const { chunkSize, chunkOverlap, name: fileName } = file;
  const settings = { chunkSize, chunkOverlap, tokenizer, fileName };
  const cut = await runCooperatively(
    chunkCooperatively(loaded.document, settings),
    loaded.yieldToOthers,
  );
  if (cut.length === 0) throw new UnreadableDocument("no text found");
  const { markdown } = loaded.document;
  const chunks = await identify(file, markdown, cut);
  const notes = storedNotes(loaded.document.notes);
  const of = { file, fingerprint, markdown, notes };
  return { ...of, chunks, missing: chunks, held: null, activation: null, failure: null };
}

/** One call for all files of an index. */
async function findMissing(services: Services, works: FileWork[]): Promise<void> {
  await inParallel(byIndex(works), FILES_AT_ONCE, async (ofIndex) => {
    const [first] = ofIndex;
    if (first === undefined) return;
    const files = ofIndex.map(({ file: { fileId }, chunks }) => {
      return { fileId, ids: chunks.map(({ id }) => id) };
    });
    try {
      const index = indexOf(services, first.file);
      const lacking = new Set(await labelFailure("index", () => index.missing(files)));
      for (const work of ofIndex) {
        work.missing = work.chunks.filter(({ id }) => lacking.has(id));
        if (isSmall(work)) work.held = { chunks: [], wanted: work.missing.length, isTaken: false };
      }
    } catch (thrown) {
      for (const work of ofIndex) work.failure ??= { thrown };
    }
  });
}

/** Bytes that return after others were indexed are known, but their text was deleted. */
async function isTextStored({ files }: Services, file: ClaimedFile): Promise<boolean> {
  if (!keepsExtractedText(file)) return true;
  return await labelFailure("file storage", () => hasExtractedText(files, file));
}

/**
 * When the content is unchanged, only the file's metadata may have changed. Null when the chunks
 * must be made again.
 */
async function describeUnchanged(
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
  return end(file, { status: "indexed", chunkCount: null, fingerprint });
}

function superseded(file: ClaimedFile, above: number): FileResult {
  const { ragId, generation, fileId, revision } = file;
  return { kind: "superseded", message: { ragId, generation, fileId, revision, above } };
}

async function activate(services: Services, work: FileWork): Promise<FileResult> {
  if (work.failure !== null) throw work.failure.thrown;
  const { file, chunks, fingerprint, notes } = work;
  const activation =
    work.activation ??
    (await labelFailure("index", () =>
      indexOf(services, file).activateVersion(factsOf(file), file.revision, chunks.map(placed)),
    ));
  if (activation.outcome === "incomplete") {
    throw new StepFailure("index: stored chunks are missing", null);
  }
  if (activation.outcome === "superseded") return superseded(file, activation.revision);
  if (activation.outcome === "full") return waitForVectors(services, file);
  return end(file, { status: "indexed", chunkCount: activation.chunkCount, fingerprint, notes });
}

/** The sweep reclaims the file; by then only the activation is left to do. */
function waitForVectors(services: Services, file: ClaimedFile): FileResult {
  return end(file, { status: "processing", claimedUntil: services.now() + VECTORS_CLAIM_MS });
}

/** Vectors become visible after 30 s to 2 min. */
const VECTORS_CLAIM_MS = 30_000;

async function endOfFailure(
  services: Services,
  file: ClaimedFile,
  thrown: unknown,
): Promise<FileResult> {
  const verdict = verdictOn(thrown, file.attempts);
  if (verdict.kind === "again") {
    const claimedUntil = services.now() + verdict.delayMs + RETRY_CLAIM_MS;
    const again = { delayMs: verdict.delayMs, reason: verdict.message };
    return end(file, { status: "pending", claimedUntil }, again);
  }
  const errorMessage = verdict.message;
  if (verdict.kind === "given-up") {
    return end(file, { status: "error", errorMessage, errorIsOutside: true });
  }
  const unread = { status: "error" as const, errorMessage, chunkCount: 0, notes: [] };
  if (file.chunkCount === 0) return end(file, unread);
  return await attempt(services, { ...file, chunkCount: 0 }, async () => {
    const { fileId, revision } = file;
    await labelFailure("index", () => indexOf(services, file).remove([{ fileId, revision }]));
    return end(file, unread);
  });
}

/** A message sent again claims its file for this much longer than its delay. */
const RETRY_CLAIM_MS = 60_000;

function end(
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

function savedBySource(works: FileWork[]): Map<FileSourceId, number> {
  const saved = new Map<FileSourceId, number>();
  for (const { file, chunks, missing } of works) {
    const { id } = file.source;
    saved.set(id, (saved.get(id) ?? 0) + chunks.length - missing.length);
  }
  return saved;
}
