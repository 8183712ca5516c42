import { busy } from "../errors.ts";

/** What a caller may have at once: work under way, and work that waits for its turn. */
export type TurnLimits = {
  atOnce: number;
  waiting: number;
  /** What a caller is told whose work is not even put in line. */
  refusal?: string;
};

/** Whoever waits looks by itself: one request cannot wake another. */
const LOOK_EVERY_MS = 20;
/** A request that ended without a word has left the line. */
const GONE_AFTER_MS = 1_000;
/** Work that has not ended by then never will: its request was cut off. */
const LEASE_MS = 60_000;

type Place = { seenAt: number };

const TOO_MANY = "Too many calls of this caller are waiting";
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, LOOK_EVERY_MS));

/** Long work, caller by caller: further work of one waits behind its own. One for an isolate. */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #callers = new Map<string, { running: Place[]; waiting: Place[] }>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Waits for a turn and returns what ends it. @throws QuarryError `busy`; the signal's reason */
  async begin(caller: string, signal?: AbortSignal): Promise<() => void> {
    const line = this.#callers.get(caller) ?? { running: [], waiting: [] };
    this.#callers.set(caller, line);
    const place: Place = { seenAt: Date.now() };
    const isFree = () => {
      line.running = stillThere(line.running, LEASE_MS);
      line.waiting = stillThere(line.waiting, GONE_AFTER_MS);
      return line.running.length < this.#limits.atOnce;
    };
    if (!isFree() || line.waiting.length > 0) {
      const { waiting, refusal = TOO_MANY } = this.#limits;
      if (line.waiting.length >= waiting) throw busy(refusal);
      line.waiting.push(place);
      try {
        do {
          await pause();
          signal?.throwIfAborted();
          place.seenAt = Date.now();
        } while (!isFree() || line.waiting[0] !== place);
      } finally {
        line.waiting = line.waiting.filter((other) => other !== place);
      }
    }
    line.running.push(place);
    return () => {
      line.running = line.running.filter((other) => other !== place);
      if (line.running.length + line.waiting.length === 0) this.#callers.delete(caller);
    };
  }
}

const stillThere = (places: Place[], forMs: number) =>
  places.filter(({ seenAt }) => Date.now() - seenAt <= forMs);

/** Long work of one event: whose it is, what orders it, and how it lets other events run. */
export type CallerTurns = {
  /** A credential or an address; never logged. */
  caller: string;
  searches: Turns;
  pass: () => Promise<void>;
};
