import { chooseCandidates } from "./choose-candidates.ts";
import type { EmbeddedTarget } from "./embed-queries.ts";
import type { Scale } from "./fuse.ts";
import { chosenOf, rankFound, valuesOf } from "./rag-search.ts";
import type { Found, RagSearch, ReadChunks } from "./rag-search.ts";
import type { RetrievalCall } from "./run-leg.ts";
import type { SearchPlan } from "./search-plan.ts";
import { ShardedIndex } from "./sharded-index.ts";
import type { IndexLegs } from "./sharded-index.ts";

/**
 * Searches a RAG whose own index objects scan its vectors: both legs in one call per shard, with
 * exact similarities. Where the embedding model fails, words are searched in any mode.
 */
export async function searchExactly(
  call: RetrievalCall,
  { target, embedded: embedding }: EmbeddedTarget,
  plan: SearchPlan,
): Promise<RagSearch> {
  const index = new ShardedIndex(call, target, plan);
  const { searchMode } = target.rag;
  const embedded = await embedding;
  const vectors = embedded?.vectors ?? null;
  const legs = { vectors, lexical: searchMode === "hybrid" || vectors === null };
  const { queries, shardOf } = await index.search(legs);
  const found: Found = { target, embedded, searchMode, queries, shardOf };
  return { found, read: (scales) => readExactly(index, legs, found, plan, scales) };
}

/**
 * If the index has changed since its search, searches again and reads in one step, so that a file
 * that is being reindexed is never missing.
 */
async function readExactly(
  index: ShardedIndex,
  legs: IndexLegs,
  found: Found,
  plan: SearchPlan,
  scales: Scale[],
): Promise<ReadChunks> {
  const ranked = rankFound(found, scales);
  const { ids } = chooseCandidates(ranked, { ...plan, margin: 0 });
  const { chunks, superseded } = await index.hydrate({ ids, spare: [] }, found);
  const again = superseded ? await index.searchAndHydrate(legs, []) : null;
  if (again === null) return { found, chunks, values: valuesOf(ranked) };
  const fresh = { ...found, queries: again.queries, shardOf: again.shardOf };
  return chosenOf(fresh, again.chunks, rankFound(fresh, scales), { ...plan, margin: 0 });
}
