import type { ChunkPlace } from "./live-chunks.ts";
import { vectorBudget, bytesOfVectors, VectorMemory } from "./vector-memory.ts";

/** Up to this many vectors are read from storage at each search. */
const READ_FROM_STORAGE_LIMIT = 128;

const IN_FLIGHT = `SELECT c.chunk, c.duplicate FROM in_flight_vectors u
  CROSS JOIN chunks c ON c.chunk = u.chunk WHERE u.live = 1`;

/** Loaded at the second search: that costs three scans in storage, and saves 4/5 of each one. */
export class InFlightMemory {
  readonly #sql: SqlStorage;
  #memory: VectorMemory | null = null;
  #isCurrent = false;
  #wasAsked = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  markOutdated(): void {
    this.#isCurrent = false;
  }

  forget(): void {
    this.#memory = null;
    vectorBudget.release(this);
  }

  /** Null when they are few or other holders use the memory; then they are read from storage. */
  current(dimensions: () => number): VectorMemory | null {
    if (this.#memory !== null && this.#isCurrent) {
      vectorBudget.use(this);
      return this.#memory;
    }
    // An object that is rarely searched would lose its memory between searches.
    if (!this.#wasAsked) {
      this.#wasAsked = true;
      return null;
    }
    const rows = this.#sql.exec<ChunkPlace>(IN_FLIGHT).toArray();
    if (rows.length <= READ_FROM_STORAGE_LIMIT) {
      this.forget();
      return null;
    }
    this.#memory = this.#memoryFor(rows.length, dimensions());
    this.#memory?.replaceWith(this.#sql, rows);
    this.#isCurrent = true;
    return this.#memory;
  }

  /** Frees memory that is far too large: it must not keep the size of its largest burst. */
  #memoryFor(vectors: number, dimensions: number): VectorMemory | null {
    const bytes = bytesOfVectors(vectors, dimensions);
    const reusable = this.#memory !== null && this.#memory.bytes <= 2 * bytes ? this.#memory : null;
    if (!vectorBudget.claim(this, Math.max(bytes, reusable?.bytes ?? 0))) return null;
    return reusable ?? new VectorMemory(dimensions, vectors, { keepsIds: false });
  }
}
