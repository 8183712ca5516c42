import { stemOf } from "./stems.ts";
import { isPartOfCut } from "./words.ts";

/** As FTS5 computes it (https://www.sqlite.org/fts5.html#the_bm25_function), to compare with it. */
const K1 = 1.2;
const B = 0.75;
/** FTS5's weight of a word that is in more than half of all chunks. */
const MIN_IDF = 1e-6;

/** A word in the heading path counts as two in the text: +0.006 nDCG@10 against equal weight. */
export const HEADING_WEIGHT = 2;

/** A word of the query: in how many chunks it stands, and how often it counts, also in part. */
export type TermStatistics = { word: string; chunks: number; times: number };

/** All chunks that are searched together, and all their words. */
export type CorpusSize = { chunks: number; words: number };

/** Words as they are indexed. */
export type IndexedWords = { headings: string[]; text: string[] };

/** Larger is better; 0: none of the terms is there. */
type Scorer = (words: IndexedWords) => number;

/** Scores chunks for one query by their words. */
export function bm25Scorer(terms: TermStatistics[], corpus: CorpusSize): Scorer {
  const weights = terms.map(({ chunks, times }) => times * idfOf(chunks, corpus.chunks));
  const meanLength = corpus.words / Math.max(1, corpus.chunks);
  return createScorer(counterOf(terms), weights, meanLength);
}

/** Scores candidates of one query among each other; a word counts as often as the query has it. */
export function candidateScorer(query: string[], candidates: IndexedWords[]): Scorer {
  const timesOf = new Map<string, number>();
  for (const word of query) timesOf.set(word, (timesOf.get(word) ?? 0) + 1);
  const count = counterOf(Array.from(timesOf.keys(), (word) => ({ word })));
  const counts = candidates.map(count);
  const weights = Array.from(timesOf.values(), (times, at) => {
    const holding = counts.filter((own) => (own[at] ?? 0) > 0).length;
    return times * rarityOf(candidates.length, holding);
  });
  const words = candidates.reduce((sum, candidate) => sum + lengthOf(candidate), 0);
  return createScorer(count, weights, words / Math.max(1, candidates.length));
}

const lengthOf = ({ headings, text }: IndexedWords) => headings.length + text.length;

/** `weights` are of the terms that are counted, in their order. */
function createScorer(count: Counter, weights: number[], meanLength: number): Scorer {
  return (words) => {
    const counts = count(words);
    const damp = K1 * (1 - B + (B * lengthOf(words)) / Math.max(1, meanLength));
    let sum = 0;
    for (const [at, weight] of weights.entries()) {
      const times = counts[at] ?? 0;
      sum += (weight * times * (K1 + 1)) / (times + damp);
    }
    return sum;
  };
}

export function idfOf(holding: number, chunks: number): number {
  const all = Math.max(chunks, holding);
  return Math.max(MIN_IDF, Math.log((all - holding + 0.5) / (holding + 0.5)));
}

/**
 * Imaginary candidates without any of the query's words, counted with the others, which were all
 * chosen because they hold some. Without them common and rare words would weigh the same.
 */
const BACKGROUND = 30;

/** How much a word weighs that so many candidates of a query hold; never below 0. */
export const rarityOf = (candidates: number, holding: number): number =>
  Math.log(1 + (candidates + BACKGROUND - holding + 0.5) / (holding + 0.5));

type Counter = (words: IndexedWords) => number[];

/** Porter's stemmer never changes a word's first letter: most words need not be stemmed. */
const headOf = (word: string) => word.charCodeAt(0);

/** How often each term occurs in a chunk (headings weighted), by its stem as FTS5 computes it. */
function counterOf(terms: { word: string }[]): Counter {
  const byStem = new Map<string, number[]>();
  const heads = new Set<number>();
  const byPrefix = new Map<string, number>();
  for (const [at, { word }] of terms.entries()) {
    // As a query's term, it matches every cut that begins with it.
    if (isPartOfCut(word)) byPrefix.set(word, at);
    else {
      const stem = stemOf(word);
      byStem.set(stem, [...(byStem.get(stem) ?? []), at]);
      heads.add(headOf(word));
    }
  }
  const prefixLengths = new Set(Array.from(byPrefix.keys(), ({ length }) => length));
  return ({ headings, text }) => {
    const counts = terms.map(() => 0);
    const add = (at: number, weight: number) => (counts[at] = (counts[at] ?? 0) + weight);
    const addWord = (word: string, weight: number) => {
      if (heads.has(headOf(word))) {
        for (const at of byStem.get(stemOf(word)) ?? []) add(at, weight);
      }
      for (const length of prefixLengths) {
        const at = word.length < length ? undefined : byPrefix.get(word.slice(0, length));
        if (at !== undefined) add(at, weight);
      }
    };
    for (const word of headings) addWord(word, HEADING_WEIGHT);
    for (const word of text) addWord(word, 1);
    return counts;
  };
}
