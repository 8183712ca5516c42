/** A document that a leg found, with the leg's score; best first. */
export type RankedDocument = { id: string; score: number };

/** The usual constant (Cormack, Clarke and Büttcher 2009). */
const RANKS_CONSTANT = 60;
const WEIGHTS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

const ordered = (values: Map<string, number>) =>
  [...values].sort(([, a], [, b]) => b - a).map(([id]) => id);

/** The first of each document. */
const firsts = (list: RankedDocument[]) =>
  list.filter(({ id }, at) => list.findIndex((candidate) => candidate.id === id) === at);

/** Reciprocal rank fusion of two lists. */
export function reciprocalRanks(...lists: RankedDocument[][]): string[] {
  const values = new Map<string, number>();
  for (const list of lists) {
    for (const [at, { id }] of firsts(list).entries()) {
      values.set(id, (values.get(id) ?? 0) + 1 / (RANKS_CONSTANT + at + 1));
    }
  }
  return ordered(values);
}

/**
 * Convex combinations of BM25 by the best and cosines by the best and worst, at several weights
 * (Bruch, Gai and Ingber 2023).
 */
export function convexOf(
  words: RankedDocument[],
  vectors: RankedDocument[],
): [name: string, order: string[]][] {
  const [best, worst] = [vectors[0]?.score ?? 1, vectors.at(-1)?.score ?? 0];
  return WEIGHTS.map((weight) => {
    const values = new Map<string, number>();
    for (const { id, score } of firsts(words)) {
      values.set(id, ((1 - weight) * score) / (words[0]?.score ?? 1));
    }
    for (const { id, score } of firsts(vectors)) {
      const value = best === worst ? 1 : (score - worst) / (best - worst);
      values.set(id, (values.get(id) ?? 0) + weight * value);
    }
    return [`convex ${weight}`, ordered(values)];
  });
}
