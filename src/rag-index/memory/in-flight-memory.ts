import { vectorBudget, bytesOfVectors, VectorMemory } from "./vector-memory.ts";
import type { Placed } from "./vector-memory.ts";

/** So few are read from storage at each search. */
const READ_FROM_STORAGE_LIMIT = 128;
/** As fine as what is stored, and finer. */
const LEVELS = 32_767;

const IN_FLIGHT = `SELECT c.chunk, c.file, c.duplicate FROM in_flight_vectors u
  CROSS JOIN chunks c ON c.chunk = u.chunk WHERE u.live = 1`;

/**
 * What the vector index outside may not show yet, in memory: thousands of vectors that each search
 * of the minutes after a burst looks through. Bringing 5,000 of 1,024 dimensions into memory takes
 * three times what scanning them in storage does, and scanning them there a fifth: so it is done
 * at the second search. After a write only what has come since is read.
 */
export class InFlightMemory {
  readonly #sql: SqlStorage;
  #memory: VectorMemory | null = null;
  #isCurrent = false;
  #wasAsked = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** To be called at every write. */
  outdate(): void {
    this.#isCurrent = false;
  }

  forget(): void {
    this.#memory = null;
    vectorBudget.release(this);
  }

  /** Null: they are few, or others hold the memory; then they are read from storage. */
  current(dimensions: () => number): VectorMemory | null {
    if (this.#memory !== null && this.#isCurrent) {
      vectorBudget.use(this);
      return this.#memory;
    }
    // An object that is asked once in a while loses its memory in between.
    if (!this.#wasAsked) {
      this.#wasAsked = true;
      return null;
    }
    const rows = this.#sql.exec<Placed>(IN_FLIGHT).toArray();
    if (rows.length <= READ_FROM_STORAGE_LIMIT) {
      this.forget();
      return null;
    }
    this.#memory = this.#memoryFor(rows.length, dimensions());
    this.#memory?.become(this.#sql, rows);
    this.#isCurrent = true;
    return this.#memory;
  }

  /** What is much too large is given up, so that it does not stay as large as its largest burst. */
  #memoryFor(vectors: number, dimensions: number): VectorMemory | null {
    const bytes = bytesOfVectors(vectors, dimensions, LEVELS);
    const known = this.#memory !== null && this.#memory.bytes <= 2 * bytes ? this.#memory : null;
    if (!vectorBudget.claim(this, Math.max(bytes, known?.bytes ?? 0))) return null;
    return known ?? new VectorMemory(dimensions, LEVELS, vectors);
  }
}
