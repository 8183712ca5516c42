/** How long at least one piece of work was under way, ms: what runs side by side counts once. */
export class TimeTogether {
  ms = 0;
  readonly #now: () => number;
  #running = 0;
  #since = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  async measure<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running === 0) this.#since = this.#now();
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.ms += this.#now() - this.#since;
    }
  }
}
