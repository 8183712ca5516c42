import type { QueryVector } from "../vectors/query-vector.ts";

/** Vectors of one block. Small enough that a dimension's row and the sums stay in the cache. */
export const BLOCK_SIZE = 1_024;

/**
 * Components are multiples of (largest component / LEVELS): 2 bytes each, finer than the stored
 * half floats.
 */
const LEVELS = 32_767;

export const BYTES_PER_COMPONENT = Int16Array.BYTES_PER_ELEMENT;

/**
 * Up to 1,024 vectors, stored dimension by dimension: a scan then reads only the dimensions in
 * which the query is not 0, each of them sequentially.
 */
export class VectorBlock {
  /** Capacity in vectors. */
  readonly size: number;
  readonly chunks: Float64Array;
  readonly files: Int32Array;
  readonly duplicates: Uint8Array;
  /** 0 where there is no vector. */
  readonly #taken: Uint8Array;
  readonly #scales: Float32Array;
  readonly #components: Int16Array;
  readonly #dimensions: number;
  /** Places from here on were never used. */
  used = 0;

  constructor(dimensions: number, size = BLOCK_SIZE) {
    this.size = size;
    this.chunks = new Float64Array(size);
    this.files = new Int32Array(size);
    this.duplicates = new Uint8Array(size);
    this.#taken = new Uint8Array(size);
    this.#scales = new Float32Array(size);
    this.#components = new Int16Array(dimensions * size);
    this.#dimensions = dimensions;
  }

  isTaken(place: number): boolean {
    return this.#taken[place] === 1;
  }

  put(place: number, entry: { chunk: number; file: number; duplicate: boolean }): void {
    this.chunks[place] = entry.chunk;
    this.files[place] = entry.file;
    this.duplicates[place] = entry.duplicate ? 1 : 0;
    this.#taken[place] = 1;
    this.used = Math.max(this.used, place + 1);
  }

  putVector(place: number, vector: Float32Array): void {
    let largest = 0;
    for (let at = 0; at < vector.length; at++) {
      largest = Math.max(largest, Math.abs(vector[at] ?? 0));
    }
    const scale = largest / LEVELS;
    this.#scales[place] = scale;
    const factor = scale === 0 ? 0 : 1 / scale;
    for (let at = 0; at < this.#dimensions; at++) {
      this.#components[at * this.size + place] = Math.round((vector[at] ?? 0) * factor);
    }
  }

  free(place: number): void {
    this.#taken[place] = 0;
  }

  /** Writes the dot product of each vector with the query into `sums`, up to `used`. */
  score(query: QueryVector, sums: Float32Array): void {
    const { used } = this;
    sums.fill(0, 0, used);
    const { length } = query.dimensions;
    const inFours = length - (length % 4);
    for (let at = 0; at < inFours; at += 4) {
      const [a, b] = [this.#term(query, at), this.#term(query, at + 1)];
      addFour([a, b, this.#term(query, at + 2), this.#term(query, at + 3)], sums);
    }
    for (let at = inFours; at < length; at++) addOne(this.#term(query, at), sums);
    for (let place = 0; place < used; place++) {
      sums[place] = (sums[place] ?? 0) * (this.#scales[place] ?? 0);
    }
  }

  #term({ dimensions, values }: QueryVector, at: number): Term {
    const from = (dimensions[at] ?? 0) * this.size;
    const components = this.#components.subarray(from, from + this.used);
    return { value: values[at] ?? 0, components };
  }
}

/** A dimension of the query, and what the vectors have there. */
type Term = { value: number; components: Int16Array };

function addOne({ value, components }: Term, sums: Float32Array): void {
  for (let place = 0; place < components.length; place++) {
    sums[place] = (sums[place] ?? 0) + value * (components[place] ?? 0);
  }
}

/** As one after the other, rounded as often, but each sum is loaded and stored once. */
function addFour([a, b, c, d]: [Term, Term, Term, Term], sums: Float32Array): void {
  const [ofA, ofB, ofC, ofD] = [a.components, b.components, c.components, d.components];
  const [forA, forB, forC, forD] = [a.value, b.value, c.value, d.value];
  for (let place = 0; place < ofA.length; place++) {
    let sum = Math.fround((sums[place] ?? 0) + forA * (ofA[place] ?? 0));
    sum = Math.fround(sum + forB * (ofB[place] ?? 0));
    sum = Math.fround(sum + forC * (ofC[place] ?? 0));
    sums[place] = sum + forD * (ofD[place] ?? 0);
  }
}
