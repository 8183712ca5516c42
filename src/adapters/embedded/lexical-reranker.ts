import type { RerankingModelV4, RerankingModelV4CallOptions } from "@ai-sdk/provider";

import { nextTurn, Pace } from "../../core/work/cooperative.ts";
import { stemOf } from "../../text/stems.ts";
import { withoutStopWords } from "../../text/stop-words.ts";
import { searchWordsOf } from "../../text/words.ts";
import { textsOf } from "../openai/openai-reranker.ts";
import type { Reranker } from "../../ports/models.ts";

const LEXICAL_RERANKER_NAME = "embedded/lexical";

const BATCH_LIMIT = 1_000;
/** Far longer than any real question or passage; longer input would block the thread. */
const QUERY_LIMIT_CHARACTERS = 10_000;
const DOCUMENT_LIMIT_CHARACTERS = 20_000;
const GRAM_LENGTHS = [4, 5];
/** Robertson and Zaragoza's usual values, as in FTS5. */
const K1 = 1.2;
const B = 0.75;
const GRAM_WEIGHT = 0.7;
/** Weight of the input order, based on the whole collection: below 1, reranking makes it worse. */
const ORDER_WEIGHT = 1.5;
/** Among few documents, a difference of one rank means little. */
const MIN_DEPTH = 10;
const ALL_WEIGHTS = 1 + GRAM_WEIGHT + ORDER_WEIGHT;
/**
 * Imaginary documents without any query term, counted beside the candidates, which were all
 * selected because they contain some. Without them common and rare terms would weigh the same.
 */
const BACKGROUND_DOCUMENTS = 30;

function gramsOf(word: string): string[] {
  const padded = ` ${word} `;
  return GRAM_LENGTHS.flatMap((length) =>
    Array.from({ length: Math.max(0, padded.length - length + 1) }, (_, at) =>
      padded.slice(at, at + length),
    ),
  );
}

function countsOf(terms: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** How often a document holds the query's terms, and how many terms it has in all. */
type Counted = { counts: Map<string, number>; length: number };

const countAsked = (queryTerms: Map<string, number>, terms: string[]): Counted => ({
  counts: countsOf(terms.filter((term) => queryTerms.has(term))),
  length: terms.length,
});

/** As `countAsked`, for grams; words recur, so each word's grams are looked up once. */
function countAskedGrams(queryGrams: Map<string, number>, documents: string[][]): Counted[] {
  const countsByWord = new Map<string, { hits: string[]; length: number }>();
  const look = (word: string) => {
    const grams = gramsOf(word);
    const counts = { hits: grams.filter((gram) => queryGrams.has(gram)), length: grams.length };
    countsByWord.set(word, counts);
    return counts;
  };
  return documents.map((words) => {
    const wordCounts = words.map((word) => countsByWord.get(word) ?? look(word));
    return {
      counts: countsOf(wordCounts.flatMap(({ hits }) => hits)),
      length: wordCounts.reduce((sum, { length }) => sum + length, 0),
    };
  });
}

/** BM25 of each document among the given ones, divided by the best; all 0 when nothing matches. */
function normalisedBm25(queryTerms: Map<string, number>, documents: Counted[]): number[] {
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const holders = countsOf(documents.flatMap(({ counts }) => [...counts.keys()]));
  const idf = (term: string) => {
    const holding = holders.get(term) ?? 0;
    const absent = documents.length + BACKGROUND_DOCUMENTS - holding;
    return Math.log(1 + (absent + 0.5) / (holding + 0.5));
  };
  const scores = documents.map(({ counts, length }) => {
    const damp = K1 * (1 - B + (B * length) / mean);
    let score = 0;
    for (const [term, count] of counts) {
      score += ((queryTerms.get(term) ?? 0) * idf(term) * count * (K1 + 1)) / (count + damp);
    }
    return score;
  });
  const best = scores.reduce((a, b) => Math.max(a, b), 0);
  return best === 0 ? scores : scores.map((score) => score / best);
}

const stemsOf = (text: string) => withoutStopWords(searchWordsOf(text)).map(stemOf);

/**
 * Relevance of each document, 0 to 1, in input order: BM25 over stemmed words (B), BM25 over
 * their character 4- and 5-grams (G), and the input rank i, the first two as a share of the best:
 * (B + 0.7 · G + 1.5 · (1 - i/max(n, 10))) / 3.2.
 */
async function lexicalRelevance(query: string, documents: string[]): Promise<number[]> {
  const pace = new Pace(nextTurn);
  const words: string[][] = [];
  for (const text of documents) {
    words.push(stemsOf(text.slice(0, DOCUMENT_LIMIT_CHARACTERS)));
    await pace.count(Math.min(text.length, DOCUMENT_LIMIT_CHARACTERS));
  }
  const stems = stemsOf(query.slice(0, QUERY_LIMIT_CHARACTERS));
  const queryTerms = countsOf(stems);
  const byWords = normalisedBm25(
    queryTerms,
    words.map((terms) => countAsked(queryTerms, terms)),
  );
  const askedGrams = countsOf(stems.flatMap(gramsOf));
  const byGrams = normalisedBm25(askedGrams, countAskedGrams(askedGrams, words));
  return documents.map((_, at) => {
    const order = 1 - at / Math.max(documents.length, MIN_DEPTH);
    const sum = (byWords[at] ?? 0) + GRAM_WEIGHT * (byGrams[at] ?? 0) + ORDER_WEIGHT * order;
    return sum / ALL_WEIGHTS;
  });
}

/** Reranking without a model: no network, the same everywhere. */
export function lexicalReranker(): Reranker {
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
  return {
    name: LEXICAL_RERANKER_NAME,
    model,
    isAbsolute: false,
    tokenizer: "unknown",
    batchLimit: BATCH_LIMIT,
  };
}
