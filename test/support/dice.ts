import { hash32 } from "../../src/core/hash.ts";

const MODULUS = 2 ** 32;

/**
 * Equal numbers for equal seeds, so that a failing run can be repeated: a 32-bit linear
 * congruential generator. Seeds that are near each other begin alike; roll them with another one.
 */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Below `sides`. */
  roll(sides: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / MODULUS) * sides);
  }

  chance(probability: number): boolean {
    return this.roll(1_000) < probability * 1_000;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.roll(items.length)];
    if (item === undefined) throw new Error("there is nothing to pick from");
    return item;
  }

  shuffle<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, order: this.roll(MODULUS) }))
      .sort((a, b) => a.order - b.order)
      .map(({ item }) => item);
  }
}

/** A number below this that is the same for a step and its use at every run. */
export const chance = (step: number, use: string, below: number) =>
  hash32(`${use} ${step}`) % below;

export const pickAt = <T>(list: readonly T[], step: number, use: string) =>
  list[chance(step, use, list.length)] as T;
