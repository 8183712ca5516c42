import { run, readTotals, type Row } from "../tables.ts";
import { BestFew, type ScoredKey } from "../vectors/best-few.ts";
import { checkLength, cosineWith, type QueryVector } from "../vectors/query-vector.ts";
import { bytesOfCode, estimateError } from "../vectors/sign-codes.ts";
import { codeIn, coderOf, storeMissingCodes } from "../vectors/stored-codes.ts";
import type { ChunkChange } from "../write/write-context.ts";
import type { LiveChunk, LiveChunks, ChunkPlace } from "./live-chunks.ts";

/** Estimated first, then scored exactly: this many more than are requested. */
const FIRST_EXTRA = 32;
/** Standard deviations below the last score found: leaves out fewer than one in 200 wrongly. */
const DEVIATIONS = 1.5;
/** A query scores at most so many vectors exactly; each takes some microseconds. */
const MAX_SCORED = 20_000;
/** Memory with more removed vectors than others is loaded again. */
const REMOVED_SHARE = 0.5;

type SignCode = ChunkPlace & Row<"sign_codes", "code">;
type StoredVector = Row<"contents", "chunk" | "vector">;

const LIVE_CODES = `SELECT c.chunk, c.duplicate, s.code
  FROM chunks c CROSS JOIN sign_codes s ON s.chunk = c.chunk WHERE c.live = 1`;

export const bytesOfSigns = (vectors: number, dimensions: number): number =>
  Math.ceil(vectors / SIGN_BLOCK_SIZE) * SignBlock.bytes(bytesOfCode(dimensions));

/** One bit a component: selects which stored vectors a query must be compared with. */
export class SignMemory {
  readonly #dimensions: number;
  readonly #blocks: SignBlock[] = [];
  /** Places below are in order of their chunks; those of later ones are listed. */
  #inOrder = 0;
  readonly #later = new Map<number, number>();
  #used = 0;
  #removed = 0;
  #estimates = new Float32Array(0);

  private constructor(dimensions: number) {
    this.#dimensions = dimensions;
  }

  static load(sql: SqlStorage, dimensions: number): SignMemory {
    const loaded = SignMemory.#read(sql, dimensions);
    if (loaded.#used >= readTotals(sql).chunks) return loaded;
    storeMissingCodes(sql);
    return SignMemory.#read(sql, dimensions);
  }

  static #read(sql: SqlStorage, dimensions: number): SignMemory {
    const memory = new SignMemory(dimensions);
    for (const row of sql.exec<SignCode>(`${LIVE_CODES} ORDER BY c.chunk`)) memory.#add(row);
    memory.#inOrder = memory.#used;
    return memory;
  }

