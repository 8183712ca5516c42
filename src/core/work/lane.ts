/** Each waiting request polls: one request cannot wake another. */
const LOOK_EVERY_MS = 20;
/** A request that has not polled for so long was cut off. */
const GONE_AFTER_MS = 1_000;

/** Work that `isAhead` goes first, then groups in turn; `beat` is called while the work waits. */
export type InLane = {
  /** Work that has not ended after so many ms never will: its request was cut off. */
  leaseMs: number;
  group?: string;
  isAhead?: boolean;
  signal?: AbortSignal | undefined;
  beat?: (() => Promise<void>) | undefined;
};

type Place = InLane & { number: number; seenAt: number };

/** Lets `atOnce` pieces of work run at once. */
export class Lane {
  readonly #atOnce: number;
  #running: Place[] = [];
  readonly #waiting = new Set<Place>();
  readonly #servedAt = new Map<string, number>();
  #number = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** The number of running and waiting pieces of work. */
  get size(): number {
    this.#next();
    return this.#running.length + this.#waiting.size;
  }

  /** Waits for a turn and returns what ends it. @throws the signal's reason */
  async begin(work: InLane): Promise<() => void> {
    work.signal?.throwIfAborted();
    const place: Place = { ...work, number: (this.#number += 1), seenAt: Date.now() };
    this.#waiting.add(place);
    try {
      while (this.#next() !== place) {
        await new Promise<void>((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
        work.signal?.throwIfAborted();
        await work.beat?.();
        place.seenAt = Date.now();
        this.#waiting.add(place);
      }
    } finally {
      this.#waiting.delete(place);
    }
    if (this.#waiting.size === 0) this.#servedAt.clear();
    this.#servedAt.set(work.group ?? "", place.number);
    place.seenAt = Date.now();
    this.#running.push(place);
    return () => void (this.#running = this.#running.filter((running) => running !== place));
  }

  /** The waiting work whose turn it is; null: none. */
  #next(): Place | null {
    const isPresent = ({ seenAt }: Place, forMs: number) => Date.now() - seenAt <= forMs;
    this.#running = this.#running.filter((place) => isPresent(place, place.leaseMs));
    const rankOf = ({ isAhead, group = "" }: Place) =>
      isAhead === true ? -1 : (this.#servedAt.get(group) ?? 0);
    let next: Place | null = null;
    for (const place of this.#waiting) {
      if (!isPresent(place, GONE_AFTER_MS)) this.#waiting.delete(place);
      else if (next === null || rankOf(place) < rankOf(next)) next = place;
    }
    return this.#running.length < this.#atOnce ? next : null;
  }
}
