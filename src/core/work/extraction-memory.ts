import { MINUTE_MS, SECOND_MS } from "../time.ts";

/** Document text that one isolate works on at a time: it needs about four times this, of 128 MB. */
const LIMIT_BYTES = 24 * 1024 * 1024;
/** No queue consumer runs longer than this. */
const MAX_HOLD_MS = 15 * MINUTE_MS;
/** A reservation that is not requested again within this time is dropped from the queue. */
const MAX_WAIT_MS = 5 * SECOND_MS;

/** Memory for a group of documents. `bytes`: the estimated size of their text. */
export type Reservation = { bytes: number; until: number };

/** Shares an isolate's memory in order of arrival; what is above the limit is granted alone. */
export class ExtractionMemory {
  readonly #limitBytes: number;
  #granted: Reservation[] = [];
  #waiting: Reservation[] = [];

  constructor(limitBytes = LIMIT_BYTES) {
    this.#limitBytes = limitBytes;
  }

  /** If not granted, it keeps its place in the queue and must be requested again. */
  reserve(reservation: Reservation, now: number): boolean {
    this.#granted = this.#granted.filter(({ until }) => until > now);
    this.#waiting = this.#waiting.filter(
      (waiting) => waiting === reservation || waiting.until > now,
    );
    if (!this.#waiting.includes(reservation)) this.#waiting.push(reservation);
    const isNext = this.#waiting[0] === reservation && this.#hasRoomFor(reservation.bytes);
    reservation.until = now + (isNext ? MAX_HOLD_MS : MAX_WAIT_MS);
    if (isNext) {
      this.#waiting.shift();
      this.#granted.push(reservation);
    }
    return isNext;
  }

  /** Call when the work is over, or has given up waiting. */
  release(reservation: Reservation): void {
    this.#granted = this.#granted.filter((granted) => granted !== reservation);
    this.#waiting = this.#waiting.filter((waiting) => waiting !== reservation);
  }

  #hasRoomFor(bytes: number): boolean {
    const grantedBytes = this.#granted.reduce((sum, reservation) => sum + reservation.bytes, 0);
    return grantedBytes === 0 || grantedBytes + bytes <= this.#limitBytes;
  }
}
