import type { RetrievalCall } from "./degradations.ts";
import type { EmbeddedQueries } from "./embed-queries.ts";
import { chooseFound, chosenOf, orderOf, readCount } from "./rag-search.ts";
import type { RagFindings, RagSearch } from "./rag-search.ts";
import type { RetrievalTarget, SearchPlan } from "./retrieval-request.ts";
import { searchesWords } from "./search-mode.ts";
import { ShardedIndex } from "./sharded-index.ts";

/** If nothing else compares with what one shard finds, its one call also reads the best of it. */
export const embeddedSearch: RagSearch = {
  async find(call, { target, embedded: embedding }, plan) {
    const { searchMode } = target.rag;
    if (searchMode !== "keyword") return await search(call, { target, plan }, await embedding);
    // Words alone need no vectors to be searched; what is found still gets its similarities.
    const [embedded, found] = await Promise.all([embedding, search(call, { target, plan }, null)]);
    return { ...found, embedded };
  },

  /** If the index changed since, searches and reads in one step, so that no file is missing. */
  async read(call, found, plan, scales) {
    if (found.best !== undefined) return { found, ...found.best };
    const index = new ShardedIndex(call, found.target, plan);
    const chosen = chooseFound(found, plan, scales);
    const { chunks, superseded } = await index.hydrate({ ...chosen, spare: [] }, found);
    const again = superseded ? await index.searchAgain(found, "all", []) : null;
    if (again === null) return { found, chunks, values: chosen.values };
    const { queries, shardOf } = again;
    const fresh = { ...found, queries, shardOf };
    return chosenOf(fresh, again.chunks, chooseFound(fresh, plan, scales));
  },
};

/** Without vectors, words are searched in any mode. */
async function search(
  call: RetrievalCall,
  { target, plan }: { target: RetrievalTarget; plan: SearchPlan },
  embedded: EmbeddedQueries | null,
): Promise<RagFindings> {
  const { searchMode } = target.rag;
  const index = new ShardedIndex(call, target, plan);
  const isAlone = index.isSingle && plan.targets.length === 1 && searchMode !== "keyword";
  const vectors = embedded?.vectors ?? null;
  const lexical = searchesWords(searchMode) || vectors === null;
  const read = isAlone ? { read: bestWanted({ target, embedded }, plan) } : {};
  const { queries, shardOf, chunks, best } = await index.search({ vectors, lexical, ...read });
  const found = { target, embedded, mode: searchMode, queries, shardOf, floors: [] };
  if (best === undefined) return found;
  const values = new Map(chunks.map(({ id }, at) => [id, best.values[at] ?? 0]));
  return { ...found, best: { ...best, chunks, values } };
}

function bestWanted(of: Pick<RagFindings, "target" | "embedded">, plan: SearchPlan) {
  const order = orderOf(of, plan);
  return {
    kind: "best",
    rule: { mode: of.target.rag.searchMode, weight: of.embedded?.fusionWeight ?? 0 },
    needed: readCount(of, plan),
    threshold: plan.threshold,
    withCandidates: plan.reranks || plan.explains,
    withFinds: order === "words",
    withVectors: order === "neighbours",
  } as const;
}
