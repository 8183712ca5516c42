export type Scored = { key: number; score: number };

/** Keeps the best few of many items: collects twice as many, then cuts. */
export class BestFew {
  readonly #limit: number;
  readonly #kept: Scored[] = [];
  #bar = -Infinity;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** An item with a lower score is not kept. */
  get bar(): number {
    return this.#bar;
  }

  offer(key: number, score: number): void {
    if (score < this.#bar) return;
    this.#kept.push({ key, score });
    if (this.#kept.length >= 2 * this.#limit) this.sorted();
  }

  /** Best first; equal scores in order of key. */
  sorted(): Scored[] {
    this.#kept.sort((a, b) => b.score - a.score || a.key - b.key);
    this.#kept.splice(this.#limit);
    this.#bar = this.#kept[this.#limit - 1]?.score ?? -Infinity;
    return this.#kept;
  }
}
