/** Nearest-rank: the least value that `share` (0 to 1) of `sorted` do not exceed; 0 if empty. */
export function percentile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? 0;
}
