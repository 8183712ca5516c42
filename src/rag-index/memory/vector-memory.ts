import { decodeHalfFloats } from "../../core/bytes/half-float.ts";
import type { ChunkId } from "../../core/ids.ts";
import { chunksOf, readTotals, type Row } from "../tables.ts";
import { BestFew, type ScoredKey } from "../vectors/best-few.ts";
import { checkLength, type QueryVector } from "../vectors/query-vector.ts";
import type { ChunkChange } from "../write/write-context.ts";
import type { LiveChunk, LiveChunks, ChunkPlace } from "./live-chunks.ts";
import { MemoryBudget } from "./memory-budget.ts";

/** An isolate has 128 MB, for the vectors of all its index objects and for everything else. */
export const MEMORY_LIMIT_BYTES = 48 * 1_024 * 1_024;
export const vectorBudget = new MemoryBudget(MEMORY_LIMIT_BYTES);

type VectorRow = ChunkPlace & Row<"chunks", "id"> & Row<"contents", "vector">;
/** A search returns these facts of a chunk without reading it. */
export type LiveChunkName = LiveChunk & { id: ChunkId };

const LIVE_VECTORS = `SELECT c.chunk, c.id, c.duplicate, v.vector
  FROM contents v CROSS JOIN chunks c ON c.chunk = v.chunk WHERE c.live = 1`;

/** A small RAG takes little memory; rounded up to leave room for growth. */
const MIN_BLOCK_SIZE = 64;

const roundUpTo = (vectors: number, to: number) => Math.ceil(vectors / to) * to;

/** Places for this many vectors: whole blocks, or one smaller block for few vectors. */
const placesFor = (vectors: number) =>
  roundUpTo(vectors, vectors <= BLOCK_SIZE ? MIN_BLOCK_SIZE : BLOCK_SIZE);

export const bytesOfVectors = (vectors: number, dimensions: number): number =>
  bytesOfPlaces(placesFor(vectors), dimensions);

/** About, of a chunk's id and its entries in the maps. */
const BYTES_PER_ID = 100;

const bytesOfPlaces = (places: number, dimensions: number) =>
  places * (dimensions * BYTES_PER_COMPONENT + BYTES_PER_ID);

/** The live vectors in memory: read at the first search, then updated by each write. */
export class VectorMemory {
  readonly #dimensions: number;
  readonly #firstBlockSize: number;
  readonly #blocks: VectorBlock[] = [];
  /** Place of each chunk: block times BLOCK_SIZE plus the place in it. */
  readonly #places = new Map<number, number>();
  /** By place; null where nobody asks for names. */
  readonly #ids: ChunkId[] | null;
  readonly #free: number[] = [];
  readonly #sums = new Float64Array(BLOCK_SIZE);

  /** `expected`: number of vectors that are added next. Without ids `nameOf` knows no chunk. */
  constructor(dimensions: number, expected: number, { keepsIds = true } = {}) {
    this.#ids = keepsIds ? [] : null;
    this.#firstBlockSize = Math.min(BLOCK_SIZE, Math.max(MIN_BLOCK_SIZE, placesFor(expected)));
    this.#dimensions = dimensions;
  }

  static load(sql: SqlStorage, dimensions: number): VectorMemory {
    const memory = new VectorMemory(dimensions, readTotals(sql).chunks);
    for (const row of sql.exec<VectorRow>(LIVE_VECTORS)) memory.#add(row);
    return memory;
  }

