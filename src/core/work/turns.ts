import { busy } from "../errors.ts";
import { Lane } from "./lane.ts";

/** Limits of a caller: work under way, and work that waits for its turn. */
export type TurnLimits = {
  atOnce: number;
  waiting: number;
  /** The message to a caller whose work is not even put in line. */
  refusal?: string;
};

/** Work that has not ended by then never will: its request was cut off. */
const LEASE_MS = 60_000;

const TOO_MANY = "Too many calls of this caller are waiting";

/** Long work, caller by caller: further work of one waits behind its own. One for an isolate. */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #lanes = new Map<string, Lane>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Waits for a turn and returns what ends it. @throws QuarryError `busy`; the signal's reason */
  async begin(caller: string, signal?: AbortSignal): Promise<() => void> {
    const { atOnce, waiting, refusal = TOO_MANY } = this.#limits;
    const lane = this.#lanes.get(caller) ?? new Lane(atOnce);
    this.#lanes.set(caller, lane);
    if (lane.size >= atOnce + waiting) throw busy(refusal);
    const end = await lane.begin({ leaseMs: LEASE_MS, signal });
    return () => {
      end();
      if (lane.size === 0) this.#lanes.delete(caller);
    };
  }
}

/** Long work of one event: whose it is, what orders it, and how it lets other events run. */
export type CallerTurns = {
  /** A credential or an address; never logged. */
  caller: string;
  searches: Turns;
  pass: () => Promise<void>;
};
