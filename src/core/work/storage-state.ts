import { noRoom } from "../errors.ts";
import { MINUTE_MS, SECOND_MS } from "../time.ts";

export const TRIED_AGAIN_AFTER_MS = 5 * SECOND_MS;
/** A trial that has not ended by then was stopped with its event. */
const TRIAL_ENDS_WITHIN_MS = MINUTE_MS;

/** Whether the storage has room, as an isolate learns it: a failure calls for trials until one succeeds. */
export class StorageState {
  /** When the first of the latest trials failed, ms; null: there is room. */
  noRoomSince: number | null = null;
  /** When the next trial is due, ms; null: nothing calls for one. */
  dueAt: number | null = null;

  /** Why nothing can be stored; null: there is room. */
  get problem(): string | null {
    return this.noRoomSince === null ? null : noRoom(null).message;
  }

  suspect(): void {
    this.dueAt ??= 0;
  }

  /** Whether a trial is to begin now; at most one runs. */
  beginTrial(now: number): boolean {
    const waitMs = (this.dueAt ?? Infinity) - now;
    // A due time that is further away than any was set before the clock was put back.
    const isDue = waitMs <= 0 || (waitMs > TRIAL_ENDS_WITHIN_MS && waitMs < Infinity);
    if (isDue) this.dueAt = now + TRIAL_ENDS_WITHIN_MS;
    return isDue;
  }

  endTrial(hasRoom: boolean, now: number): void {
    this.dueAt = hasRoom ? null : now + TRIED_AGAIN_AFTER_MS;
    this.noRoomSince = hasRoom ? null : (this.noRoomSince ?? now);
  }
}
