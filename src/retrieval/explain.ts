import type { ChunkId } from "../core/ids.ts";
import { omitJoined } from "../rag-index/search/fuse.ts";
import type { ScoredChunk, ScoredList } from "./score-chunks.ts";

/** Where one leg had a chunk among its candidates: from 1, with the leg's own score. */
type LegRank = { rank: number; score: number };

export type Explanation = {
  /** The value that orders the answer: the reranker's relevance, else the value of its place. */
  value: number;
  /** For each query: BM25 and cosine; null where the leg did not find the chunk. */
  queries: { lexical: LegRank | null; vector: LegRank | null }[];
  /** The value of the fusion (or the similarity, in semantic mode). */
  fused: number;
  /** From 1: its place by that value. */
  fusedRank: number;
  /** Place from 1 by words or by neighbours, before reranking; null where there is neither. */
  wordsRank: number | null;
  /** The reranker's relevance; null where it was not reranked. */
  relevance: number | null;
  /** The share of its value that its age leaves it; null where age does not count. */
  recency: number | null;
};

/** @param scored the lists before reranking, best first. */
export function explain(chunks: ScoredChunk[], scored: ScoredList[]): Explanation[] {
  const before = factsById(scored);
  return chunks.map(({ chunk: { id }, value, relevance = null, recency = null }) => {
    const facts = before.get(id) ?? { queries: [], fused: value, fusedRank: 0, wordsRank: null };
    const orders = recency === null ? (relevance ?? value) : value;
    return { ...facts, value: orders, relevance, recency };
  });
}

type Before = Omit<Explanation, "relevance" | "recency" | "value">;

/** A rank is among the candidates of the chunk's own RAG. */
function factsById(lists: ScoredList[]): Map<ChunkId, Before> {
  const facts = new Map<ChunkId, Before>();
  for (const { chunks, findings } of lists) {
    for (const [at, { chunk, value, fused = value, fusedPlace }] of chunks.entries()) {
      const queries = omitJoined(findings.queries).map(({ lexical, vector }, query) => ({
        lexical: rankOf(chunk.scores[query]?.lexical ?? null, lexical),
        vector: rankOf(chunk.scores[query]?.vector ?? null, vector),
      }));
      const wordsRank = fusedPlace === undefined ? null : at + 1;
      const fusedRank = fusedPlace ?? at + 1;
      facts.set(chunk.id, { queries, fused, fusedRank, wordsRank });
    }
  }
  return facts;
}

const rankOf = (score: number | null, list: number[]): LegRank | null =>
  score === null ? null : { rank: list.filter((better) => better > score).length + 1, score };
