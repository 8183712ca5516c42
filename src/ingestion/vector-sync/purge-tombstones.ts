import { reasonOf } from "../../core/errors.ts";
import type { IndexAddress } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import { isInVectorIndex, type PlacedIndex } from "./upsert-vectors.ts";

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
    try {
      await purgeTombstones(services, address);
    } catch (thrown) {
      services.log.warn("vectors not removed", { ragId: address.ragId, reason: reasonOf(thrown) });
    }
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
