import { DAY_MS, MINUTE_MS, SECOND_MS } from "../core/clock.ts";
import { reasonOf } from "../core/errors.ts";
import { decodeHalfFloats } from "../core/half-float.ts";
import { inParallel } from "../core/parallel.ts";
import { endUpkeep, noteWalk, settleUpkeep, takeUpkeep } from "../db/upkeep-store.ts";
import type { Upkeep, WalkCounts } from "../db/upkeep-store.ts";
import type { IndexAddress } from "../ports/rag-index.ts";
import type { VectorIndex } from "../ports/vector-index.ts";
import type { Services } from "../services.ts";
import { removeDeadVectors } from "./dead-vectors.ts";
import { GONE_LOOK_MS, newSending, sendVectors } from "./send-vectors.ts";
import { walkVectors } from "./walk-vectors.ts";

const INDEXES_PER_TURN = 60;
const INDEXES_AT_ONCE = 6;
/** Sendings that one turn looks for: 20 a call. */
const SENDINGS_PER_TURN = 5_000;
const VECTORS_PER_SENDING = 500;
const SENDINGS_AGAIN_PER_TURN = 10;
const VECTORS_AGAIN_PER_TURN = SENDINGS_AGAIN_PER_TURN * VECTORS_PER_SENDING;
/** Well above the time in which nearly all writes show. */
const LOST_AFTER_MS = 5 * MINUTE_MS;
/** The clocks of the worker and of the vector index may differ so much. */
const CLOCK_SKEW_MS = 10 * SECOND_MS;
const NEXT_LOOK_MS = MINUTE_MS;
const NEXT_WALK_MS = DAY_MS;
/** A turn is over by then; one that failed is repeated. */
const TURN_MS = 2 * MINUTE_MS;

type UpkeepServices = Pick<
  Services,
  "config" | "db" | "log" | "now" | "ragIndexes" | "vectorIndex"
>;

/**
 * Keeps the vector index outside and the RAGs' own indexes the same, a bounded part a turn: what
 * shows is no longer scanned, what got lost is sent again, what is dead is removed.
 */
export async function tendVectors(services: Services): Promise<void> {
  const { db, vectorIndex } = services;
  if (vectorIndex === null) return;
  const now = services.now();
  const heldUntil = now + TURN_MS;
  const due = await takeUpkeep(db, { now, heldUntil, limit: INDEXES_PER_TURN });
  await inParallel(due, INDEXES_AT_ONCE, async (upkeep) => {
    const found: WalkCounts = { checked: 0, addedAgain: 0, removed: 0 };
    try {
      const next = await tend(services, vectorIndex, { upkeep, now, found });
      if (next === null) await endUpkeep(db, upkeep);
      else await settleUpkeep(db, upkeep, { heldUntil, ...next });
    } catch (thrown) {
      await noteFailure(services, upkeep, found, reasonOf(thrown));
    }
    logRepair(services, upkeep, found);
  });
}

async function noteFailure(
  { db, log }: UpkeepServices,
  upkeep: Upkeep,
  found: WalkCounts,
  reason: string,
): Promise<void> {
  const { ragId, generation, shard } = upkeep;
  log.warn("vectors not tended", { ragId, generation, shard, reason });
  if (found.checked === 0) return;
  await noteWalk(db, upkeep, found).catch((thrown: unknown) =>
    log.warn("walk not noted", { ragId, generation, shard, reason: reasonOf(thrown) }),
  );
}

function logRepair(
  { log }: UpkeepServices,
  { ragId, generation, shard }: Upkeep,
  found: WalkCounts,
) {
  if (found.addedAgain + found.removed === 0) return;
  log.warn("vector index repaired", { ragId, generation, shard, ...found });
}

/** Null: never again. */
async function tend(
  services: UpkeepServices,
  vectorIndex: VectorIndex,
  { upkeep, now, found }: { upkeep: Upkeep; now: number; found: WalkCounts },
) {
  const { shards, walkAt } = upkeep;
  if (shards === null) {
    const isEmpty = await removeLeftovers(services, vectorIndex, upkeep);
    return isEmpty ? null : { dueAt: now + GONE_LOOK_MS, walkAt, walk: null };
  }
  await confirmShown(services, upkeep);
  const isWalk = walkAt <= now;
  const walked = isWalk && (await walkVectors(services, vectorIndex, { ...upkeep, shards }, found));
  await queueMoved(services, upkeep);
  await sendAgain(services, upkeep);
  await removeDeadVectors(services, upkeep);
  const { unshown, moved, deadDueAt } = await services.ragIndexes(upkeep).ledger();
  const nextWalk = walked ? now + NEXT_WALK_MS : walkAt;
  const looks = unshown + moved > 0 || nextWalk <= now ? now + NEXT_LOOK_MS : nextWalk;
  const dueAt = Math.max(now + NEXT_LOOK_MS, Math.min(looks, deadDueAt ?? looks));
  const walk = isWalk ? { found, endedAt: walked ? now : null } : null;
  return { dueAt, walkAt: nextWalk, walk };
}

