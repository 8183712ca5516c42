import { decodeHalfFloats } from "../../core/bytes/half-float.ts";
import type { VectorId } from "../../core/ids.ts";
import { attempt } from "../../core/log.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import {
  deleteVectorSync,
  addMissingVectorSyncs,
  recordVerification,
  rescheduleVectorSync,
  claimVectorSyncs,
} from "../../db/maintenance/vector-sync-store.ts";
import type { VectorSync, VerificationCounts } from "../../db/maintenance/vector-sync-store.ts";
import type { IndexAddress } from "../../ports/rag-index.ts";
import type { VectorIndex } from "../../ports/vector-index.ts";
import type { VectorToUpsert } from "../../ports/vector-ledger.ts";
import type { Services } from "../../services.ts";
import { purgeTombstones, LEFTOVERS_RECHECK_MS, newUpsertBatch } from "./upsert-vectors.ts";
import { upsertVectors } from "./upsert-vectors.ts";

const INDEXES_PER_TURN = 60;
const INDEXES_AT_ONCE = 6;
/**
 * Calls to other services. An invocation may make 10,000
 * (https://developers.cloudflare.com/workers/platform/limits/), some of them in the sweep's other
 * steps. 60 healthy indexes take 2,800. When many need repair, a turn handles fewer indexes; those
 * under way when the budget ends finish with some hundred calls each.
 */
const CALLS_PER_TURN = 4_000;
/** Calls that a healthy index takes. */
const CALLS_PER_INDEX = 47;
/** Vectors that the vector index looks up with one call. */
const VECTORS_PER_LOOK = 20;
/** Upsert batches that one turn looks up, 20 a call. */
const BATCHES_PER_TURN = 5_000;
const VECTORS_PER_BATCH = 500;
const BATCHES_AGAIN_PER_TURN = 10;
const CALLS_PER_BATCH = 3;
const VECTORS_AGAIN_PER_TURN = BATCHES_AGAIN_PER_TURN * VECTORS_PER_BATCH;
/** Nearly all writes become visible well before this. */
const LOST_AFTER_MS = 5 * MINUTE_MS;
/** How far the clocks of the worker and the vector index may differ. */
const CLOCK_SKEW_MS = 10 * SECOND_MS;
const NEXT_LOOK_MS = MINUTE_MS;
const NEXT_VERIFICATION_MS = DAY_MS;
/** How long a claim on an index lasts; after a failure the index can be claimed again then. */
const TURN_MS = 2 * MINUTE_MS;

type SyncServices = Pick<Services, "config" | "db" | "log" | "now" | "ragIndexes" | "vectorIndex">;

/**
 * Reconciles the vector index with the RAGs' own indexes, a bounded part per turn: marks vectors
 * that have become visible, upserts lost ones again, and removes those with tombstones.
 */
export async function syncVectors(services: Services): Promise<void> {
  if (services.vectorIndex === null) return;
  const { db } = services;
  const now = services.now();
  const times = { now, claimedUntil: now + TURN_MS };
  const turn: Turn = { services, vectorIndex: services.vectorIndex, callsLeft: CALLS_PER_TURN };
  await addMissingVectorSyncs(db, now, INDEXES_PER_TURN);
  for (let indexes = 0; indexes < INDEXES_PER_TURN && turn.callsLeft > 0;) {
    // Indexes left over are first in the next turn, because the longest overdue come first.
    const due = await claimVectorSyncs(db, { ...times, limit: INDEXES_AT_ONCE });
    await Promise.all(due.map((sync) => syncOne(turn, sync, times)));
    if (due.length < INDEXES_AT_ONCE) return;
    indexes += due.length;
  }
}

type Turn = {
  services: SyncServices;
  vectorIndex: VectorIndex;
  /** Calls to other services that this turn may still make, roughly. */
  callsLeft: number;
};

