import type { FileSourceId } from "../core/ids.ts";
import type { RateVerdict } from "./rate-limits.ts";

/** What the service's small Durable Objects answer to. */

export interface Clock {
  /** Sets the alarm unless it is set. */
  wake(): Promise<void>;
}

export interface DriveDebounce {
  /** Has the source scanned 10 seconds from now, unless that is set already. */
  notify(fileSourceId: FileSourceId): Promise<void>;
}

export interface RateWindow {
  /** Counts a request where fewer than `limit` passed in the window. */
  take(limit: number): Promise<RateVerdict>;
}
