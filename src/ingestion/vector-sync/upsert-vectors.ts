import { attempt } from "../../core/log.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { makeVectorSyncsDue } from "../../db/maintenance/vector-sync-store.ts";
import type { VectorPlace } from "../../db/schema/rags.ts";
import type { IndexAddress } from "../../ports/rag-index.ts";
import type { IndexedVector, VectorSpace } from "../../ports/vector-index.ts";
import type { UpsertBatch } from "../../ports/vector-ledger.ts";
import type { Services } from "../../services.ts";

/** Vectors become visible after 30 s to 2 min. */
const FIRST_LOOK_AFTER_MS = MINUTE_MS;

/** An id of 52 random bits: unique within an index's few thousand. */
export function newUpsertBatch(at: number): UpsertBatch {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return { id: (high % 2 ** 20) * 2 ** 32 + low, at };
}

/** An index object, and where the vectors of its generation are searched. */
export type PlacedIndex = IndexAddress & { vectorsIn: VectorPlace };

/** Whether the vector index holds vectors of this generation. */
export const isInVectorIndex = (
  { vectorIndex }: Pick<Services, "vectorIndex">,
  { vectorsIn }: { vectorsIn: VectorPlace },
): boolean => vectorIndex !== null && vectorsIn === "vectorize";

/** By then, late upserts by workers of a dropped index have arrived. */
export const LEFTOVERS_RECHECK_MS = 20 * MINUTE_MS;

/**
 * Called before vectors are upserted or removed, so that after a crash the sweep checks them; with
 * `LEFTOVERS_RECHECK_MS` when an index was emptied permanently.
 */
export async function scheduleVectorSync(
  services: Pick<Services, "db" | "now" | "vectorIndex">,
  indexes: PlacedIndex[],
  afterMs = FIRST_LOOK_AFTER_MS,
): Promise<void> {
  const synced = indexes.filter((index) => isInVectorIndex(services, index));
  await makeVectorSyncsDue(services.db, synced, services.now() + afterMs);
}

/** Upserts vectors. Failed ones stay searchable in the index object, and are upserted again. */
export async function upsertVectors(
  { log, vectorIndex }: Pick<Services, "log" | "vectorIndex">,
  space: VectorSpace,
  vectors: IndexedVector[],
): Promise<void> {
  const facts = { ragId: space.ragId, generation: space.generation, vectors: vectors.length };
  const send = async () => await vectorIndex?.upsert(space, vectors);
  await attempt(log, "vectors not sent", facts, send, "warn");
}

const VECTORS_PER_CALL = 1_000;
/** Tombstones left after this many calls wait for the next turn. */
const MAX_CALLS = 20;

/**
 * Purges the tombstones of those of these indexes whose vectors the vector index holds. After a
 * failure they stay listed and the sweep tries again.
 */
export async function tryPurgeTombstones(
  services: Pick<Services, "log" | "now" | "ragIndexes" | "vectorIndex">,
  indexes: PlacedIndex[],
): Promise<void> {
  const synced = indexes.filter((index) => isInVectorIndex(services, index));
  const distinct = new Map(synced.map((address) => [JSON.stringify(address), address]));
  for (const address of distinct.values()) {
    const { ragId } = address;
    const purge = () => purgeTombstones(services, address);
    await attempt(services.log, "vectors not removed", { ragId }, purge, "warn");
  }
}

/**
 * Removes vectors without a chunk from the vector index, if there is one. False when some are left
 * because the turn's limit is reached or the turn must stop.
 */
export async function purgeTombstones(
  { now, ragIndexes, vectorIndex }: Pick<Services, "now" | "ragIndexes" | "vectorIndex">,
  address: IndexAddress,
  mayGoOn: () => boolean = () => true,
): Promise<boolean> {
  const index = ragIndexes(address);
  for (let call = 0; call < MAX_CALLS && mayGoOn(); call++) {
    const ids = await index.tombstones(now(), VECTORS_PER_CALL);
    if (ids.length === 0) return true;
    await vectorIndex?.remove(ids);
    await index.confirmRemoved(ids, now());
  }
  return false;
}