  get bytes(): number {
    return bytesOfSigns(this.#used, this.#dimensions);
  }

  /** False: it should be loaded again. */
  follow(sql: SqlStorage, change: ChunkChange): boolean {
    for (const chunk of change.left) this.#remove(chunk);
    if (this.#removed > REMOVED_SHARE * this.#used) return false;
    if (change.entered.length > 0) this.#enter(sql, change.entered);
    for (const { chunk, duplicate } of change.marks) {
      const place = this.#placeOf(chunk);
      if (place !== null) this.#blockOf(place)?.mark(place % SIGN_BLOCK_SIZE, duplicate);
    }
    return true;
  }

  #enter(sql: SqlStorage, chunks: number[]): void {
    const entered = `${LIVE_CODES} AND c.chunk IN (SELECT value FROM json_each(?))`;
    const readEntered = () => sql.exec<SignCode>(entered, JSON.stringify(chunks)).toArray();
    let rows = readEntered();
    if (rows.length < chunks.length) {
      storeMissingCodes(sql, chunks);
      rows = readEntered();
    }
    for (const row of rows) {
      this.#later.set(row.chunk, this.#used);
      this.#add(row);
    }
  }

  /** The best eligible chunks with exact scores. */
  search(sql: SqlStorage, query: QueryVector, eligible: LiveChunks, limit: number): ScoredKey[] {
    checkLength(query, this.#dimensions);
    this.#estimate(query);
    const first = this.#bestEstimates(eligible, limit + FIRST_EXTRA, -Infinity);
    const best = new BestFew(limit);
    const scored = new Set(first);
    this.#score(sql, query, first, best);
    if (best.minScore === -Infinity || query.values.length === 0) return best.sortItems();
    const margin = DEVIATIONS * estimateError(this.#dimensions);
    const candidates = this.#bestEstimates(eligible, MAX_SCORED, best.minScore - margin);
    const unscored = candidates.filter((chunk) => !scored.has(chunk));
    this.#score(sql, query, unscored, best);
    return best.sortItems();
  }

  #estimate({ length, dimensions, values }: QueryVector): void {
    const whole = new Float32Array(length);
    dimensions.forEach((dimension, at) => (whole[dimension] = values[at] ?? 0));
    const tables = coderOf(this.#dimensions).tables(whole);
    const places = this.#blocks.length * SIGN_BLOCK_SIZE;
    if (this.#estimates.length < places) this.#estimates = new Float32Array(places);
    this.#blocks.forEach((block, at) => {
      const start = at * SIGN_BLOCK_SIZE;
      block.estimate(tables, this.#estimates.subarray(start, start + SIGN_BLOCK_SIZE));
    });
  }

  /** Chunks with the highest estimates, none below `least`; best first. */
  #bestEstimates(eligible: LiveChunks, limit: number, least: number): number[] {
    const best = new BestFew(limit);
    let bar = least;
    for (const [at, block] of this.#blocks.entries()) {
      const start = at * SIGN_BLOCK_SIZE;
      for (let place = 0; place < block.used; place++) {
        const estimate = this.#estimates[start + place] ?? 0;
        if (estimate < bar) continue;
        const chunk = block.at(place);
        if (chunk === null || !eligible.includes(chunk)) continue;
        best.offer(chunk.chunk, estimate);
        bar = Math.max(least, best.minScore);
      }
    }
    return best.sortItems().map(({ key }) => key);
  }

  #score(sql: SqlStorage, query: QueryVector, chunks: number[], best: BestFew): void {
    // Read in the order in which they are stored.
    const rows = run<StoredVector>(sql)`SELECT v.chunk, v.vector
      FROM json_each(${chunks.toSorted((a, b) => a - b)}) wanted
      CROSS JOIN contents v ON v.chunk = wanted.value`;
    for (const { chunk, vector } of rows) {
      best.offer(chunk, cosineWith(query, vector));
    }
  }

  #add({ chunk, duplicate, code }: SignCode): void {
    let block = this.#blocks.at(-1);
    if (block === undefined || block.used === SIGN_BLOCK_SIZE) {
      block = new SignBlock(bytesOfCode(this.#dimensions));
      this.#blocks.push(block);
    }
    const { signs, factor } = codeIn(code);
    block.add({ chunk, duplicate: duplicate === 1 }, signs, factor);
    this.#used++;
  }

  #remove(chunk: number): void {
    const place = this.#placeOf(chunk);
    if (place === null) return;
    this.#blockOf(place)?.free(place % SIGN_BLOCK_SIZE);
    this.#later.delete(chunk);
    this.#removed++;
  }

  #blockOf(place: number): SignBlock | undefined {
    return this.#blocks[Math.floor(place / SIGN_BLOCK_SIZE)];
  }

  #placeOf(chunk: number): number | null {
    const later = this.#later.get(chunk);
    if (later !== undefined) return later;
    let low = 0;
    let high = this.#inOrder;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#chunkAt(middle) < chunk) low = middle + 1;
      else high = middle;
    }
    return low < this.#inOrder && this.#chunkAt(low) === chunk ? low : null;
  }

  #chunkAt(place: number): number {
    return this.#blockOf(place)?.chunks[place % SIGN_BLOCK_SIZE] ?? 0;
  }
}

const SIGN_BLOCK_SIZE = 1_024;
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
