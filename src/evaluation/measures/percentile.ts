/**
 * The nearest-rank percentile: the smallest value that at least `share` (0 to 1) of all values do
 * not exceed. `sorted`: ascending. 0 without values.
 */
export function percentile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? 0;
}
