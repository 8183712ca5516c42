import type { RerankingModelV4, RerankingModelV4CallOptions } from "@ai-sdk/provider";

import { yieldNow, Pace } from "../../core/work/cooperative.ts";
import { candidateScorer, type IndexedWords } from "../../text/bm25.ts";
import { withoutStopWords } from "../../text/stop-words.ts";
import { searchWordsOf } from "../../text/words.ts";
import { textsOf } from "../openai/openai-reranker.ts";

const BATCH_LIMIT = 1_000;
/** Far longer than any real question or passage; longer input would block the thread. */
const QUERY_LIMIT_CHARACTERS = 10_000;
const DOCUMENT_LIMIT_CHARACTERS = 20_000;
/** Weight of the input order, based on the whole collection: below 1, reranking makes it worse. */
const ORDER_WEIGHT = 1.5;
/** Among few documents, a difference of one rank means little. */
const MIN_DEPTH = 10;

const wordsOf = (text: string) => withoutStopWords(searchWordsOf(text));

/**
 * Relevance of each document, 0 to 1, in input order: BM25 among the documents as a share of the
 * best (B), and the input rank i: (B + 1.5 · (1 - i/max(n, 10))) / 2.5.
 */
async function lexicalRelevance(query: string, documents: string[]): Promise<number[]> {
  const pace = new Pace(yieldNow);
  const candidates: IndexedWords[] = [];
  for (const text of documents) {
    candidates.push({ headings: [], text: wordsOf(text.slice(0, DOCUMENT_LIMIT_CHARACTERS)) });
    await pace.count(Math.min(text.length, DOCUMENT_LIMIT_CHARACTERS));
  }
  const scoreOf = candidateScorer(wordsOf(query.slice(0, QUERY_LIMIT_CHARACTERS)), candidates);
  const scores = candidates.map(scoreOf);
  const best = scores.reduce((a, b) => Math.max(a, b), 0);
  return scores.map((score, at) => {
    const order = 1 - at / Math.max(documents.length, MIN_DEPTH);
    const share = best === 0 ? 0 : score / best;
    return (share + ORDER_WEIGHT * order) / (1 + ORDER_WEIGHT);
  });
}

/** Reranking without a model: no network, the same everywhere. */
export function lexicalReranker() {
  const model: RerankingModelV4 = {
    specificationVersion: "v4",
    provider: "embedded",
    modelId: "lexical",
    async doRerank({ query, documents, topN, abortSignal }: RerankingModelV4CallOptions) {
      abortSignal?.throwIfAborted();
      const relevance = await lexicalRelevance(query, textsOf({ documents }));
      const ranking = relevance
        .map((relevanceScore, index) => ({ index, relevanceScore }))
        .sort((a, b) => b.relevanceScore - a.relevanceScore || a.index - b.index);
      return { ranking: ranking.slice(0, topN ?? ranking.length) };
    },
  };
  return { model, isAbsolute: false, batchLimit: BATCH_LIMIT };
}
