/** As FTS5 computes it (https://www.sqlite.org/fts5.html#the_bm25_function), to compare with it. */
const K1 = 1.2;
const B = 0.75;
/** FTS5's weight of a word that is in more than half of all chunks. */
const MIN_IDF = 1e-6;

/** A word in the heading path counts as two in the text: +0.006 nDCG@10 against equal weight. */
export const HEADING_WEIGHT = 2;

/** A word of the query: in how many chunks it stands, and how often it counts, also in part. */
export type TermStatistics = { word: string; chunks: number; times: number };

/** How much each word of the query stands in a chunk (headings weighted), and the chunk's words. */
export type MatchCounts = { counts: number[]; length: number };

/** All chunks that are searched together, and all their words. */
export type CorpusSize = { chunks: number; words: number };

/** Scores chunks for one query; `counts` are in the order of `terms`. Larger is better. */
export function bm25Scorer(
  terms: TermStatistics[],
  corpus: CorpusSize,
): (match: MatchCounts) => number {
  const meanLength = corpus.words / Math.max(1, corpus.chunks);
  const weights = terms.map(({ chunks, times }) => times * idfOf(chunks, corpus.chunks));
  return ({ counts, length }) => {
    const damp = K1 * (1 - B + (B * length) / Math.max(1, meanLength));
    let sum = 0;
    for (const [at, weight] of weights.entries()) {
      const count = counts[at] ?? 0;
      sum += (weight * count * (K1 + 1)) / (count + damp);
    }
    return sum;
  };
}

export function idfOf(holding: number, chunks: number): number {
  const all = Math.max(chunks, holding);
  return Math.max(MIN_IDF, Math.log((all - holding + 0.5) / (holding + 0.5)));
}
