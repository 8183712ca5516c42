/**
 * RaBitQ (Gao and Long, SIGMOD 2024, arXiv:2405.12497): signs of rotated components, one bit each,
 * estimate products with an unquantised query. The rotation is a randomised Hadamard transform, so
 * the error does not depend on the data.
 */
const BITS_A_BYTE = 8;
const MIN_BITS = 64;
const BYTE_VALUES = 256;
/** Twice, because one round leaves vectors with few components that are not 0 too regular. */
const ROUNDS = 2;
/** Part of the stored form: with another one, stored codes would mean something else. */
const SEED = 0x5eed_c0de;

/** The transform needs a power of two; missing components are 0. */
const bitsOf = (dimensions: number) => Math.max(MIN_BITS, 2 ** Math.ceil(Math.log2(dimensions)));

export const bytesOfCode = (dimensions: number) => bitsOf(dimensions) / BITS_A_BYTE;

/** Standard deviation of an estimated product with a unit query: sqrt(pi / 2 - 1) / sqrt(bits). */
export const estimateError = (dimensions: number) =>
  Math.sqrt((Math.PI / 2 - 1) / bitsOf(dimensions));

/** mulberry32, as a sequence of signs. */
function signsFrom(seed: number, count: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) & 1 ? 1 : -1;
  });
}

/** In place, of values with these signs. */
function hadamard(values: Float32Array, signs: Float32Array): void {
  const { length } = values;
  for (let at = 0; at < length; at++) values[at] = (values[at] ?? 0) * (signs[at] ?? 1);
  for (let step = 1; step < length; step *= 2) {
    for (let block = 0; block < length; block += 2 * step) {
      for (let at = block; at < block + step; at++) {
        const a = values[at] ?? 0;
        const b = values[at + step] ?? 0;
        values[at] = a + b;
        values[at + step] = a - b;
      }
    }
  }
}

/** Makes and reads the codes of vectors of one size. Not for two uses at a time: it has one scratch. */
export class SignCoder {
  readonly bytes: number;
  readonly #signs: Float32Array[];
  readonly #rotated: Float32Array;

  constructor(dimensions: number) {
    const bits = bitsOf(dimensions);
    this.bytes = bits / BITS_A_BYTE;
    this.#rotated = new Float32Array(bits);
    this.#signs = Array.from({ length: ROUNDS }, (_, round) => signsFrom(SEED + round, bits));
  }

  /** Writes the signs to `code`; returns the factor from signed sum to estimated product. */
  encode(vector: ArrayLike<number>, code: Uint8Array, at: number): number {
    const rotated = this.#rotate(vector);
    let sum = 0;
    let squares = 0;
    for (let byte = 0; byte < this.bytes; byte++) {
      let signs = 0;
      for (let bit = 0; bit < BITS_A_BYTE; bit++) {
        const value = rotated[byte * BITS_A_BYTE + bit] ?? 0;
        sum += Math.abs(value);
        squares += value * value;
        signs |= Number(value > 0) << bit;
      }
      code[at + byte] = signs;
    }
    return sum === 0 ? 0 : squares / sum;
  }

  /** For each byte of a code and each value of it, the signed sum of the query's components. */
  tables(query: ArrayLike<number>): Float32Array {
    const rotated = this.#rotate(query);
    const tables = new Float32Array(this.bytes * BYTE_VALUES);
    for (let byte = 0; byte < this.bytes; byte++) {
      const start = byte * BYTE_VALUES;
      for (let bit = 0; bit < BITS_A_BYTE; bit++) {
        tables[start] = (tables[start] ?? 0) - (rotated[byte * BITS_A_BYTE + bit] ?? 0);
      }
      // Each value is one with its highest bit less, and twice that bit's component.
      for (let value = 1; value < BYTE_VALUES; value++) {
        const bit = 31 - Math.clz32(value);
        const component = rotated[byte * BITS_A_BYTE + bit] ?? 0;
        tables[start + value] = (tables[start + value - (1 << bit)] ?? 0) + 2 * component;
      }
    }
    return tables;
  }

  #rotate(vector: ArrayLike<number>): Float32Array {
    const rotated = this.#rotated;
    rotated.fill(0);
    rotated.set(vector);
    for (const signs of this.#signs) hadamard(rotated, signs);
    const scale = rotated.length ** (-ROUNDS / 2);
    for (let at = 0; at < rotated.length; at++) rotated[at] = (rotated[at] ?? 0) * scale;
    return rotated;
  }
}
