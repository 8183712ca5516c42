import type { BitSet } from "../../core/bit-set.ts";
import type { Row } from "../tables.ts";

/** A live chunk, and whether it is marked as a duplicate; as a row of the tables. */
export type ChunkPlace = Row<"chunks", "chunk" | "duplicate">;

export type LiveChunk = { chunk: number; duplicate: boolean };

/** Chunks that a call may see: every live one, or those of the files in the set. */
export type EligibleFiles = {
  /** Null: nothing is hidden or restricted. */
  files: BitSet | null;
  /** Chunks of these files. */
  chunkCount: number;
};

/** Which live chunks a search may return. */
export type LiveChunks = { includes(chunk: LiveChunk): boolean };
