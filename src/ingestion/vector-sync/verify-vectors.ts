import type { WalkCounts } from "../../db/maintenance/vector-sync-store.ts";
import { decodeHalfFloats } from "../../core/half-float.ts";
import type { VectorId } from "../../core/ids.ts";
import type { IndexAddress } from "../../ports/rag-index.ts";
import type { VectorIndex } from "../../ports/vector-index.ts";
import type { VectorToSend } from "../../ports/vector-ledger.ts";
import type { Services } from "../../services.ts";

/** Five calls of 20 ids, and one question for strangers. */
const VECTORS_PER_PAGE = 100;
const PAGES_PER_TURN = 5;
/** Where something is missing, more is; the walk goes on while there is room for it. */
const PAGES_PER_REPAIR = 50;

type Walk = Pick<Services, "ragIndexes">;

/**
 * Compares a part of what an index object holds with the vector index: what lacks there is found
 * here until it is back, and what no shard knows is removed. Whether the walk is at its end; the
 * object keeps its place. What it found is added to `counts`, also when it fails after that.
 */
export async function walkVectors(
  services: Walk,
  vectorIndex: VectorIndex,
  address: IndexAddress & { shards: number },
  { counts, mayGoOn }: { counts: WalkCounts; mayGoOn: () => boolean },
): Promise<boolean> {
  const index = services.ragIndexes(address);
  let isAtEnd = false;
  for (let turn = 0; !isAtEnd && turn < pagesFor(counts.addedAgain) && mayGoOn(); turn++) {
    const { vectors, sample, ...page } = await index.nextPage(VECTORS_PER_PAGE);
    const present = await vectorIndex.present(vectors);
    const ids = vectors.map(({ vectorId }) => vectorId);
    const missing = ids.filter((id) => !present.has(id));
    const strangers = await strangersNear(services, vectorIndex, address, sample);
    const passed = await index.passPage(page, { missing, strangers });
    counts.checked += vectors.length;
    counts.addedAgain += passed.missing;
    counts.removed += passed.strangers;
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
async function strangersNear(
  { ragIndexes }: Walk,
  vectorIndex: VectorIndex,
  { ragId, generation, shards }: IndexAddress & { shards: number },
  sample: VectorToSend["vector"] | null,
): Promise<VectorId[]> {
  if (sample === null) return [];
  let strangers = await vectorIndex.near({ ragId, generation }, decodeHalfFloats(sample));
  for (let shard = 0; shard < shards && strangers.length > 0; shard++) {
    strangers = await ragIndexes({ ragId, generation, shard }).strangersAmong(strangers);
  }
  return strangers;
}
