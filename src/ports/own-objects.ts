import type { FileSourceId } from "../core/ids.ts";
import type { RateVerdict } from "./rate-limits.ts";

/** The methods of the service's small Durable Objects. */

export interface Clock {
  /** Sets the alarm unless it is set. */
  wake(): Promise<void>;
}

export interface DriveDebounce {
  /**
   * Schedules a scan of the source in 10 seconds, unless one is scheduled already. With
   * `startsAtOnce`, the first notification queues its scan now, and later ones share the next.
   */
  notify(fileSourceId: FileSourceId, startsAtOnce?: boolean): Promise<void>;
}

export interface RateWindow {
  /** Counts a request if fewer than `limit` were allowed in the window. */
  take(limit: number): Promise<RateVerdict>;
}
