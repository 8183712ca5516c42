export type Scored = { key: number; score: number };

const isBetter = (a: Scored, b: Scored) =>
  a.score > b.score || (a.score === b.score && a.key < b.key);

/** Keeps the best few of many items: a binary heap with the worst kept one on top. */
export class BestFew {
  readonly #limit: number;
  readonly #heap: Scored[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The score that an item must reach to be kept. */
  get bar(): number {
    const worst = this.#heap[0];
    return worst === undefined || this.#heap.length < this.#limit ? -Infinity : worst.score;
  }

  /** `score` must not be below the bar. */
  offer(key: number, score: number): void {
    const entry = { key, score };
    if (this.#heap.length < this.#limit) {
      this.#heap.push(entry);
      this.#rise(this.#heap.length - 1);
      return;
    }
    const worst = this.#heap[0];
    if (worst === undefined || !isBetter(entry, worst)) return;
    this.#heap[0] = entry;
    this.#sink();
  }

  /** Best first; equal scores in order of key. */
  sorted(): Scored[] {
    return this.#heap.toSorted((a, b) => b.score - a.score || a.key - b.key);
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const above = (at - 1) >> 1;
      if (!this.#swapIfWorse(at, above)) return;
      at = above;
    }
  }

  #sink(): void {
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const worse = this.#isWorse(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfWorse(worse, at)) return;
      at = worse;
    }
  }

  #isWorse(a: number, b: number): boolean {
    const [first, second] = [this.#heap[a], this.#heap[b]];
    return first !== undefined && second !== undefined && isBetter(second, first);
  }

  #swapIfWorse(low: number, high: number): boolean {
    const [below, above] = [this.#heap[low], this.#heap[high]];
    if (below === undefined || above === undefined || !isBetter(above, below)) return false;
    this.#heap[low] = above;
    this.#heap[high] = below;
    return true;
  }
}
