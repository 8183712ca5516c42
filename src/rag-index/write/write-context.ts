import type { RagIndex } from "../../ports/rag-index.ts";
import type { ChunkText } from "../../text/indexed-words.ts";
import type { TermCounts } from "./term-counts.ts";

/** A chunk whose duplicate mark may have changed. */
export type DuplicateMark = { chunk: number; duplicate: boolean };

/** Changes that a write makes in the live chunks, in this order, to update in-memory state. */
export type ChunkChange = { left: number[]; entered: number[]; marks: DuplicateMark[] };

/** `words`: they changed. `files`: whose visibility, audience or count of chunks may have. */
export type IndexChange = ChunkChange & { words: boolean; files: number[] };

export const noChange = (): IndexChange => {
  return { left: [], entered: [], marks: [], words: false, files: [] };
};

/** The passages whose words a write removed, and whether that left work for maintenance. */
export type Removals = { passages: number; leavesRest: boolean };

export const noRemovals = (): Removals => ({ passages: 0, leavesRest: false });

/** `written`: what this transaction stored of it; null where that is to be read. */
export type UnindexedChunk = { chunk: number; written: ChunkText | null };

export type WriteContext = {
  sql: SqlStorage;
  termCounts: TermCounts;
  change: IndexChange;
  removals: Removals;
  /** Chunks whose words are indexed together at the end of the transaction. */
  unindexed: UnindexedChunk[];
};

/** A method of `RagIndex` on the tables; a writing one is called inside a transaction. */
export type Verb<Name extends keyof RagIndex> = (
  context: WriteContext,
  ...args: Parameters<RagIndex[Name]>
) => Awaited<ReturnType<RagIndex[Name]>>;
