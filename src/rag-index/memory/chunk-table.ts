import { BitSet } from "../../core/bit-set.ts";
import { hash32 } from "../../core/hash.ts";
import { readTotals } from "../tables.ts";
import type { ChunkChange } from "../write/write-context.ts";
import { copyInto, CachedValue, MemoryBudget } from "./memory-budget.ts";

const MIB = 1_024 * 1_024;
/** Bounds the tables of all index objects of an isolate; a full shard has 250,000 chunks. */
const tablesBudget = new MemoryBudget(16 * MIB);
/** Its number, file and key; a share of the two sets. */
const BYTES_A_CHUNK = 24;
/** A table with more removed chunks than others is loaded again. */
const REMOVED_SHARE = 0.5;

const LIVE = `SELECT chunk, file, duplicate, duplicate_key FROM chunks WHERE live = 1`;
const OF_FILES = `SELECT c.chunk, c.file, c.duplicate, c.duplicate_key FROM json_each(?) f
  CROSS JOIN chunks c ON c.file = f.value AND c.live = 1`;
const OF_CHUNKS = `${LIVE} AND chunk IN (SELECT value FROM json_each(?))`;

type Row = [chunk: number, file: number, duplicate: number, key: string];

/** 52 bits of a duplicate key: of 250,000 chunks, two unequal ones share them once in 100,000 times. */
const keyOf = (text: string) => hash32(text) * 2 ** 20 + (hash32(text, 1) >>> 12);

/** Finds the chunks that a restriction allows, and equal chunks, without reading them. */
export class ChunkTable {
  #chunks = new Uint32Array(0);
  #files = new Uint32Array(0);
  #keys = new Float64Array(0);
  #used = 0;
  #removed = 0;
  readonly #live = new BitSet();
  readonly #duplicates = new BitSet();

  /** Only the chunks of these files. */
  static loadFiles(sql: SqlStorage, files: Iterable<number>): ChunkTable {
    const table = new ChunkTable();
    table.#addAll(sql.exec(OF_FILES, JSON.stringify([...files])).raw<Row>());
    return table;
  }

  get bytes(): number {
    return this.#chunks.length * BYTES_A_CHUNK;
  }

  static loadAll(sql: SqlStorage): ChunkTable {
    const table = new ChunkTable();
    table.#grow(readTotals(sql).chunks);
    table.#addAll(sql.exec(LIVE).raw<Row>());
    return table;
  }

  /** False: it should be loaded again. */
  follow(sql: SqlStorage, { left: removals, entered, marks }: ChunkChange): boolean {
    for (const chunk of removals) this.#live.delete(chunk);
    this.#removed += removals.length;
    if (this.#removed > REMOVED_SHARE * this.#used) return false;
    if (entered.length > 0) {
      this.#addAll(sql.exec(OF_CHUNKS, JSON.stringify(entered)).raw<Row>());
    }
    for (const { chunk, duplicate } of marks) {
      if (duplicate) this.#duplicates.add(chunk);
      else this.#duplicates.delete(chunk);
    }
    return true;
  }

  /** Its chunks in these files; of equal ones only the first, unless duplicates are included. */
  chunksIn(files: BitSet, includeDuplicates: boolean): BitSet {
    const eligible = new BitSet();
    const firstOfKey = new Map<number, number>();
    for (let at = 0; at < this.#used; at++) {
      const chunk = this.#chunks[at] ?? 0;
      if (!this.#live.has(chunk) || !files.has(this.#files[at] ?? 0)) continue;
      if (includeDuplicates || !this.#duplicates.has(chunk)) eligible.add(chunk);
      else firstOfKey.set(this.#keys[at] ?? 0, Infinity);
    }
    if (firstOfKey.size === 0) return eligible;
    this.#findFirst(files, firstOfKey);
    for (const chunk of firstOfKey.values()) eligible.add(chunk);
    return eligible;
  }

  #findFirst(files: BitSet, firstOfKey: Map<number, number>): void {
    for (let at = 0; at < this.#used; at++) {
      const first = firstOfKey.get(this.#keys[at] ?? 0);
      const chunk = this.#chunks[at] ?? 0;
      if (first === undefined || chunk >= first) continue;
      if (this.#live.has(chunk) && files.has(this.#files[at] ?? 0)) {
        firstOfKey.set(this.#keys[at] ?? 0, chunk);
      }
    }
  }

  #addAll(rows: Iterable<Row>): void {
    for (const [chunk, file, duplicate, key] of rows) {
      if (this.#used === this.#chunks.length) this.#grow(2 * this.#used + 64);
      this.#chunks[this.#used] = chunk;
      this.#files[this.#used] = file;
      this.#keys[this.#used] = keyOf(key);
      this.#used += 1;
      this.#live.add(chunk);
      if (duplicate === 1) this.#duplicates.add(chunk);
    }
  }

  #grow(places: number): void {
    this.#chunks = copyInto(new Uint32Array(places), this.#chunks);
    this.#files = copyInto(new Uint32Array(places), this.#files);
    this.#keys = copyInto(new Float64Array(places), this.#keys);
  }
}

/** The table of one index object: loaded by the first wide restriction, then kept up to date. */
export class KeptChunkTable {
  readonly #sql: SqlStorage;
  readonly #kept = new CachedValue<ChunkTable>(tablesBudget);

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  forget(): void {
    this.#kept.forget();
  }

  follow(change: ChunkChange): void {
    if (this.#kept.value?.follow(this.#sql, change) === false) this.forget();
  }

  /** `fewFiles`: the files of the restriction, where reading their chunks alone is cheaper. */
  read(fewFiles: BitSet | null): ChunkTable {
    const loadsFew = this.#kept.value === null && fewFiles !== null;
    if (loadsFew) return ChunkTable.loadFiles(this.#sql, fewFiles);
    return this.#kept.read(() => ChunkTable.loadAll(this.#sql));
  }
}