/** An index whose sync fails is due again when its claim runs out. */
async function syncOne(
  turn: Turn,
  sync: VectorSync,
  { now, claimedUntil }: { now: number; claimedUntil: number },
): Promise<void> {
  const { db, log } = turn.services;
  const counts: VerificationCounts = { checked: 0, addedAgain: 0, removed: 0 };
  turn.callsLeft -= CALLS_PER_INDEX;
  const { ragId, generation, shard } = sync;
  const place = { ragId, generation, shard };
  const work = async () => {
    const dueAt = await reconcile(turn, { sync, now, found: counts });
    if (dueAt === null) await deleteVectorSync(db, sync);
    else await rescheduleVectorSync(db, sync, { claimedUntil, dueAt });
  };
  await attempt(log, "vectors not synced", place, work, "warn");
  const repaired = counts.addedAgain + counts.removed;
  if (repaired > 0) log.warn("vector index repaired", { ...place, ...counts });
}

type Reconciliation = { sync: VectorSync; now: number; found: VerificationCounts };

/** When the next sync is due, ms; null: never. */
async function reconcile(turn: Turn, reconciliation: Reconciliation): Promise<number | null> {
  const { services, vectorIndex } = turn;
  const mayGoOn = () => turn.callsLeft > 0;
  const { sync, now } = reconciliation;
  const { shards } = sync;
  if (shards === null) {
    const isEmpty = await removeLeftovers(services, vectorIndex, sync);
    return isEmpty ? null : now + LEFTOVERS_RECHECK_MS;
  }
  const looked = await confirmInFlight(services, sync);
  turn.callsLeft -= Math.ceil(looked / VECTORS_PER_LOOK);
  const nextVerification =
    sync.verifyAt <= now ? await verifyPart(turn, reconciliation, shards) : sync.verifyAt;
  await queueMoved(services, sync);
  turn.callsLeft -= await upsertAgain(services, sync, mayGoOn);
  await purgeTombstones(services, sync, mayGoOn);
  const { inFlight, moved, purgeDueAt } = await services.ragIndexes(sync).ledger();
  const looks =
    inFlight + moved > 0 || nextVerification <= now ? now + NEXT_LOOK_MS : nextVerification;
  return Math.max(now + NEXT_LOOK_MS, Math.min(looks, purgeDueAt ?? looks));
}

/**
 * Does the next part of a verification pass; returns when the one after it is due (ms). The end of
 * a pass is recorded at once, so that a later failure in this turn does not begin another.
 */
async function verifyPart(
  turn: Turn,
  { sync, now, found: counts }: Reconciliation,
  shards: number,
) {
  const { services, vectorIndex } = turn;
  const nextAt = now + NEXT_VERIFICATION_MS;
  let isAtEnd = false;
  try {
    const part = { counts, mayGoOn: () => turn.callsLeft > 0 };
    isAtEnd = await verifyVectors(services, vectorIndex, { ...sync, shards }, part);
  } finally {
    turn.callsLeft -= Math.ceil(counts.checked / VECTORS_PER_LOOK);
    await recordVerification(services.db, sync, counts, isAtEnd ? { endedAt: now, nextAt } : null);
  }
  return isAtEnd ? nextAt : sync.verifyAt;
}

/**
 * Asks the vector index which batches are visible. `processedUpTo` alone does not show: it is one
 * time for all RAGs, and may be that of the last write or of its processing. How many were asked
 * about.
 */
async function confirmInFlight(
  services: Pick<Services, "now" | "ragIndexes" | "vectorIndex">,
  address: IndexAddress,
): Promise<number> {
  const { vectorIndex } = services;
  if (vectorIndex === null) return 0;
  const index = services.ragIndexes(address);
  const batches = await index.inFlightBatches(BATCHES_PER_TURN);
  const upTo = batches.length === 0 ? 0 : (await vectorIndex.processedUpTo()) + CLOCK_SKEW_MS;
  const confirmed = batches.filter(({ at }) => at <= upTo);
  const present = await vectorIndex.findPresent(confirmed);
  const presentIds = confirmed.filter(({ vectorId }) => present.has(vectorId)).map(({ id }) => id);
  await index.confirmSeen(presentIds, services.now());
  return confirmed.length;
}

/** Queues the vectors of moved files: they are upserted again under their new folder. */
async function queueMoved({ log, ragIndexes }: SyncServices, address: IndexAddress) {
  const vectors = await ragIndexes(address).queueMoved(VECTORS_AGAIN_PER_TURN);
  if (vectors > 0) log.info("vectors of moved files", { ragId: address.ragId, vectors });
}

/**
 * Upserts from the index's own copy vectors that were never sent or have stayed invisible for
 * long. Returns the calls that it made.
 */
