/** One value: 8 bytes of key, 2 of value. */
const ENTRY_BYTES = 10;
const LARGEST_VALUE = 65_535;
const KEY_BYTES = 8;

/**
 * Small numbers by name, each name remembered as a 53-bit hash: 10 bytes for an address, however
 * long. Two of 100,000 names are taken for one another in about one crawl of a million.
 */
export class CompactMap {
  readonly #values = new Map<number, number>();
  #changed = new Set<number>();

  get(name: string): number | undefined {
    return this.#values.get(keyOf(name));
  }

  /** @param value 0 to 65,535; what is more counts as that */
  set(name: string, value: number): void {
    const key = keyOf(name);
    this.#values.set(key, Math.min(value, LARGEST_VALUE));
    this.#changed.add(key);
  }

  /** What was set since the last call, for `add` of another one. */
  takeChanges(): Uint8Array {
    const keys = [...this.#changed];
    this.#changed = new Set();
    return this.#bytesOf(keys);
  }

  everything(): Uint8Array {
    return this.#bytesOf([...this.#values.keys()]);
  }

  add(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + ENTRY_BYTES <= bytes.byteLength; at += ENTRY_BYTES) {
      this.#values.set(view.getFloat64(at), view.getUint16(at + KEY_BYTES));
    }
  }

  #bytesOf(keys: number[]): Uint8Array {
    const view = new DataView(new ArrayBuffer(keys.length * ENTRY_BYTES));
    for (const [index, key] of keys.entries()) {
      view.setFloat64(index * ENTRY_BYTES, key);
      view.setUint16(index * ENTRY_BYTES + KEY_BYTES, this.#values.get(key) ?? 0);
    }
    return new Uint8Array(view.buffer);
  }
}

const HIGH_BITS = 21;
const LOW_RANGE = 2 ** 32;

/** Two multiplicative hashes of 32 bits, of which 53 make a whole number. */
function keyOf(name: string): number {
  let low = 0x9e3779b9;
  let high = 0x7f4a7c15;
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x85ebca6b);
    low ^= low >>> 15;
    high = Math.imul(high + unit, 0xc2b2ae35);
    high ^= high >>> 13;
  }
  low = Math.imul(low ^ (low >>> 16), 0x27d4eb2f);
  high = Math.imul(high ^ (high >>> 16), 0x165667b1);
  return (high >>> (32 - HIGH_BITS)) * LOW_RANGE + ((low ^ (low >>> 15)) >>> 0);
}
