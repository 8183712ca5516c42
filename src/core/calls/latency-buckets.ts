/** Buckets grow by a tenth: percentiles over any span come from sums, within 5 %. */
const GROWTH = 1.1;
const LOG_GROWTH = Math.log(GROWTH);

/** 0 for anything up to 1 ms, then one more for every growth by a tenth. */
export function latencyBucket(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / LOG_GROWTH);
}

/** The middle of a bucket, ms. */
function bucketMs(bucket: number): number {
  return bucket === 0 ? 1 : GROWTH ** (bucket - 0.5);
}

/** The latency (ms) that `share` (0 to 1) of calls do not exceed; null without calls. */
export function percentileMs(
  buckets: { bucket: number; calls: number }[],
  share: number,
): number | null {
  const total = buckets.reduce((sum, { calls }) => sum + calls, 0);
  if (total === 0) return null;
  let remaining = Math.ceil(total * share);
  const ordered = [...buckets].sort((a, b) => a.bucket - b.bucket);
  const bucket = ordered.find(({ calls }) => (remaining -= calls) <= 0);
  return Math.round(bucketMs((bucket ?? ordered.at(-1))?.bucket ?? 0));
}
