import { sendIndexingUsage } from "../../catalog/usage/send-usage.ts";
import type { FileSourceId } from "../../core/ids.ts";
import {
  claimForBuilding,
  finishBuilding,
  idleAmong,
  isBuildMessage,
} from "../../db/generations/generation-file-store.ts";
import { countTries } from "../../db/files/attempts.ts";
import { releaseClaims } from "../../db/files/release-claims.ts";
import { claimFiles, finishFiles, outgrow } from "../../db/files/file-work-store.ts";
import type { ClaimedFile, FileEnd } from "../../db/files/file-work-store.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { IndexAddress } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import { tryPurgeTombstones } from "../vector-sync/tombstones.ts";
import { EmbeddingTally } from "./embedding-tally.ts";
import { addressOf } from "./file-work.ts";
import { LEASE_MS, QUEUED_HOLD_MS } from "../timeouts.ts";
import { indexGroup } from "./index-group.ts";
import type { FileResult, IndexJob } from "./index-group.ts";
import { scheduleVectorSync } from "../vector-sync/upsert-vectors.ts";
import { leaseOf } from "./lease.ts";
import type { Lease } from "./lease.ts";
import { confirmWaiting } from "../vector-sync/sync-vectors.ts";
import { workBudget } from "./work-budget.ts";

/** Files that are worked on together hold at most so much text, bytes; a larger one goes alone. */
const GROUP_LIMIT_BYTES = 4 * 1024 * 1024;
/** Documents that are compressed, or hold such, by name and by type. */
const COMPRESSED = /\.(do[ct][xm]|xl[st][xm]|p[po][ts][xm]|od[tsp]|epub|pdf|eml)$/i;
const COMPRESSED_TYPE = /pdf|officedocument|opendocument|epub|macroenabled|rfc822/i;
/** How much more text they may hold than they have bytes, and how much at most. */
const EXPANSION = 8;
const MOST_TEXT_BYTES = 32 * 1024 * 1024;
/** A consumer that waits for memory asks so often, ms. */
const ASK_AGAIN_MS = 200;

/** A message that is to be delivered again after a wait. */
export type Redelivery = { message: IndexMessage; delayMs: number };

/**
 * Indexes the files of a batch of messages. Every message may come twice, late, or after its file
 * has gone: what nobody wants any more is left out. A file's failure is its own; what there is no
 * time for is handed back and queued anew.
 * @throws what the database throws; the lease then runs out and the sweep takes the files up
 */
export async function indexFiles(
  services: Services,
  messages: IndexMessage[],
): Promise<Redelivery[]> {
  const budget = workBudget(services.now);
  const lease = leaseOf(services, messages);
  const now = services.now();
  const claimed = await claim(services, messages, { id: lease.id, until: now + LEASE_MS, now });
  await scheduleVectorSync(services, claimed.map(addressOf));
  const job = { lease, budget, tally: new EmbeddingTally() };
  const suspects = await setApart(services, claimed, lease);
  const groups = groupsOf(claimed.filter(({ hasCrashed }) => !hasCrashed));
  const results: FileResult[] = [];
  try {
    for (const group of [...groups, ...suspects.map((file) => [file])]) {
      await lease.renew();
      results.push(...(await workInTurn(services, group, job)));
    }
  } finally {
    sendIndexingUsage(services, job.tally.uses);
  }
  await releaseUnstarted(services, results, lease);
  await confirmWaiting(services, waitingAmong(claimed, results));
  const replaced = claimed.filter(({ indexedAt }) => indexedAt !== null);
  await tryPurgeTombstones(services, replaced.map(addressOf));
  await tellBuilds(services, claimed);
  return results.flatMap((result) =>
    result.kind === "end" && result.delayMs !== null
      ? [{ message: messageOf(result.end), delayMs: result.delayMs }]
      : [],
  );
}

/**
 * What was not begun waits again, its try not counted, and is queued: the rows first, because a
 * message that comes before its row waits is void. After a crash in between, the sweep sends it.
 */
async function releaseUnstarted(
  services: Services,
  results: FileResult[],
  lease: Lease,
): Promise<void> {
  const unstarted = results.flatMap((result) => (result.kind === "unstarted" ? [result.file] : []));
  if (unstarted.length === 0) return;
  const heldUntil = services.now() + QUEUED_HOLD_MS;
  const messages = await releaseClaims(services.db, unstarted, { leaseId: lease.id, heldUntil });
  services.log.info("claims released", { files: messages.length });
  await services.queue.index(messages);
}

/** The indexes whose vectors in flight leave no room for a file that is otherwise done. */
function waitingAmong(claimed: ClaimedFile[], results: FileResult[]): IndexAddress[] {
  const waiting = new Set(
    results.flatMap((result) =>
      result.kind === "end" && result.end.status === "processing" ? [keyOf(result.end)] : [],
    ),
  );
  const keyOfClaimed = (file: ClaimedFile) =>
    keyOf(file.isBuilding ? file : { ...file, generation: undefined });
  return claimed.filter((file) => waiting.has(keyOfClaimed(file))).map(addressOf);
}

