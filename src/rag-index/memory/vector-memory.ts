import { decodeHalfFloats } from "../../core/half-float.ts";
import { BestFew } from "../vectors/best-few.ts";
import type { Scored } from "../vectors/best-few.ts";
import type { IndexChange } from "../write/write-context.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { checkLength } from "../vectors/query-vector.ts";
import type { QueryVector } from "../vectors/query-vector.ts";
import { readTotals } from "../totals.ts";
import { BLOCK_SIZE, bytesPerComponent, VectorBlock } from "./vector-block.ts";
import type { Levels } from "./vector-block.ts";

/** An isolate has 128 MB, for the vectors of all its index objects and for everything else. */
export const MEMORY_LIMIT_BYTES = 48 * 1_024 * 1_024;
export const vectorBudget = new MemoryBudget(MEMORY_LIMIT_BYTES);
/** How many more candidates than requested are kept where scores only preselect. */
const PRESELECTION_FACTOR = 2;
const PRESELECTION_EXTRA = 32;

/** A live chunk, its file, and whether it is marked as a duplicate. */
export type Placed = { chunk: number; file: number; duplicate: number };
type Row = Placed & { vector: ArrayBuffer };

export type LiveChunk = { chunk: number; file: number; duplicate: boolean };
/** Which live chunks a search may return. */
type LiveChunks = { includes(chunk: LiveChunk): boolean };

const LIVE_VECTORS = `SELECT c.chunk, c.file, c.duplicate, v.vector
  FROM vectors v CROSS JOIN chunks c ON c.chunk = v.chunk WHERE c.live = 1`;

/** A small RAG takes little memory; rounded up to leave room for growth. */
const SMALLEST_BLOCK = 64;

const roundedUp = (vectors: number, to: number) => Math.ceil(vectors / to) * to;

/** Places for this many vectors: whole blocks, or one smaller block for few vectors. */
const placesFor = (vectors: number) =>
  roundedUp(vectors, vectors <= BLOCK_SIZE ? SMALLEST_BLOCK : BLOCK_SIZE);

/** The memory that this many vectors take. */
export function bytesOfVectors(vectors: number, dimensions: number, levels: Levels): number {
  return placesFor(vectors) * dimensions * bytesPerComponent(levels);
}

/** The finest levels with which this many vectors fit into memory; null: they do not fit. */
export function levelsFor(vectors: number, dimensions: number): Levels | null {
  const fits = (levels: Levels) =>
    bytesOfVectors(vectors, dimensions, levels) <= MEMORY_LIMIT_BYTES;
  if (fits(32_767)) return 32_767;
  return fits(127) ? 127 : null;
}

/** The live vectors in memory: read at the first search, then updated by each write. */
export class VectorMemory {
  readonly #dimensions: number;
  readonly #levels: Levels;
  readonly #firstBlockSize: number;
  readonly #blocks: VectorBlock[] = [];
  /** Place of each chunk: block times BLOCK_SIZE plus the place in it. */
  readonly #places = new Map<number, number>();
  readonly #free: number[] = [];
  readonly #sums = new Float32Array(BLOCK_SIZE);

  /** `expected`: number of vectors that are added next. */
  constructor(dimensions: number, levels: Levels, expected: number) {
    this.#firstBlockSize = Math.min(BLOCK_SIZE, Math.max(SMALLEST_BLOCK, placesFor(expected)));
    this.#dimensions = dimensions;
    this.#levels = levels;
  }

  static load(sql: SqlStorage, dimensions: number, levels: Levels): VectorMemory {
    const memory = new VectorMemory(dimensions, levels, readTotals(sql).chunks);
    for (const row of sql.exec<Row>(LIVE_VECTORS)) memory.#add(row);
    return memory;
  }

  /** Its share of the isolate's memory. */
  get bytes(): number {
    const places = this.#blocks.reduce((sum, { size }) => sum + size, 0);
    return places * this.#dimensions * bytesPerComponent(this.#levels);
  }

  /** Whether scores come from coarse components and must be computed again from the stored ones. */
  get onlyPreselects(): boolean {
    return this.#levels === 127;
  }

  /** False: the added vectors do not fit any more, and this memory must be released. */
  follow(sql: SqlStorage, change: IndexChange): boolean {
    for (const chunk of change.left) this.#remove(chunk);
    const vectors = this.#places.size + change.entered.length;
    if (levelsFor(vectors, this.#dimensions) !== this.#levels) return false;
    this.#read(sql, change.entered);
    for (const { chunk, duplicate } of change.marks) this.#mark(chunk, duplicate);
    return true;
  }

  /** Keeps exactly these from now on; those already in memory are not read again. */
  become(sql: SqlStorage, wanted: Placed[]): void {
    const chunks = new Set(wanted.map(({ chunk }) => chunk));
    for (const chunk of this.#places.keys()) if (!chunks.has(chunk)) this.#remove(chunk);
    const entering = wanted.filter(({ chunk }) => !this.#places.has(chunk));
    this.#read(
      sql,
      entering.map(({ chunk }) => chunk),
    );
    for (const { chunk, duplicate } of wanted) this.#mark(chunk, duplicate === 1);
  }

  #read(sql: SqlStorage, chunks: number[]): void {
    const rows = sql.exec<Row>(
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

  /** The best eligible chunks, more than `limit` where scores only preselect. */
  scan(query: QueryVector, eligible: LiveChunks, limit: number): Scored[] {
    checkLength(query, this.#dimensions);
    const kept = this.onlyPreselects ? limit * PRESELECTION_FACTOR + PRESELECTION_EXTRA : limit;
    const best = new BestFew(kept);
    for (const block of this.#blocks) {
      block.score(query, this.#sums);
      offerBlock(block, this.#sums, eligible, best);
    }
    return best.sorted();
  }

  #add({ chunk, file, duplicate, vector }: Row): void {
    const place = this.#free.pop() ?? this.#newPlace();
    const block = this.#blocks[Math.floor(place / BLOCK_SIZE)];
    if (block === undefined) return;
    this.#places.set(chunk, place);
    block.put(place % BLOCK_SIZE, { chunk, file, duplicate: duplicate === 1 });
    block.putVector(place % BLOCK_SIZE, decodeHalfFloats(vector));
  }

  #newPlace(): number {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.used < last.size) {
      return (this.#blocks.length - 1) * BLOCK_SIZE + last.used;
    }
    const size = last === undefined ? this.#firstBlockSize : BLOCK_SIZE;
    this.#blocks.push(new VectorBlock(this.#dimensions, this.#levels, size));
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

function offerBlock(
  block: VectorBlock,
  sums: Float32Array,
  eligible: LiveChunks,
  best: BestFew,
): void {
  let { bar } = best;
  for (let place = 0; place < block.used; place++) {
    const score = sums[place] ?? 0;
    if (score < bar || !block.isTaken(place)) continue;
    const chunk = block.chunks[place] ?? 0;
    const file = block.files[place] ?? 0;
    if (!eligible.includes({ chunk, file, duplicate: block.duplicates[place] === 1 })) continue;
    best.offer(chunk, score);
    bar = best.bar;
  }
}
