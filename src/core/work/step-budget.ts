/**
 * How much work a schema, pattern or text from outside may cause, in steps of some tenths of a
 * microsecond.
 */
export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** @throws BudgetSpent */
  spend(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetSpent();
  }
}

export class BudgetSpent extends Error {
  constructor() {
    super("the budget of steps is spent");
    this.name = "BudgetSpent";
  }
}
