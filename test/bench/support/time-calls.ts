import { mapParallel } from "../../../src/core/work/parallel.ts";

const rounded = (value: number) => Number(value.toFixed(2));

export const medianOf = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Milliseconds as callers see them. */
export function quantilesOf(times: number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1) };
}

/** So many callers, each with one call after the other, until all items are done. */
export async function timeCalls<Item>(
  items: readonly Item[],
  callers: number,
  call: (item: Item, at: number) => Promise<unknown>,
) {
  const startedAt = performance.now();
  const times = await mapParallel(items, callers, async (item, at) => {
    const from = performance.now();
    await call(item, at);
    return performance.now() - from;
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  return { ...quantilesOf(times), perSecond: rounded(items.length / seconds) };
}
