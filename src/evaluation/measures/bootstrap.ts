/** So many resamples put the ends of a 95 % interval within some hundredths of its width. */
const RESAMPLES = 2_000;
/** Fixed, so that the same results give the same interval each time. */
const SEED = 20_261_122;
const TAIL = 0.025;
/** Five that all point one way do so by chance once in 16 times (two-sided sign test); six in 32. */
const MIN_DIFFERING = 6;

/** A mean difference with its 95 % interval. */
export type Interval = { mean: number; low: number; high: number };

/**
 * The paired bootstrap (Efron and Tibshirani 1993, percentile interval): differences, one a
 * question, are drawn with replacement; the interval holds the middle 95 % of the means. Null
 * without differences.
 */
export function bootstrapInterval(
  differences: readonly number[],
  { resamples = RESAMPLES, seed = SEED }: { resamples?: number; seed?: number } = {},
): Interval | null {
  const count = differences.length;
  if (count === 0) return null;
  const next = randomFrom(seed);
  const means = Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < count; drawn++) sum += differences[Math.floor(next() * count)] ?? 0;
    return sum / count;
  });
  means.sort((a, b) => a - b);
  return {
    mean: differences.reduce((sum, difference) => sum + difference, 0) / count,
    low: percentile(means, TAIL),
    high: percentile(means, 1 - TAIL),
  };
}

/**
 * Whether differences, of which `interval` is made, are more than chance: the interval leaves out 0,
 * and enough of them are not 0. The bootstrap of a few differences alone is too narrow: of a single
 * one it is that difference, whatever chance there was.
 */
export function isMoreThanChance(differences: readonly number[], interval: Interval): boolean {
  const differing = differences.filter((difference) => difference !== 0).length;
  return differing >= MIN_DIFFERING && (interval.low > 0 || interval.high < 0);
}

/** Nearest-rank: the least value that `share` (0 to 1) of `sorted` do not exceed; 0 if empty. */
export function percentile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? 0;
}

/** mulberry32 (public domain, Tommy Ettinger): numbers from 0 to 1, 1 excluded. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