/**
 * Asks the vector index which sendings it shows. `processedUpTo` alone would not tell: it is one
 * time for all RAGs, of the last write or of when that was worked in.
 */
async function confirmShown(
  services: Pick<Services, "now" | "ragIndexes" | "vectorIndex">,
  address: IndexAddress,
): Promise<void> {
  const { vectorIndex } = services;
  if (vectorIndex === null) return;
  const index = services.ragIndexes(address);
  const sendings = await index.unshownSendings(SENDINGS_PER_TURN);
  const upTo = sendings.length === 0 ? 0 : (await vectorIndex.processedUpTo()) + CLOCK_SKEW_MS;
  const passed = sendings.filter(({ at }) => at <= upTo);
  const present = await vectorIndex.present(passed);
  const seen = passed.filter(({ vectorId }) => present.has(vectorId));
  await index.confirmSeen(
    seen.map(({ id }) => id),
    services.now(),
  );
}

/** Each asks the vector index up to 250 times; a consumer may make some thousand calls. */
const CONFIRMED_PER_BATCH = 4;

/**
 * Makes room in indexes that files of a batch wait for: once for each index, however many files
 * wait, and for a few indexes only; the others have their turn in the next batch or sweep.
 */
export async function confirmWaiting(
  services: Pick<Services, "log" | "now" | "ragIndexes" | "vectorIndex">,
  addresses: IndexAddress[],
): Promise<void> {
  const indexes = new Map(
    addresses.map((one) => [`${one.ragId} ${one.generation} ${one.shard}`, one]),
  );
  for (const address of [...indexes.values()].slice(0, CONFIRMED_PER_BATCH)) {
    try {
      await confirmShown(services, address);
    } catch (thrown) {
      const { ragId, generation, shard } = address;
      const reason = reasonOf(thrown);
      services.log.warn("vectors not confirmed", { ragId, generation, shard, reason });
    }
  }
}

/** Vectors of files that moved are sent again, with the folder that the files lie in now. */
async function queueMoved({ log, ragIndexes }: UpkeepServices, address: IndexAddress) {
  const vectors = await ragIndexes(address).queueMoved(VECTORS_AGAIN_PER_TURN);
  if (vectors > 0) log.info("vectors of moved files", { ragId: address.ragId, vectors });
}

/** What was never sent, or was and does not show for long, from the index's own copy. */
async function sendAgain(services: UpkeepServices, address: IndexAddress): Promise<void> {
  const index = services.ragIndexes(address);
  for (let turn = 0; turn < SENDINGS_AGAIN_PER_TURN; turn++) {
    const sending = newSending(services.now());
    const lost = await index.vectorsToSend(sending.at - LOST_AFTER_MS, VECTORS_PER_SENDING);
    if (lost.length === 0) return;
    const sent = lost.map(({ vectorId, folder }) => ({ vectorId, folder }));
    await index.noteSending(sent, sending);
    const vectors = lost.map(({ vectorId, fileId, folder, vector }) => {
      return { id: vectorId, values: decodeHalfFloats(vector), fileId, folder };
    });
    await sendVectors(services, address, vectors);
    services.log.info("vectors sent again", { ragId: address.ragId, vectors: vectors.length });
  }
}

/** What is left in a space that should be empty shows up beside any vector. */
async function removeLeftovers(
  { config, log }: UpkeepServices,
  vectorIndex: VectorIndex,
  { ragId, generation }: IndexAddress,
): Promise<boolean> {
  const anywhere = new Float32Array(config.EMBEDDING_DIMENSIONS);
  anywhere[0] = 1;
  const left = await vectorIndex.near({ ragId, generation }, anywhere);
  if (left.length === 0) return true;
  await vectorIndex.remove(left);
  log.info("leftover vectors removed", { ragId, generation, vectors: left.length });
  return false;
}
