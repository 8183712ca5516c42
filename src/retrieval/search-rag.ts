import type { SearchReply } from "../ports/rag-index.ts";
import type { VectorIndex } from "../ports/vector-index.ts";
import type { RetrievalCall } from "./degradations.ts";
import type { EmbeddedTarget } from "./embed-queries.ts";
import { findNearest, isCrowded } from "./nearest-vectors.ts";
import { orderOf, readCount, type RagFindings } from "./rag-findings.ts";
import { RagShards, type ShardSearch } from "./rag-shards.ts";
import type { RetrievalTarget, SearchPlan } from "./retrieval-request.ts";
import { hasWordSearch } from "./search-mode.ts";

/**
 * Searches one RAG. Its index objects run both legs, fuse them and read the best in one call,
 * wherever the vectors are: a vector index is asked before, and its matches go along. Without
 * vectors, words are searched in any mode. A part that fails is a degradation.
 */
export async function searchRag(
  call: RetrievalCall,
  { target, embedded: embedding }: EmbeddedTarget,
  plan: SearchPlan,
): Promise<RagFindings> {
  const shards = new RagShards(call, target, plan);
  const vectorIndex = vectorIndexOf(call, target);
  const [embedded, restrictions] = await Promise.all([
    embedding,
    vectorIndex === null ? [] : shards.plans(),
  ]);
  const vectors = embedded?.vectors ?? null;
  const nearest =
    vectorIndex === null || vectors === null
      ? null
      : await findNearest({ call, vectorIndex, target, plan }, restrictions, vectors);
  const matches = nearest === "lost" ? plan.searched.map(() => NO_MATCHES) : nearest;
  const { searchMode } = target.rag;
  const wordsStandIn = !hasWordSearch(searchMode) && (vectors === null || nearest === "lost");
  const mode = wordsStandIn ? "hybrid" : searchMode;
  const reply = await searchOrScan(call, shards, plan, {
    queries: plan.searched.map((text, at) => {
      const query = { text, vector: vectors?.[at] ?? null };
      return matches === null ? query : { ...query, nearest: matches[at] ?? NO_MATCHES };
    }),
    lexical: hasWordSearch(mode),
    rule: { mode, weight: embedded?.fusionWeight ?? 0 },
    needed: readCount({ target, embedded }, plan),
    withVectors: orderOf({ target, embedded }, plan) === "neighbours",
  });
  const { chunks, candidates, queries, relation } = reply;
  return { target, embedded, mode, chunks, candidates, queries, relation };
}

/** Searches once more where most of what the vector index named is not shown. */
async function searchOrScan(
  call: RetrievalCall,
  shards: RagShards,
  plan: SearchPlan,
  search: ShardSearch,
): Promise<SearchReply> {
  const reply = await shards.search(search);
  if (!isCrowded(reply, search.queries, plan, shards.isSingle)) return reply;
  call.services.log.info("vector index crowded", { ragId: shards.ragId });
  const scan = await shards.search({ ...search, deep: true });
  if (!scan.scanned) {
    const reason = "most of what it names is outdated or hidden, and the RAG too large to scan";
    call.report.addDegradation("vector index", `vector index: ${reason}`);
  }
  // The chunks already read are better than none when a shard does not answer in time.
  return scan.isWhole && scan.unsearched === 0 ? scan : reply;
}

const NO_MATCHES = { matches: [], floor: null };

/** Null: the index objects scan their own vectors, or words alone decide what is found. */
function vectorIndexOf({ services }: RetrievalCall, { rag }: RetrievalTarget): VectorIndex | null {
  return rag.vectorsIn === "object" || rag.searchMode === "keyword" ? null : services.vectorIndex;
}
