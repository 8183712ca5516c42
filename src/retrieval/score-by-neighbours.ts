import { decodeHalfFloats } from "../core/half-float.ts";
import type { ScoredChunk } from "./score-chunks.ts";

/** Of a passage's score, what the passages close to it say. */
const NEIGHBOURS_SHARE = 0.6;

/**
 * Passages close to each other are right or wrong together (score regularization, Diaz 2005): each
 * takes a share of its score from the others, weighted by the square of how much closer they are than
 * the mean pair. The first stays: where a single passage answers, it mostly is the one.
 * @param best in their order
 */
export function scoreByNeighbours(best: { chunk: ScoredChunk }[]): number[] {
  const size = best.length;
  const cosines = cosinesOf(best);
  const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, size * (size - 1));
  return best.map(({ chunk: { value } }, at) => {
    if (at === 0) return Infinity;
    let [weights, sum] = [0, 0];
    for (const [other, { chunk }] of best.entries()) {
      const closeness = Math.max(0, (cosines[at * size + other] ?? 0) - mean);
      if (other === at) continue;
      weights += closeness ** 2;
      sum += closeness ** 2 * chunk.value;
    }
    return weights === 0 ? value : value + NEIGHBOURS_SHARE * (sum / weights - value);
  });
}

/** Of each pair, in rows; 0 of a passage with itself, and where a vector is missing. */
function cosinesOf(best: { chunk: ScoredChunk }[]): Float64Array {
  const size = best.length;
  const vectors = best.map(({ chunk: { chunk } }) => decodeHalfFloats(chunk.vector ?? NONE));
  const cosines = new Float64Array(size * size);
  for (const [at, one] of vectors.entries()) {
    for (const [other, another] of vectors.slice(0, at).entries()) {
      const cosine = product(one, another);
      cosines[at * size + other] = cosine;
      cosines[other * size + at] = cosine;
    }
  }
  return cosines;
}

const NONE = new Uint8Array(0);

function product(one: Float32Array, other: Float32Array): number {
  const length = Math.min(one.length, other.length);
  let sum = 0;
  for (let at = 0; at < length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
