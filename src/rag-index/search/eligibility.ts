import type { LiveChunk } from "../memory/live-chunks.ts";
import type { EligibleFiles } from "./resolve-restriction.ts";

const EQUALS_A_PAGE = 256;

/**
 * Tells whether this call may return a chunk. A duplicate is left out only when an equal chunk
 * inserted earlier is itself eligible for this call.
 */
export class Eligibility {
  readonly #sql: SqlStorage;
  /** Null: nothing is hidden or restricted. */
  readonly files: EligibleFiles["files"];
  /** Chunks of these files. */
  readonly chunkCount: number;
  readonly #includeDuplicates: boolean;
  /** The first eligible chunk of a key, looked up once per call. */
  readonly #firstOfKey = new Map<string, number>();

  constructor(sql: SqlStorage, within: EligibleFiles, includeDuplicates: boolean) {
    this.#sql = sql;
    this.files = within.files;
    this.chunkCount = within.chunkCount;
    this.#includeDuplicates = includeDuplicates;
  }

  includesFile(file: number): boolean {
    return this.files === null || this.files.has(file);
  }

  includes({ chunk, file, duplicate }: LiveChunk): boolean {
    if (!this.includesFile(file)) return false;
    if (!duplicate || this.#includeDuplicates) return true;
    // When every file is eligible, the duplicate mark alone decides.
    return this.files !== null && this.#firstEligible(chunk) === chunk;
  }

  #firstEligible(chunk: number): number {
    const { key } = this.#sql
      .exec<{ key: string }>("SELECT duplicate_key AS key FROM chunks WHERE chunk = ?", chunk)
      .one();
    const known = this.#firstOfKey.get(key);
    if (known !== undefined) return known;
    const first = this.#readFirstEligible(key) ?? chunk;
    this.#firstOfKey.set(key, first);
    return first;
  }

  /** Read in pages, each to its end: an abandoned cursor would keep its statement busy. */
  #readFirstEligible(key: string): number | null {
    for (let after = 0; ;) {
      const equals = this.#sql
        .exec<{ chunk: number; file: number }>(
          `SELECT chunk, file FROM chunks
            WHERE duplicate_key = ? AND live = 1 AND chunk > ? ORDER BY chunk LIMIT ?`,
          key,
          after,
          EQUALS_A_PAGE,
        )
        .toArray();
      const first = equals.find(({ file }) => this.includesFile(file));
      if (first !== undefined) return first.chunk;
      const last = equals.at(-1);
      if (last === undefined || equals.length < EQUALS_A_PAGE) return null;
      after = last.chunk;
    }
  }
}
