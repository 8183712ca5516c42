import { wholeCharacterEnd } from "../whole-character.ts";

/** Yields the thread to other work; throws when the time for this work is over. */
export type YieldToOthers = () => Promise<void>;

export const yieldNow: YieldToOthers = () => new Promise((resolve) => setTimeout(resolve));

/** Long work in steps: each step yields how many characters or bytes it processed, roughly. */
export type CooperativeWork<T> = Generator<number, T, void>;

/**
 * Less than a tenth of a second of the slowest work. No clock is read: that of a Worker stands
 * still while the Worker computes.
 */
const CHARACTERS_BETWEEN_YIELDS = 1 << 15;

/** Characters that count for a line, an item, a unit or a part next to its text. */
export const ITEM_COST = 16;

/** Shorter steps are not worth reporting. */
const MIN_STEP_CHARACTERS = 1 << 12;

/** Progress of work that reads a text from its beginning. */
export class Progress {
  #reported: number;

  constructor(from = 0) {
    this.#reported = from;
  }

  /** Reports the characters since the last report, unless they are too few. */
  *advanceTo(at: number): CooperativeWork<void> {
    const length = at - this.#reported;
    if (length < MIN_STEP_CHARACTERS) return;
    this.#reported = at;
    yield length;
  }
}

/** Characters of which a step of quick work is made. */
const PART_CHARACTERS = 1 << 13;

/** Work on a text part by part, until it returns false. No part ends within a character. */
export function* walkParts(
  text: string,
  work: (part: string, at: number) => boolean | void,
): CooperativeWork<void> {
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = wholeCharacterEnd(text, at + PART_CHARACTERS);
    if (work(text.slice(at, end), at) === false) return;
    yield end - at;
  }
}

/** Does all of the work without yielding the thread. */
export function runToEnd<T>(work: CooperativeWork<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Awaits `yieldToOthers` at intervals of all the work it runs; an error thrown there ends it. */
export class Pace {
  readonly #yieldToOthers: YieldToOthers;
  readonly #between: number;
  #length = 0;
  /** The turns of simultaneous work follow each other. */
  #last: Promise<void> = Promise.resolve();

  constructor(yieldToOthers: YieldToOthers, between = CHARACTERS_BETWEEN_YIELDS) {
    this.#yieldToOthers = yieldToOthers;
    this.#between = between;
  }

  /** To be awaited with each piece of work of so many characters. */
  async count(length: number): Promise<void> {
    this.#length += length;
    if (this.#length < this.#between) return;
    this.#length = 0;
    await (this.#last = this.#last.then(this.#yieldToOthers));
  }

  async run<T>(work: CooperativeWork<T>): Promise<T> {
    for (let step = work.next(); ; step = work.next()) {
      if (step.done === true) return step.value;
      if (this.#length + step.value < this.#between) this.#length += step.value;
      else await this.count(step.value);
    }
  }
}

export const runCooperatively = <T>(
  work: CooperativeWork<T>,
  yieldToOthers: YieldToOthers,
): Promise<T> => new Pace(yieldToOthers).run(work);
