const BITS_POWER = 5;
const BIT_MASK = 31;

/** A set of small whole numbers, one bit for each up to the largest. */
export class BitSet {
  #words: Uint32Array;

  constructor(values: Iterable<number> = []) {
    this.#words = new Uint32Array(1);
    for (const value of values) this.add(value);
  }

  has(value: number): boolean {
    return ((this.#words[value >>> BITS_POWER] ?? 0) & (1 << (value & BIT_MASK))) !== 0;
  }

  add(value: number): void {
    const word = value >>> BITS_POWER;
    if (word >= this.#words.length) this.#grow(word + 1);
    this.#words[word] = (this.#words[word] ?? 0) | (1 << (value & BIT_MASK));
  }

  delete(value: number): void {
    const word = value >>> BITS_POWER;
    if (word < this.#words.length) {
      this.#words[word] = (this.#words[word] ?? 0) & ~(1 << (value & BIT_MASK));
    }
  }

  intersect(operand: BitSet): this {
    return this.#combine((bits, at) => bits & (operand.#words[at] ?? 0));
  }

  unite(operand: BitSet): this {
    this.#grow(operand.#words.length);
    return this.#combine((bits, at) => bits | (operand.#words[at] ?? 0));
  }

  subtract(operand: BitSet): this {
    return this.#combine((bits, at) => bits & ~(operand.#words[at] ?? 0));
  }

  copy(): BitSet {
    const copy = new BitSet();
    copy.#words = this.#words.slice();
    return copy;
  }

  /** Counted at each call. */
  get size(): number {
    let size = 0;
    for (let word of this.#words) for (; word !== 0; word &= word - 1) size += 1;
    return size;
  }

  /** In ascending order. */
  *[Symbol.iterator](): Generator<number> {
    for (let word = 0; word < this.#words.length; word++) {
      for (let rest = this.#words[word] ?? 0; rest !== 0; rest &= rest - 1) {
        yield (word << BITS_POWER) + BIT_MASK - Math.clz32(rest & -rest);
      }
    }
  }

  #combine(combined: (word: number, at: number) => number): this {
    for (let at = 0; at < this.#words.length; at++) {
      this.#words[at] = combined(this.#words[at] ?? 0, at);
    }
    return this;
  }

  #grow(words: number): void {
    if (words <= this.#words.length) return;
    const grown = new Uint32Array(Math.max(words, 2 * this.#words.length));
    grown.set(this.#words);
    this.#words = grown;
  }
}
