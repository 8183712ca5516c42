const FIRST_CAPACITY = 1 << 12;
/** Most grams occur once or a few times. */
const WEIGHTS = Float64Array.from({ length: 256 }, (_, count) => 1 + Math.log(count));

/** Counts 32-bit hashes, in the order of their first occurrence; reused for many texts. */
export class HashCounts {
  #hashes = new Int32Array(FIRST_CAPACITY);
  /** 0 where a slot is empty, as half of them are. */
  #counts = new Int32Array(FIRST_CAPACITY);
  /** The slots in use, in the order of the first meetings. */
  #slots = new Int32Array(FIRST_CAPACITY / 2);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  clear(): void {
    for (let at = 0; at < this.#size; at++) this.#counts[this.#slots[at] ?? 0] = 0;
    this.#size = 0;
  }

  addAll(hashes: Int32Array): void {
    while (this.#size + hashes.length > this.#slots.length) this.#grow();
    const last = this.#counts.length - 1;
    for (let at = 0; at < hashes.length; at++) {
      const hash = hashes[at] ?? 0;
      let slot = hash & last;
      while (this.#counts[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & last;
      if (this.#counts[slot] === 0) {
        this.#hashes[slot] = hash;
        this.#slots[this.#size++] = slot;
      }
      this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
    }
  }

  /** Adds 1 + ln count of each hash, its lowest bit as the sign, where its other bits say. */
  addWeightsTo(vector: Float64Array): void {
    const { length } = vector;
    for (let at = 0; at < this.#size; at++) {
      const slot = this.#slots[at] ?? 0;
      const hash = this.#hashes[slot] ?? 0;
      const count = this.#counts[slot] ?? 0;
      const weight = WEIGHTS[count] ?? 1 + Math.log(count);
      const position = (hash >>> 1) % length;
      vector[position] = (vector[position] ?? 0) + (hash & 1 ? -weight : weight);
    }
  }

  #grow(): void {
    const [hashes, counts, slots, size] = [this.#hashes, this.#counts, this.#slots, this.#size];
    const capacity = 2 * counts.length;
    this.#hashes = new Int32Array(capacity);
    this.#counts = new Int32Array(capacity);
    this.#slots = new Int32Array(capacity / 2);
    this.#size = 0;
    for (let at = 0; at < size; at++) {
      const slot = slots[at] ?? 0;
      this.addAll(hashes.subarray(slot, slot + 1));
      this.#counts[this.#slots[at] ?? 0] = counts[slot] ?? 0;
    }
  }
}
