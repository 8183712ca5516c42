import { MINUTE_MS, SECOND_MS } from "./clock.ts";

/**
 * Text of documents that are worked on at once in one isolate, bytes: about four times as much
 * memory is taken for it, of the 128 MB that a Worker's isolate has.
 */
const ROOM_BYTES = 24 * 1024 * 1024;
/** No queue consumer lives longer, whatever ended it. */
const LONGEST_STAY_MS = 15 * MINUTE_MS;
/** Who has not asked again for so long has gone. */
const PATIENCE_MS = 5 * SECOND_MS;

/** Documents that are worked on together. `bytes`: their text, about. */
export type Visit = { bytes: number; until: number };

/**
 * The consumers of one isolate share its memory, and a document of 25 MiB takes most of it: they
 * take turns, first come, first served. What is too large for the room is there alone.
 */
export class DocumentRoom {
  readonly #limitBytes: number;
  #inside: Visit[] = [];
  #line: Visit[] = [];

  constructor(limitBytes = ROOM_BYTES) {
    this.#limitBytes = limitBytes;
  }

  /** Whether the visit begins; otherwise it keeps its place in the line and asks again soon. */
  enter(visit: Visit, now: number): boolean {
    this.#inside = this.#inside.filter(({ until }) => until > now);
    this.#line = this.#line.filter((other) => other === visit || other.until > now);
    if (!this.#line.includes(visit)) this.#line.push(visit);
    const isNext = this.#line[0] === visit && this.#holds(visit.bytes);
    visit.until = now + (isNext ? LONGEST_STAY_MS : PATIENCE_MS);
    if (isNext) {
      this.#line.shift();
      this.#inside.push(visit);
    }
    return isNext;
  }

  /** The visit is over, or gave up waiting. */
  leave(visit: Visit): void {
    this.#inside = this.#inside.filter((other) => other !== visit);
    this.#line = this.#line.filter((other) => other !== visit);
  }

  #holds(bytes: number): boolean {
    const taken = this.#inside.reduce((sum, visit) => sum + visit.bytes, 0);
    return taken === 0 || taken + bytes <= this.#limitBytes;
  }
}
