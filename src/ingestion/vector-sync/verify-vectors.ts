import type { VerificationCounts } from "../../db/maintenance/vector-sync-store.ts";
import { decodeHalfFloats } from "../../core/half-float.ts";
import type { VectorId } from "../../core/ids.ts";
import type { IndexAddress } from "../../ports/rag-index.ts";
import type { VectorIndex } from "../../ports/vector-index.ts";
import type { VectorToUpsert } from "../../ports/vector-ledger.ts";
import type { Services } from "../../services.ts";

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
export async function verifyVectors(
  services: VerificationServices,
  vectorIndex: VectorIndex,
  address: IndexAddress & { shards: number },
  { counts, mayGoOn }: { counts: VerificationCounts; mayGoOn: () => boolean },
): Promise<boolean> {
  const index = services.ragIndexes(address);
  let isAtEnd = false;
  for (let turn = 0; !isAtEnd && turn < pagesFor(counts.addedAgain) && mayGoOn(); turn++) {
    const { vectors, sample, ...page } = await index.nextPageToVerify(VECTORS_PER_PAGE);
    const present = await vectorIndex.present(vectors);
    const ids = vectors.map(({ vectorId }) => vectorId);
    const missing = ids.filter((id) => !present.has(id));
    const orphans = await orphansNear(services, vectorIndex, address, sample);
    const passed = await index.recordVerifiedPage(page, { missing, orphans });
    counts.checked += vectors.length;
    counts.addedAgain += passed.missing;
    counts.removed += passed.orphans;
    // The number of in-flight vectors is bounded: the rest waits until some become visible.
    if (passed.missing < missing.length) break;
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
  let orphans = await vectorIndex.near({ ragId, generation }, decodeHalfFloats(sample));
  for (let shard = 0; shard < shards && orphans.length > 0; shard++) {
    orphans = await ragIndexes({ ragId, generation, shard }).orphansAmong(orphans);
  }
  return orphans;
}
