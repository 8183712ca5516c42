import { MINUTE_MS } from "../../core/time.ts";
import { reasonOf } from "../../core/errors.ts";
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

/** Called before vectors are upserted or removed, so that after a crash the sweep checks them. */
export async function scheduleVectorSync(
  services: Pick<Services, "db" | "now" | "vectorIndex">,
  indexes: PlacedIndex[],
): Promise<void> {
  const synced = indexes.filter((index) => isInVectorIndex(services, index));
  await makeVectorSyncsDue(services.db, synced, services.now() + FIRST_LOOK_AFTER_MS);
}

/** By then, late upserts by workers of a dropped index have arrived. */
export const LEFTOVERS_RECHECK_MS = 20 * MINUTE_MS;

/** Called when an index was emptied permanently. */
export async function scheduleLeftoverRemoval(
  services: Pick<Services, "db" | "now" | "vectorIndex">,
  address: PlacedIndex,
): Promise<void> {
  if (!isInVectorIndex(services, address)) return;
  await makeVectorSyncsDue(services.db, [address], services.now() + LEFTOVERS_RECHECK_MS);
}

/** Upserts vectors. Failed ones stay searchable in the index object, and are upserted again. */
export async function upsertVectors(
  { log, vectorIndex }: Pick<Services, "log" | "vectorIndex">,
  space: VectorSpace,
  vectors: IndexedVector[],
): Promise<void> {
  try {
    await vectorIndex?.upsert(space, vectors);
  } catch (thrown) {
    const { ragId, generation } = space;
    const reason = reasonOf(thrown);
    log.warn("vectors not sent", { ragId, generation, vectors: vectors.length, reason });
  }
}
