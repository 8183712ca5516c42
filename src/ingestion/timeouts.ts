import { MINUTE_MS, SECOND_MS } from "../core/time.ts";

/** How long a worker's claim lasts; it is renewed while the worker is alive. */
export const LEASE_MS = 2 * MINUTE_MS;
/** How long a new message claims its file before the sweep sends another. */
export const QUEUED_CLAIM_MS = MINUTE_MS;
/**
 * The same for messages from the sweep: longer, so that a long queue does not fill with repeats.
 */
export const SWEPT_CLAIM_MS = 10 * MINUTE_MS;
/**
 * A worker lives 15 minutes at most: what it still writes for a file that was replaced or removed
 * meanwhile is written by then.
 */
export const LATE_WRITES_MS = 16 * MINUTE_MS;
/** How long a removal may take to reach the index before the sweep repeats it. */
export const REMOVAL_CLAIM_MS = 30 * SECOND_MS;
