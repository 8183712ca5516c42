import type { FileSourceId } from "../core/ids.ts";
import type { RateVerdict } from "./rate-limits.ts";

/** What the service's small Durable Objects answer to. */

export interface Clock {
  /** Sets the alarm unless it is set. */
  wake(): Promise<void>;
}

export interface DriveWindow {
  /** Opens a window after which the source is scanned, unless one is open. */
  open(fileSourceId: FileSourceId): Promise<void>;
}

export interface RateWindow {
  /** Counts a request where fewer than `limit` passed in the window. */
  take(limit: number): Promise<RateVerdict>;
}
