import { decodeHalfFloats, dotProduct } from "../core/bytes/half-float.ts";
import type { ScoredChunk } from "./score-chunks.ts";

/** The share of a passage's score that the passages close to it decide. */
const NEIGHBOURS_SHARE = 0.6;
/** The order of so many does not depend on those behind them, which only a long answer reads. */
const SHORT = 50;
/** More than any difference of two scores. */
const AHEAD = 1e6;

/**
 * Scores the passages of a short answer among themselves, and those behind them among all.
 * @param best in their order
 */
export function scoreByNeighbours(best: { chunk: ScoredChunk }[]): number[] {
  const short = scoreWithNeighbours(best.slice(0, SHORT)).map((score) => score + AHEAD);
  return best.length <= SHORT ? short : [...short, ...scoreWithNeighbours(best).slice(SHORT)];
}

/**
 * Passages close to each other are right or wrong together (score regularization, Diaz 2005): each
 * takes a share of its score from the others, weighted by the square of how much closer they are
 * than the mean pair. The first stays: if a single passage answers, it is mostly this one.
 */
function scoreWithNeighbours(best: { chunk: ScoredChunk }[]): number[] {
  const vectors = best.map(({ chunk: { chunk } }) => decodeHalfFloats(chunk.vector ?? NONE));
  const cosines = vectors.map((vector, at) =>
    vectors.slice(0, at).map((earlier) => dotProduct(vector, earlier)),
  );
  const pairs = cosines.flat();
  const mean = pairs.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, pairs.length);
  return best.map(({ chunk: { value } }, at) => {
    if (at === 0) return Infinity;
    let [weights, sum] = [0, 0];
    for (const [place, { chunk }] of best.entries()) {
      // A passage has no cosine with itself, and is no neighbour of its own.
      const cosine = cosines[Math.max(at, place)]?.[Math.min(at, place)] ?? -1;
      const weight = Math.max(0, cosine - mean) ** 2;
      weights += weight;
      sum += weight * chunk.value;
    }
    return weights === 0 ? value : value + NEIGHBOURS_SHARE * (sum / weights - value);
  });
}

const NONE = new Uint8Array(0);
