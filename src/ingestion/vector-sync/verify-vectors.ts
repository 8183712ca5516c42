import type { VerificationCounts } from "../../db/maintenance/vector-sync-store.ts";
import { decodeHalfFloats } from "../../core/half-float.ts";
import type { VectorId } from "../../core/ids.ts";
import type { IndexAddress } from "../../ports/rag-index.ts";
import type { VectorIndex } from "../../ports/vector-index.ts";
import type { VectorToUpsert } from "../../ports/vector-ledger.ts";
import type { Services } from "../../services.ts";

/** Five calls of 20 ids, and one question for orphans. */
const VECTORS_PER_PAGE = 100;
const PAGES_PER_TURN = 5;
/** Where something is missing, more is; the pass goes on while there is room for it. */
const PAGES_PER_REPAIR = 50;

type VerificationServices = Pick<Services, "ragIndexes">;

/**
 * Compares a part of what an index object holds with the vector index: what lacks there is found
 * here until it is back, and what no shard knows is removed. Whether the pass is at its end; the
 * object keeps its place. What it found is added to `counts`, also when it fails after that.
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
    // Without room for all that is missing, the rest waits until some of it is back.
    if (passed.missing < missing.length) break;
    isAtEnd = page.isLast;
  }
  return isAtEnd;
}

const pagesFor = (missing: number) => (missing > 0 ? PAGES_PER_REPAIR : PAGES_PER_TURN);

/**
 * The vector index has no list of what it holds, but what is near a vector can be asked: an old
 * version's vectors lie near the new one's. Shards share the space, so each must know nothing.
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
