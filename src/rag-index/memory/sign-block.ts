import type { LiveChunk } from "./live-chunks.ts";

export const SIGN_BLOCK_SIZE = 1_024;
/** Values of a byte: the length of each table of `SignCoder.tables`. */
const BYTE_VALUES = 256;

const FREE = 0;
const ORIGINAL = 1;
const DUPLICATE = 2;

/** Up to 1,024 codes, one after the other, and which chunks they are of. */
export class SignBlock {
  readonly chunks = new Float64Array(SIGN_BLOCK_SIZE);
  readonly #states = new Uint8Array(SIGN_BLOCK_SIZE);
  readonly #factors = new Float32Array(SIGN_BLOCK_SIZE);
  readonly #codes: Uint8Array;
  readonly #codeBytes: number;
  /** Places from here on were never used. */
  used = 0;

  constructor(codeBytes: number) {
    this.#codeBytes = codeBytes;
    this.#codes = new Uint8Array(SIGN_BLOCK_SIZE * codeBytes);
  }

  static bytes(codeBytes: number): number {
    const perChunk = Float64Array.BYTES_PER_ELEMENT + Float32Array.BYTES_PER_ELEMENT + 1;
    return SIGN_BLOCK_SIZE * (codeBytes + perChunk);
  }

  add({ chunk, duplicate }: LiveChunk, code: Uint8Array, factor: number): void {
    const place = this.used++;
    this.chunks[place] = chunk;
    this.#factors[place] = factor;
    this.#codes.set(code, place * this.#codeBytes);
    this.#states[place] = duplicate ? DUPLICATE : ORIGINAL;
  }

  /** Does nothing to a chunk that left: the next of equal ones is marked after the first is gone. */
  mark(place: number, duplicate: boolean): void {
    if (this.#states[place] === FREE) return;
    this.#states[place] = duplicate ? DUPLICATE : ORIGINAL;
  }

  free(place: number): void {
    this.#states[place] = FREE;
  }

  /** Null where there is none any more. */
  at(place: number): LiveChunk | null {
    const state = this.#states[place];
    if (state === FREE) return null;
    return { chunk: this.chunks[place] ?? 0, duplicate: state === DUPLICATE };
  }

  /** Writes the estimated products of a query with each vector into `estimates`, up to `used`. */
  estimate(tables: Float32Array, estimates: Float32Array): void {
    const codes = this.#codes;
    const { used } = this;
    for (let place = 0; place < used; place++) {
      const start = place * this.#codeBytes;
      let sum = 0;
      // Four at a time takes a fifth of the time; a code has a multiple of eight bytes.
      for (let byte = 0; byte < this.#codeBytes; byte += 4) {
        const at = byte * BYTE_VALUES;
        const code = start + byte;
        sum +=
          (tables[at + (codes[code] ?? 0)] ?? 0) +
          (tables[at + BYTE_VALUES + (codes[code + 1] ?? 0)] ?? 0) +
          (tables[at + 2 * BYTE_VALUES + (codes[code + 2] ?? 0)] ?? 0) +
          (tables[at + 3 * BYTE_VALUES + (codes[code + 3] ?? 0)] ?? 0);
      }
      estimates[place] = sum * (this.#factors[place] ?? 0);
    }
  }
}
