import { showOnlyScopes } from "../../catalog/rags/enforce-scopes.ts";
import { sendIndexingUsage } from "../../catalog/usage/send-usage.ts";
import type { FileSourceId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import type { IndexMessage } from "../../core/queue-messages.ts";
import { splitBySize } from "../../core/work/batches.ts";
import { claimFiles, keyOfFile, releaseClaims } from "../../db/files/claim-files.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import { finishFiles, requeueSuperseded, type FileEnd } from "../../db/files/finish-files.ts";
import { idleBuilds } from "../../db/generations/generation-store.ts";
import { mayBeCompressed } from "../../documents/media-type/media-types.ts";
import type { PushedTexts } from "../../ports/job-queue.ts";
import type { Services } from "../../services.ts";
import { LEASE_MS, timesFrom } from "../timeouts.ts";
import { tryPurgeTombstones, scheduleVectorSync } from "../vector-sync/upsert-vectors.ts";
import { EmbeddingTally } from "./embed-chunks.ts";
import type { FileResult, NextTry } from "./end-file.ts";
import { addressOf } from "./file-work.ts";
import { indexGroup, unstartedFile, type DoneFile, type IndexJob } from "./index-group.ts";
import { messageOf, queueBySize } from "./queue-by-size.ts";
import { leaseOf, type Lease, type WorkBudget } from "./work-budget.ts";

/** The files of a group hold at most this much text (bytes); a larger file is processed alone. */
const GROUP_LIMIT_BYTES = 4 * 1024 * 1024;
/** How many times its size a compressed document's text may have, and the most it may have. */
const EXPANSION = 8;
const MAX_TEXT_BYTES = 32 * 1024 * 1024;
/** How often (ms) a consumer that waits for memory checks again. */
const ASK_AGAIN_MS = 200;

const NO_TEXTS: PushedTexts = new Map();

export type Redelivery = { message: IndexMessage; delayMs: number };

/**
 * Indexes the files of a batch of messages. A message may arrive twice, late, or after its file
 * was deleted: void work is skipped. A failure affects only its own file; files that there is no
 * time for are released and queued again. A file whose text is among `texts` is not read from the
 * bucket.
 * @throws what the database throws; the lease then expires and the sweep reclaims the files
 */
export async function indexFiles(
  services: Services,
  messages: IndexMessage[],
  budget: WorkBudget,
  texts: PushedTexts = NO_TEXTS,
): Promise<Redelivery[]> {
  const lease = leaseOf(services, messages);
  const now = services.now();
  const hold = { id: lease.id, until: now + LEASE_MS, now };
  const claims = await claimFiles(services.db, messages, hold);
  await scheduleVectorSync(services, claims.map(addressOf));
  // A file that moved before its first indexing is left out at a path that no index knows. One
  // that is being built gets all before it answers.
  const isUnknown = ({ isExcluded, areScopesDue, isBuilding, chunkCount }: ClaimedFile) =>
    isExcluded && areScopesDue && !isBuilding && chunkCount === 0;
  const excluding = new Set(claims.filter(isUnknown).map(({ ragId }) => ragId));
  for (const ragId of excluding) await showOnlyScopes(services, ragId);
  const { waiting, releases }: UnstartedWork = { waiting: new Set(claims), releases: [] };
  const job: IndexJob = {
    lease: {
      id: lease.id,
      renew: (files) => renewAll(services, { lease, budget, waiting, releases }, files),
    },
    budget,
    texts,
    tally: new EmbeddingTally(),
    running: new Map(),
    begin: (file) => waiting.delete(file) && budget.mayBegin(),
  };
  const results: FileResult[] = [];
  try {
    for (const group of groupsOf(claims)) {
      for await (const batch of indexWhenRoom(services, group, job)) {
        await record(services, batch, lease);
        results.push(...batch.map(({ result }) => result));
      }
    }
  } finally {
    sendIndexingUsage(services, job.tally.uses);
  }
  await Promise.all(releases);
  const replaced = claims.filter(({ chunkCount }) => chunkCount > 0);
  await tryPurgeTombstones(services, replaced.map(addressOf));
  // A void message may have been the last one that a build waited for.
  const live = new Set(claims.flatMap((file) => (file.isBuilding ? [] : [keyOfFile(file)])));
  const rest = messages.filter((message) => !live.has(keyOfFile(message)));
  for (const ragId of await idleBuilds(services.db, rest)) {
    await services.queue.scan({ kind: "build", ragId });
  }
  return results.flatMap((result) =>
    result.kind === "end" && result.again !== null
      ? [{ message: messageOf(result.end), delayMs: result.again.delayMs }]
      : [],
  );
}

/** Files that nobody has begun, and what releases those that nobody will. */
type UnstartedWork = { waiting: Set<ClaimedFile>; releases: Promise<void>[] };

/** Renews leases of files under work, and of waiting ones until the time to begin is over. */
async function renewAll(
  services: Services,
  parts: UnstartedWork & { lease: Lease; budget: WorkBudget },
  files: readonly IndexMessage[],
): Promise<void> {
  const { lease, budget, waiting, releases } = parts;
  if (!budget.isOver()) return await lease.renew([...files, ...waiting]);
  if (waiting.size > 0) {
    const releasing = releaseUnstarted(services, [...waiting], lease);
    waiting.clear();
    // Awaited at the end: what is under way does not wait for a queue.
    releasing.catch(() => undefined);
    releases.push(releasing);
  }
  await lease.renew(files);
}

/**
 * Releases and queues unstarted files without counting an attempt. The rows are written first,
 * because a message whose row is not pending yet is void. After a crash in between, the sweep
 * sends the message.
 */
async function releaseUnstarted(services: Services, unstarted: ClaimedFile[], lease: Lease) {
  if (unstarted.length === 0) return;
  const { claimedUntil } = timesFrom(services.now());
  const messages = await releaseClaims(services.db, unstarted, { leaseId: lease.id, claimedUntil });
  if (messages.length === 0) return;
  services.log.info("claims released", { files: messages.length });
  const sizes = new Map(unstarted.map((file) => [file.fileId, sizeOf(file)]));
  await queueBySize(
    services,
    messages.map((message) => Object.assign(message, { size: sizes.get(message.fileId) ?? null })),
  );
}

/**
 * Files of live generations come first, because a generation being built reuses their vectors.
 * Suspects come last, one by one, fewest attempts first, so that a file that kills the worker
 * affects no other file.
 */
function groupsOf(files: ClaimedFile[]): ClaimedFile[][] {
  const ordinary = files.filter(({ isSuspect }) => !isSuspect);
  const live = ordinary.filter(({ isBuilding }) => !isBuilding);
  const built = ordinary.filter(({ isBuilding }) => isBuilding);
  const suspects = files.filter(({ isSuspect }) => isSuspect);
  const oneByOne = suspects.sort((a, b) => a.attempts - b.attempts).map((file) => [file]);
  return [...cutByWeight(live), ...cutByWeight(built), ...oneByOne];
}

const cutByWeight = (files: ClaimedFile[]) =>
  splitBySize(files, { total: GROUP_LIMIT_BYTES }, weightOf);

/** Null where the source does not say it: what has no bytes and was never read. */
const sizeOf = ({ size, sha256 }: ClaimedFile) => (size === 0 && sha256 === null ? null : size);

/** Assumed of a document (bytes) of unknown size; a few are read together. */
const UNKNOWN_BYTES = 1024 * 1024;

/** The largest size (bytes) that a file's text may have. */
function weightOf(file: ClaimedFile): number {
  const { name, mimeType } = file;
  const size = sizeOf(file) ?? UNKNOWN_BYTES;
  return mayBeCompressed(name, mimeType) ? Math.min(EXPANSION * size, MAX_TEXT_BYTES + size) : size;
}

/** Starts a group when the isolate has memory for it, unless it waited too long. */
async function* indexWhenRoom(
  services: Services,
  group: ClaimedFile[],
  job: IndexJob,
): AsyncGenerator<DoneFile[]> {
  const { extractionMemory, now } = services;
  const bytes = group.reduce((sum, file) => sum + weightOf(file), 0);
  const reservation = { bytes, until: 0 };
  await job.lease.renew(group);
  try {
    while (!extractionMemory.reserve(reservation, now())) {
      if (!job.budget.mayWait()) {
        yield group.map(unstartedFile);
        return;
      }
      await scheduler.wait(ASK_AGAIN_MS);
      await job.lease.renew(group);
    }
    yield* indexGroup(services, group, job);
  } finally {
    extractionMemory.release(reservation);
  }
}

/** Writes what became of files, as soon as it is known. */
async function record(services: Services, batch: DoneFile[], lease: Lease): Promise<void> {
  const results = batch.map(({ result }) => result);
  const ends = results.flatMap((result) => (result.kind === "end" ? [result.end] : []));
  const changed = results.flatMap((result) =>
    result.kind === "superseded" ? [result.message] : [],
  );
  const unstarted = results.flatMap((result) => (result.kind === "unstarted" ? [result.file] : []));
  if (ends.length > 0) await writeEnds(services, ends, lease, countSavedBySource(batch));
  tellNextTries(services.log, results);
  await releaseUnstarted(services, unstarted, lease);
  if (changed.length === 0) return;
  const times = timesFrom(services.now());
  await services.queue.index(await requeueSuperseded(services.db, changed, times));
}

function countSavedBySource(results: DoneFile[]): Map<FileSourceId, number> {
  const saved = new Map<FileSourceId, number>();
  for (const result of results) {
    const { id } = result.file.source;
    saved.set(id, (saved.get(id) ?? 0) + result.saved);
  }
  return saved;
}

async function writeEnds(
  { db, log, now }: Services,
  ends: FileEnd[],
  lease: Lease,
  saved: Map<FileSourceId, number>,
): Promise<void> {
  await finishFiles(db, ends, { id: lease.id, now: now() }, saved);
  for (const { ragId, fileId, status, errorMessage } of ends) {
    if (status === "error") log.warn("file not indexed", { ragId, fileId, reason: errorMessage });
  }
}

/** One line for all files of a RAG that failed alike: an outage does not fill the log. */
function tellNextTries(log: Log, results: FileResult[]): void {
  const tries = new Map<string, { ragId: string; fileId: string; files: number } & NextTry>();
  for (const result of results) {
    if (result.kind !== "end" || result.again === null) continue;
    const { ragId, fileId } = result.end;
    const { delayMs, reason } = result.again;
    const key = `${ragId} ${reason}`;
    const waiting = tries.get(key) ?? { ragId, fileId, files: 0, delayMs, reason };
    tries.set(key, { ...waiting, files: waiting.files + 1 });
  }
  for (const { ragId, fileId, files, delayMs, reason } of tries.values()) {
    log.warn("files are tried again", { ragId, fileId, files, delayMs, reason });
  }
}
