import type { BitSet } from "../../core/bit-set.ts";
import type { EligibleFiles, LiveChunk } from "../memory/live-chunks.ts";

/**
 * Tells whether this call may return a chunk. A duplicate is left out only when an equal chunk
 * inserted earlier is itself eligible for this call.
 */
export class Eligibility {
  /** Null: nothing is hidden or restricted. */
  readonly files: BitSet | null;
  /** Chunks of these files. */
  readonly chunkCount: number;
  readonly #includeDuplicates: boolean;
  readonly #excluded: BitSet | null;
  readonly #chunksOf: (files: BitSet, includeDuplicates: boolean) => BitSet;
  #chunks: BitSet | null = null;

  /**
   * `chunksOf`: the chunks of these files that may be returned; asked once, when needed.
   * `excluded`: those left out of search, with all chunks that are equal to them.
   */
  constructor(
    within: EligibleFiles,
    includeDuplicates: boolean,
    chunksOf: (files: BitSet, includeDuplicates: boolean) => BitSet,
    excluded: BitSet | null = null,
  ) {
    this.files = within.files;
    this.chunkCount = within.chunkCount;
    this.#includeDuplicates = includeDuplicates;
    this.#chunksOf = chunksOf;
    this.#excluded = excluded;
  }

  includesFile(file: number): boolean {
    return this.files === null || this.files.has(file);
  }

  /** The chunks that may be returned; null: all, except excluded ones and marked duplicates. */
  get chunks(): BitSet | null {
    if (this.files === null) return null;
    return (this.#chunks ??= this.#allowedOf(this.files));
  }

  #allowedOf(files: BitSet): BitSet {
    const chunks = this.#chunksOf(files, this.#includeDuplicates);
    return this.#excluded === null ? chunks : chunks.subtract(this.#excluded);
  }

  includes({ chunk, duplicate }: LiveChunk): boolean {
    const { chunks } = this;
    if (this.#excluded?.has(chunk) === true) return false;
    return chunks === null ? !duplicate || this.#includeDuplicates : chunks.has(chunk);
  }
}
