import type { BestReply } from "../ports/rag-index.ts";
import type { RetrievalCall } from "./degradations.ts";
import { chooseFound, chosenOf, isOrderedByWords, readCount } from "./rag-search.ts";
import type { Found, RagSearch } from "./rag-search.ts";
import type { SearchPlan } from "./retrieval-request.ts";
import { searchesWords } from "./search-mode.ts";
import { ShardedIndex } from "./sharded-index.ts";

/**
 * For RAGs whose own index objects scan their vectors: both legs in one call per shard, with exact
 * similarities. Where nothing else is compared with what one shard finds, it reads the best of it
 * in the same call.
 */
export const embeddedSearch: RagSearch = {
  /** Where the embedding model fails, words are searched in any mode. */
  async find(call, { target, embedded: embedding }, plan) {
    const { searchMode } = target.rag;
    const index = new ShardedIndex(call, target, plan);
    const search = async (vectors: Float32Array[] | null) =>
      await index.search({ vectors, lexical: searchesWords(searchMode) || vectors === null });
    if (index.isSingle && plan.targets.length === 1 && searchMode !== "keyword") {
      return await searchAlone(call, { target, embedded: await embedding }, plan);
    }
    // Words alone need no vectors to be searched; what is found still gets its similarities.
    const [embedded, words] = await Promise.all([
      embedding,
      searchMode === "keyword" ? search(null) : null,
    ]);
    const { queries, shardOf } = words ?? (await search(embedded?.vectors ?? null));
    return { target, embedded, searchMode, queries, shardOf, floors: [] };
  },

  /**
   * If the index has changed since its search, searches again and reads in one step, so that a
   * file that is being reindexed is never missing.
   */
  async read(call, found, plan, scales) {
    if (found.best !== undefined) return { found, ...found.best };
    const index = new ShardedIndex(call, found.target, plan);
    const chosen = chooseFound(found, plan, scales, 0);
    const { chunks, superseded } = await index.hydrate({ ...chosen, spare: [] }, found);
    const again = superseded ? await index.searchAndHydrate(found, "all", []) : null;
    if (again === null) return { found, chunks, values: chosen.values };
    const { queries, shardOf } = again;
    const fresh = { ...found, queries, shardOf };
    return chosenOf(fresh, again.chunks, chooseFound(fresh, plan, scales, 0));
  },
};

/** One shard of the only RAG. */
async function searchAlone(
  call: RetrievalCall,
  { target, embedded }: Pick<Found, "target" | "embedded">,
  plan: SearchPlan,
): Promise<Found> {
  const { searchMode } = target.rag;
  const vectors = embedded?.vectors ?? null;
  const legs = { vectors, lexical: searchesWords(searchMode) || vectors === null };
  const rule = { searchMode, weight: embedded?.fusionWeight ?? 0 };
  const withCandidates = plan.reranks || plan.explains;
  const withFinds = isOrderedByWords({ target, embedded });
  const needed = readCount({ target, embedded }, plan);
  const wanted = { rule, needed, threshold: plan.threshold, withCandidates, withFinds };
  const index = new ShardedIndex(call, target, plan);
  const reply = (await index.searchAndReadBest(legs, wanted)) ?? NOTHING_READ;
  const { chunks, values, candidateCount, finds } = reply;
  const queries = reply.queries ?? plan.queries.map(() => ({ lexical: [], vector: [] }));
  const valueOf = new Map(chunks.map(({ id }, at) => [id, values[at] ?? 0]));
  const best = { chunks, values: valueOf, candidateCount, finds };
  return { target, embedded, searchMode, queries, shardOf: new Map(), floors: [], best };
}

const NOTHING_READ: BestReply = {
  chunks: [],
  values: [],
  candidateCount: 0,
  unsearched: 0,
  finds: [],
  queries: null,
};
