/**
 * Measures of one question's ranking, from the rank of each passage that must be found: from 1,
 * or null where it is not among the results. All are 0 to 1, and better when higher.
 */
type Ranks = readonly (number | null)[];

const NDCG_DEPTH = 10;

/** The share of the expected passages among the first `k`. */
export function recallAt(k: number, ranks: Ranks): number {
  if (ranks.length === 0) return 0;
  return ranks.filter((rank) => rank !== null && rank <= k).length / ranks.length;
}

/** 1 divided by the rank of the first expected passage; 0 where none was found. */
export function reciprocalRank(ranks: Ranks): number {
  const found = ranks.filter((rank) => rank !== null);
  return found.length === 0 ? 0 : 1 / Math.min(...found);
}

/**
 * Normalised discounted cumulative gain of the first 10, with gains of 0 and 1 (Järvelin and
 * Kekäläinen 2002). Expected passages that share a result gain both at its rank, 1 in all at most.
 */
export function ndcgAt10(ranks: Ranks): number {
  if (ranks.length === 0) return 0;
  const gained = ranks.reduce<number>(
    (sum, rank) => sum + (rank === null || rank > NDCG_DEPTH ? 0 : discountAt(rank)),
    0,
  );
  const places = Math.min(NDCG_DEPTH, ranks.length);
  const ideal = Array.from({ length: places }, (_, at) => discountAt(at + 1));
  return Math.min(1, gained / ideal.reduce((sum, gain) => sum + gain, 0));
}

const discountAt = (rank: number) => 1 / Math.log2(rank + 1);
