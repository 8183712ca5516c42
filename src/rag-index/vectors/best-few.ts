export type ScoredKey = { key: number; score: number };

/** Keeps the best few of many items: a binary heap with the worst kept one on top. */
export class BestFew {
  readonly #limit: number;
  /** By places in the heap; two lists of numbers make no objects. */
  readonly #keys: number[] = [];
  readonly #scores: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The score that an item must reach to be kept. */
  get minScore(): number {
    return this.#scores.length < this.#limit ? -Infinity : (this.#scores[0] ?? -Infinity);
  }

  /** `score` must not be below the bar. */
  offer(key: number, score: number): void {
    const { length } = this.#keys;
    if (length < this.#limit) this.#rise(length, key, score);
    else if (length > 0 && this.#isWorse(0, key, score)) this.#sink(key, score);
  }

  /** Best first; equal scores in order of key. */
  sortItems(): ScoredKey[] {
    return this.#keys
      .map((key, at): ScoredKey => ({ key, score: this.#scores[at] ?? 0 }))
      .sort((a, b) => b.score - a.score || a.key - b.key);
  }

  /** Puts a new item at the end, or above it. */
  #rise(end: number, key: number, score: number): void {
    let at = end;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.#isWorse(above, key, score)) break;
      this.#move(above, at);
      at = above;
    }
    this.#keys[at] = key;
    this.#scores[at] = score;
  }

  /** Puts an item in place of the worst one, or below it. */
  #sink(key: number, score: number): void {
    let at = 0;
    for (;;) {
      const child = 2 * at + 1;
      if (child >= this.#keys.length) break;
      const worst = this.#worseOf(child, child + 1);
      if (!this.#isWorse(worst, key, score)) break;
      this.#move(worst, at);
      at = worst;
    }
    this.#keys[at] = key;
    this.#scores[at] = score;
  }

  /** The worse of two neighbours; the second may be behind the end. */
  #worseOf(a: number, b: number): number {
    if (b >= this.#keys.length) return a;
    return this.#isWorse(b, this.#keys[a] ?? 0, this.#scores[a] ?? 0) ? b : a;
  }

  #move(from: number, to: number): void {
    this.#keys[to] = this.#keys[from] ?? 0;
    this.#scores[to] = this.#scores[from] ?? 0;
  }

  #isWorse(at: number, key: number, score: number): boolean {
    const own = this.#scores[at] ?? 0;
    return own < score || (own === score && (this.#keys[at] ?? 0) > key);
  }
}