async function upsertAgain(services: SyncServices, address: IndexAddress, mayGoOn: () => boolean) {
  const index = services.ragIndexes(address);
  let batches = 0;
  for (; batches < BATCHES_AGAIN_PER_TURN && mayGoOn(); batches++) {
    const batch = newUpsertBatch(services.now());
    const lostVectors = await index.vectorsToUpsert(batch.at - LOST_AFTER_MS, VECTORS_PER_BATCH);
    if (lostVectors.length === 0) break;
    const addresses = lostVectors.map(({ vectorId, folder }) => ({ vectorId, folder }));
    await index.recordUpsert(addresses, batch);
    const vectors = lostVectors.map(({ vectorId, fileId, folder, vector }) => {
      return { id: vectorId, values: decodeHalfFloats(vector), fileId, folder };
    });
    await upsertVectors(services, address, vectors);
    services.log.info("vectors sent again", { ragId: address.ragId, vectors: vectors.length });
  }
  return batches * CALLS_PER_BATCH;
}

/** In a space that should be empty, any query vector finds the leftovers. */
async function removeLeftovers(
  { config, log }: SyncServices,
  vectorIndex: VectorIndex,
  { ragId, generation }: IndexAddress,
): Promise<boolean> {
  const anywhere = new Float32Array(config.EMBEDDING_DIMENSIONS);
  anywhere[0] = 1;
  const nearest = await vectorIndex.findNear({ ragId, generation }, anywhere);
  if (nearest.length === 0) return true;
  await vectorIndex.remove(nearest);
  log.info("leftover vectors removed", { ragId, generation, vectors: nearest.length });
  return false;
}

/** Five calls with 20 ids each, and one query for orphans. */
const VECTORS_PER_PAGE = 100;
const PAGES_PER_TURN = 5;
/** When vectors are missing, more are likely to be: the pass continues for longer. */
const PAGES_PER_REPAIR = 50;

type VerificationServices = Pick<Services, "ragIndexes">;

/**
 * Compares a part of an index object's vectors with the vector index. Missing vectors are upserted
 * again and searched here meanwhile; orphans are removed. Returns whether the pass is complete;
 * the object stores its position. `counts` grows page by page, so a failure loses none.
 */
async function verifyVectors(
  services: VerificationServices,
  vectorIndex: VectorIndex,
  address: IndexAddress & { shards: number },
  { counts, mayGoOn }: { counts: VerificationCounts; mayGoOn: () => boolean },
): Promise<boolean> {
  const index = services.ragIndexes(address);
  let isAtEnd = false;
  for (let turn = 0; !isAtEnd && turn < pagesFor(counts.addedAgain) && mayGoOn(); turn++) {
    const { vectors, sample, ...page } = await index.nextPageToVerify(VECTORS_PER_PAGE);
    const present = await vectorIndex.findPresent(vectors);
    const ids = vectors.map(({ vectorId }) => vectorId);
    const missing = ids.filter((id) => !present.has(id));
    const orphans = await orphansNear(services, vectorIndex, address, sample);
    const isRecorded = await index.recordVerifiedPage(page, { missing, orphans });
    counts.checked += vectors.length;
    counts.addedAgain += isRecorded.missing;
    counts.removed += isRecorded.orphans;
    // The number of in-flight vectors is bounded: the rest waits until some become visible.
    if (isRecorded.missing < missing.length) break;
    isAtEnd = page.isLast;
  }
  return isAtEnd;
}

const pagesFor = (missing: number) => (missing > 0 ? PAGES_PER_REPAIR : PAGES_PER_TURN);

/**
 * The vector index cannot list its vectors, but it can be asked for those near one: an old
 * version's vectors lie near the new one's. Shards share the space, so each of them is asked.
 */
async function orphansNear(
  { ragIndexes }: VerificationServices,
  vectorIndex: VectorIndex,
  { ragId, generation, shards }: IndexAddress & { shards: number },
  sample: VectorToUpsert["vector"] | null,
): Promise<VectorId[]> {
  if (sample === null) return [];
  let orphans = await vectorIndex.findNear({ ragId, generation }, decodeHalfFloats(sample));
  for (let shard = 0; shard < shards && orphans.length > 0; shard++) {
    orphans = await ragIndexes({ ragId, generation, shard }).orphansAmong(orphans);
  }
  return orphans;
}
