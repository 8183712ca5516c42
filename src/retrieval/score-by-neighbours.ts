import { decodeHalfFloats, dotProduct } from "../core/bytes/half-float.ts";
import { NEIGHBOURS } from "./rag-findings.ts";
import type { ScoredChunk } from "./score-chunks.ts";

/** The share of a passage's score that the passages close to it decide. */
const NEIGHBOURS_SHARE = 0.6;
/** More than any difference of two scores. */
const AHEAD = 1e6;

/**
 * Scores passages among themselves: the first of an answer do not depend on how many are read, the
 * others on all of them, which only a long answer reads.
 * @param best in their order
 */
export function scoreByNeighbours(best: { chunk: ScoredChunk }[]): number[] {
  const scores = scoreWithNeighbours(best.slice(0, NEIGHBOURS.among));
  if (best.length <= NEIGHBOURS.among) return scores;
  const lowest = scores.toSorted((a, b) => b - a)[NEIGHBOURS.first - 1] ?? 0;
  return scoreWithNeighbours(best).map((score, at) => {
    const own = scores[at] ?? -AHEAD;
    return own >= lowest ? own + AHEAD : score;
  });
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
