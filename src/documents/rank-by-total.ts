/** Each value with its total, largest first; equal totals stay in the order of the values. */
export function rankByTotal<Value>(weighed: (readonly [Value, number])[]): [Value, number][] {
  const totals = new Map<Value, number>();
  for (const [value, weight] of weighed) totals.set(value, (totals.get(value) ?? 0) + weight);
  return [...totals].sort((a, b) => b[1] - a[1]);
}

export const rankByCount = <Value>(values: Value[]) =>
  rankByTotal(values.map((value) => [value, 1] as const));
