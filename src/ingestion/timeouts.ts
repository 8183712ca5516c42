import { MINUTE_MS, SECOND_MS } from "../core/time.ts";

/** How long a worker's claim lasts; renewed while the worker lives. */
export const LEASE_MS = 2 * MINUTE_MS;
/** How long a message just sent claims its file before the sweep sends another. */
export const QUEUED_CLAIM_MS = MINUTE_MS;
/** The same for what the sweep sent: a long queue must not fill with repeats. */
export const SWEPT_CLAIM_MS = 10 * MINUTE_MS;
/** How long a removal may take to reach the index before the sweep repeats it. */
export const REMOVAL_CLAIM_MS = 30 * SECOND_MS;
