import type { LiveChunk } from "./live-chunks.ts";
import type { QueryVector } from "../vectors/query-vector.ts";

/** Vectors of one block. Small enough that a dimension's row and the sums stay in the cache. */
export const BLOCK_SIZE = 1_024;

/** Components are multiples of (largest / LEVELS): 2 bytes each, finer than half floats. */
const LEVELS = 32_767;

export const BYTES_PER_COMPONENT = Int16Array.BYTES_PER_ELEMENT;

/** Up to 1,024 vectors by dimension: a scan skips the dimensions in which the query is 0. */
export class VectorBlock {
  /** Capacity in vectors. */
  readonly size: number;
  readonly chunks: Float64Array;
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
    this.duplicates = new Uint8Array(size);
    this.#taken = new Uint8Array(size);
    this.#scales = new Float32Array(size);
    this.#components = new Int16Array(dimensions * size);
    this.#dimensions = dimensions;
  }

  isTaken(place: number): boolean {
    return this.#taken[place] === 1;
  }

  put(place: number, entry: LiveChunk): void {
    this.chunks[place] = entry.chunk;
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
  score(query: QueryVector, sums: Float64Array): void {
    const { used } = this;
    sums.fill(0, 0, used);
    for (let at = 0; at < query.dimensions.length; at += 4) this.#addFour(query, at, sums);
    for (let place = 0; place < used; place++) {
      sums[place] = (sums[place] ?? 0) * (this.#scales[place] ?? 0);
    }
  }

  /** Four dimensions from `at` on (0 beyond the last), so that each sum is loaded once for them. */
  #addFour(query: QueryVector, at: number, sums: Float64Array): void {
    const { used } = this;
    const components = this.#components;
    const rowA = this.#rowOf(query, at);
    const rowB = this.#rowOf(query, at + 1);
    const rowC = this.#rowOf(query, at + 2);
    const rowD = this.#rowOf(query, at + 3);
    const { values } = query;
    const a = values[at] ?? 0;
    const b = values[at + 1] ?? 0;
    const c = values[at + 2] ?? 0;
    const d = values[at + 3] ?? 0;
    for (let place = 0; place < used; place++) {
      sums[place] =
        (sums[place] ?? 0) +
        a * (components[rowA + place] ?? 0) +
        b * (components[rowB + place] ?? 0) +
        c * (components[rowC + place] ?? 0) +
        d * (components[rowD + place] ?? 0);
    }
  }

  /** Where the components of a dimension of the query begin. */
  #rowOf({ dimensions }: QueryVector, at: number): number {
    return (dimensions[at] ?? 0) * this.size;
  }
}
