/** Steps (some tenths of a microsecond) that outside schemas, patterns or texts may cause. */
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