  get bytes(): number {
    const places = this.#blocks.reduce((sum, { size }) => sum + size, 0);
    return bytesOfPlaces(places, this.#dimensions);
  }

  /** False: the added vectors do not fit any more, and this memory must be released. */
  follow(sql: SqlStorage, change: ChunkChange): boolean {
    for (const chunk of change.left) this.#remove(chunk);
    const vectors = this.#places.size + change.entered.length;
    if (bytesOfVectors(vectors, this.#dimensions) > MEMORY_LIMIT_BYTES) return false;
    this.#read(sql, change.entered);
    for (const { chunk, duplicate } of change.marks) this.#mark(chunk, duplicate);
    return true;
  }

  /** Keeps exactly these from now on; those already in memory are not read again. */
  replaceWith(sql: SqlStorage, target: ChunkPlace[]): void {
    const chunks = new Set(chunksOf(target));
    for (const chunk of this.#places.keys()) if (!chunks.has(chunk)) this.#remove(chunk);
    const entering = target.filter(({ chunk }) => !this.#places.has(chunk));
    this.#read(sql, chunksOf(entering));
    for (const { chunk, duplicate } of target) this.#mark(chunk, duplicate === 1);
  }

  nameOf(chunk: number): LiveChunkName | null {
    const place = this.#places.get(chunk);
    if (place === undefined) return null;
    const id = this.#ids?.[place];
    const block = this.#blocks[Math.floor(place / BLOCK_SIZE)];
    const at = place % BLOCK_SIZE;
    return id === undefined ? null : { chunk, id, duplicate: block?.duplicates[at] === 1 };
  }

  #read(sql: SqlStorage, chunks: number[]): void {
    const rows = sql.exec<VectorRow>(
      `${LIVE_VECTORS} AND c.chunk IN (SELECT value FROM json_each(?))`,
      JSON.stringify(chunks),
    );
    for (const row of rows) this.#add(row);
  }

  #mark(chunk: number, duplicate: boolean): void {
    const place = this.#places.get(chunk);
    if (place === undefined) return;
    const block = this.#blocks[Math.floor(place / BLOCK_SIZE)];
    if (block !== undefined) block.duplicates[place % BLOCK_SIZE] = duplicate ? 1 : 0;
  }

  scan(query: QueryVector, eligible: LiveChunks, limit: number): ScoredKey[] {
    checkLength(query, this.#dimensions);
    const best = new BestFew(limit);
    for (const block of this.#blocks) {
      block.score(query, this.#sums);
      offerBlock(block, this.#sums, eligible, best);
    }
    return best.sortItems();
  }

  #add({ chunk, id, duplicate, vector }: VectorRow): void {
    const place = this.#free.pop() ?? this.#newPlace();
    const block = this.#blocks[Math.floor(place / BLOCK_SIZE)];
    if (block === undefined) return;
    this.#places.set(chunk, place);
    if (this.#ids !== null) this.#ids[place] = id;
    block.put(place % BLOCK_SIZE, { chunk, duplicate: duplicate === 1 });
    block.putVector(place % BLOCK_SIZE, decodeHalfFloats(vector));
  }

  #newPlace(): number {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.used < last.size) {
      return (this.#blocks.length - 1) * BLOCK_SIZE + last.used;
    }
    const size = last === undefined ? this.#firstBlockSize : BLOCK_SIZE;
    this.#blocks.push(new VectorBlock(this.#dimensions, size));
    return (this.#blocks.length - 1) * BLOCK_SIZE;
  }

  #remove(chunk: number): void {
    const place = this.#places.get(chunk);
    if (place === undefined) return;
    this.#blocks[Math.floor(place / BLOCK_SIZE)]?.free(place % BLOCK_SIZE);
    this.#places.delete(chunk);
    this.#free.push(place);
  }
}

function offerBlock(block: VectorBlock, sums: Float64Array, eligible: LiveChunks, best: BestFew) {
  let { minScore } = best;
  for (let place = 0; place < block.used; place++) {
    const score = sums[place] ?? 0;
    if (score < minScore || !block.isTaken(place)) continue;
    const chunk = block.chunks[place] ?? 0;
    if (!eligible.includes({ chunk, duplicate: block.duplicates[place] === 1 })) continue;
    best.offer(chunk, score);
    minScore = best.minScore;
  }
}

/** Vectors of one block. Small enough that a dimension's row and the sums stay in the cache. */
const BLOCK_SIZE = 1_024;

/** Components are multiples of (largest / LEVELS): 2 bytes each, finer than half floats. */
const LEVELS = 32_767;

const BYTES_PER_COMPONENT = Int16Array.BYTES_PER_ELEMENT;

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
