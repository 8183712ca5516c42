/**
 * Normalised discounted cumulative gain at `depth` (Järvelin and Kekäläinen 2002): gains are the
 * grades, discounted by log2(rank + 1), over the best order's value. 0 where nothing is relevant.
 */
export function ndcg(ranked: string[], grades: Map<string, number>, depth: number): number {
  const ideal = [...grades.values()].sort((a, b) => b - a);
  const best = gain(ideal.slice(0, depth));
  if (best === 0) return 0;
  return gain(ranked.slice(0, depth).map((id) => grades.get(id) ?? 0)) / best;
}

function gain(grades: number[]): number {
  return grades.reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0);
}

/** The share of the relevant that is among the first `depth`. 0 where nothing is relevant. */
export function recall(ranked: string[], grades: Map<string, number>, depth: number): number {
  const relevant = [...grades].filter(([, grade]) => grade > 0);
  const among = new Set(ranked.slice(0, depth));
  return relevant.filter(([id]) => among.has(id)).length / Math.max(1, relevant.length);
}

export const meanOf = (values: number[]) =>
  Number((values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(4));
