import { busy } from "../errors.ts";

/** What a caller may have at once: work under way, and work that waits for its turn. */
export type TurnLimits = { atOnce: number; waiting: number };

/**
 * Long work, caller by caller: a caller's further work waits behind its own and takes no time
 * from others. Shared by all events of an isolate.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #callers = new Map<string, { running: number; waiting: (() => void)[] }>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Waits until this caller may begin; to be ended by `end`.
   * @throws QuarryError `busy` when too much of this caller's work waits already; the signal's
   * reason when it is aborted first.
   */
  async begin(caller: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const of = this.#callers.get(caller) ?? { running: 0, waiting: [] };
    this.#callers.set(caller, of);
    if (of.running < this.#limits.atOnce) {
      of.running += 1;
      return;
    }
    if (of.waiting.length >= this.#limits.waiting) throw busy();
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        of.waiting.splice(of.waiting.indexOf(begin), 1);
        reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
      };
      signal.addEventListener("abort", leave, { once: true });
      of.waiting.push(begin);
    });
  }

  end(caller: string): void {
    const of = this.#callers.get(caller);
    if (of === undefined) return;
    const next = of.waiting.shift();
    if (next !== undefined) next();
    else if (of.running > 1) of.running -= 1;
    else this.#callers.delete(caller);
  }
}

/** Long work of one event: whose it is, what orders it, and how it lets other events run. */
export type CallerTurns = {
  /** A credential or an address; never logged. */
  caller: string;
  searches: Turns;
  pass: () => Promise<void>;
};
