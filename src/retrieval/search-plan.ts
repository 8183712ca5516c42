import type { RetrievalRequest } from "./types.ts";

/**
 * Candidates a leg gives at least. Scores are normalised over them, so that one number for every
 * topK without reranking keeps the first results the same whatever topK is.
 */
const LEAST_CANDIDATES = 100;
/** Characters of a query that are searched; models cut earlier still. */
const QUERY_LIMIT = 16_384;

/** What every RAG of a retrieval is searched for. */
export type SearchPlan = {
  queries: string[];
  includeDuplicates: boolean;
  /** Candidates of a leg and query. */
  limitPerLeg: number;
  /** Chunks of each RAG that reranking, or else the answer, needs. */
  needed: number;
  /** Least similarity, 0 to 1. */
  threshold: number | null;
};

export function planSearch(request: RetrievalRequest): SearchPlan {
  const { topK, useReranking, candidateMultiplier, includeDuplicates } = request;
  const needed = useReranking ? topK * candidateMultiplier : topK;
  return {
    queries: request.queries.map((query) => query.slice(0, QUERY_LIMIT).toWellFormed()),
    includeDuplicates,
    limitPerLeg: Math.max(LEAST_CANDIDATES, needed),
    needed,
    threshold: request.similarityThreshold,
  };
}
