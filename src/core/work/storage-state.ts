import { MINUTE_MS, SECOND_MS } from "../time.ts";

export const TRIED_AGAIN_AFTER_MS = 5 * SECOND_MS;
/** A trial that has not ended by then was stopped with its event. */
const TRIAL_ENDS_WITHIN_MS = MINUTE_MS;

/** Whether the storage has room, as an isolate learns it: failures call for trials, which tell. */
export class StorageState {
  /** When the first of the latest trials failed, ms; null: there is room. */
  noRoomSince: number | null = null;
  #isSuspected = false;
  #triedAt: number | null = null;
  #isTrying = false;

  suspect(): void {
    this.#isSuspected = true;
  }

  /** Whether a trial is to begin now, which is noted as begun; at most one runs. */
  beginTrial(now: number): boolean {
    if (!this.isDue(now)) return false;
    this.#triedAt = now;
    this.#isTrying = true;
    return true;
  }

  isDue(now: number): boolean {
    if (!this.#isSuspected || this.#triedAt === null) return this.#isSuspected;
    const waitMs = this.#isTrying ? TRIAL_ENDS_WITHIN_MS : TRIED_AGAIN_AFTER_MS;
    return Math.abs(now - this.#triedAt) >= waitMs;
  }

  endTrial(hasRoom: boolean, now: number): void {
    this.#isTrying = false;
    this.#triedAt = now;
    this.#isSuspected = !hasRoom;
    this.noRoomSince = hasRoom ? null : (this.noRoomSince ?? now);
  }
}
