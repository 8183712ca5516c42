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
    const [embedded, findings] = await Promise.all([
      embedding,
      search(call, { target, plan }, null),
    ]);
    return { ...findings, embedded };
  },

  /** If the index changed since, searches and reads in one step, so that no file is missing. */
  async read(call, findings, plan, scales) {
    if (findings.best !== undefined) return { found: findings, ...findings.best };
    const index = new ShardedIndex(call, findings.target, plan);
    const choice = chooseFound(findings, plan, scales);
    const { chunks, superseded } = await index.hydrate({ ...choice, spare: [] }, findings);
    const retried = superseded ? await index.searchAgain(findings, "all", []) : null;
    if (retried === null) return { found: findings, chunks, values: choice.values };
    const { queries, shardOf } = retried;
    const fresh = { ...findings, queries, shardOf };
    return chosenOf(fresh, retried.chunks, chooseFound(fresh, plan, scales));
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
  const reading = isAlone ? { read: bestWanted({ target, embedded }, plan) } : {};
  const { queries, shardOf, chunks, best } = await index.search({ vectors, lexical, ...reading });
  const findings = { target, embedded, mode: searchMode, queries, shardOf, floors: [] };
  if (best === undefined) return findings;
  const values = new Map(chunks.map(({ id }, at) => [id, best.values[at] ?? 0]));
  return { ...findings, best: { ...best, chunks, values } };
}

function bestWanted(search: Pick<RagFindings, "target" | "embedded">, plan: SearchPlan) {
  const order = orderOf(search, plan);
  return {
    kind: "best",
    rule: { mode: search.target.rag.searchMode, weight: search.embedded?.fusionWeight ?? 0 },
    needed: readCount(search, plan),
    threshold: plan.threshold,
    withCandidates: plan.reranks || plan.explains,
    withFinds: order === "words",
    withVectors: order === "neighbours",
  } as const;
}