const keyOf = ({ ragId, fileId, generation }: IndexMessage) =>
  `${ragId} ${fileId} ${generation ?? "live"}`;

/**
 * Files whose last worker died are worked on one by one after the others, those with the fewest
 * tries first, and each try is counted when it begins: what kills a worker takes no other file
 * with it.
 */
async function setApart(
  { db }: Services,
  claimed: ClaimedFile[],
  lease: Lease,
): Promise<ClaimedFile[]> {
  const suspects = claimed.filter(({ hasCrashed }) => hasCrashed);
  await countTries(db, suspects, lease.id, -1);
  return suspects.sort((a, b) => a.attempts - b.attempts);
}

async function claim(
  { db }: Services,
  messages: IndexMessage[],
  lease: { id: string; until: number; now: number },
): Promise<ClaimedFile[]> {
  const building = messages.filter(isBuildMessage);
  const live = messages.filter((message) => !isBuildMessage(message));
  const ofLive = live.length === 0 ? [] : await claimFiles(db, live, lease);
  return [...ofLive, ...(await claimForBuilding(db, building, lease))];
}

/** What the live generation has got is due in the building one; one without work may go live. */
async function tellBuilds(services: Services, claimed: ClaimedFile[]): Promise<void> {
  const built = new Map(
    claimed.flatMap((file) =>
      file.isBuilding ? [[`${file.ragId} ${file.generation}`, file]] : [],
    ),
  );
  const changed = claimed.filter(({ isBuilding, isRebuilt }) => !isBuilding && isRebuilt);
  const idle = await idleAmong(services.db, [...built.values()]);
  for (const ragId of new Set([...idle, ...changed].map((file) => file.ragId))) {
    await services.queue.scan({ kind: "build", ragId });
  }
}

function groupsOf(files: ClaimedFile[]): ClaimedFile[][] {
  const groups: ClaimedFile[][] = [];
  let open: ClaimedFile[] = [];
  let bytes = 0;
  for (const file of files) {
    const weight = weightOf(file);
    if (open.length === 0 || bytes + weight > GROUP_LIMIT_BYTES) {
      open = [];
      bytes = 0;
      groups.push(open);
    }
    open.push(file);
    bytes += weight;
  }
  return groups;
}

/** The text that a file may come to, bytes. */
function weightOf({ name, mimeType, size }: ClaimedFile): number {
  const isCompressed = COMPRESSED.test(name) || COMPRESSED_TYPE.test(mimeType);
  return isCompressed ? Math.min(EXPANSION * size, MOST_TEXT_BYTES + size) : size;
}

/** Works on a group when the isolate has memory for it; what has waited too long is not begun. */
async function workInTurn(
  services: Services,
  group: ClaimedFile[],
  job: IndexJob,
): Promise<FileResult[]> {
  const { extractionMemory, now } = services;
  const bytes = group.reduce((sum, file) => sum + weightOf(file), 0);
  const reservation = { bytes, until: 0 };
  try {
    while (!extractionMemory.reserve(reservation, now())) {
      if (!job.budget.mayWait()) return group.map((file) => ({ kind: "unstarted", file }));
      await scheduler.wait(ASK_AGAIN_MS);
      await job.lease.renew();
    }
    return await workOn(services, group, job);
  } finally {
    extractionMemory.release(reservation);
  }
}

async function workOn(
  services: Services,
  group: ClaimedFile[],
  job: IndexJob,
): Promise<FileResult[]> {
  const { results, saved } = await indexGroup(services, group, job);
  const ends = results.flatMap((result) => (result.kind === "end" ? [result.end] : []));
  const stale = results.flatMap((result) => (result.kind === "stale" ? [result.stale] : []));
  if (ends.length > 0) await writeEnds(services, ends, job.lease, saved);
  if (stale.length > 0) {
    const now = services.now();
    await services.queue.index(await outgrow(services.db, stale, now, now + QUEUED_HOLD_MS));
  }
  return results;
}

async function writeEnds(
  services: Services,
  ends: FileEnd[],
  lease: Lease,
  saved: Map<FileSourceId, number>,
): Promise<void> {
  const { db, log } = services;
  const by = { id: lease.id, now: services.now() };
  const live = ends.filter((end) => !isBuildMessage(end));
  if (live.length > 0) await finishFiles(db, live, by, saved);
  await finishBuilding(db, ends.filter(isBuildMessage), by);
  for (const { ragId, fileId, status, errorMessage } of ends) {
    if (status === "error") log.warn("file not indexed", { ragId, fileId, reason: errorMessage });
  }
}

const messageOf = ({ ragId, fileId, revision, generation }: IndexMessage): IndexMessage => ({
  ragId,
  fileId,
  revision,
  generation,
});
