import type { ChunkId, FileId, VectorId } from "../core/ids.ts";

/** One call that gives vectors to the vector index; they show together. `id` is unique. */
export type Sending = { id: number; at: number };

/** Of one file's vectors, under the folder that the file lies in. */
export type FileSending = Sending & { folder: string };

export type StoredVector = { id: ChunkId; vectorId: VectorId };

/** A sending that searches may not see yet, and one of its vectors, which tells of them all. */
export type UnshownSending = { id: number; at: number } & SentVector;

/** `folder`: of the vector's file, without a slash at its end; empty for a file in none. */
export type SentVector = { vectorId: VectorId; folder: string };

export type VectorToSend = SentVector & {
  fileId: FileId;
  /** IEEE half floats, little-endian. */
  vector: Uint8Array;
};

/** The next vectors of a walk over all that the vector index should hold. */
export type LedgerPage = {
  vectors: SentVector[];
  /** Of one of them, where to look for strangers; half floats. */
  sample: Uint8Array | null;
  /** What to give to `passPage`. */
  upTo: number;
  isLast: boolean;
};

export type LedgerFacts = {
  /** Vectors that are not known to show, staged ones among them. */
  unshown: number;
  /** Files that moved, and whose vectors are not known to show where they lie now. */
  moved: number;
  /** The earliest time (ms) at which a dead vector is to be removed; null: there is none. */
  deadDueAt: number | null;
};

/**
 * What one index object knows of its vectors in the vector index outside. An id is written here
 * before it is sent, and leaves when its removal is certain: nothing is held there that no ledger
 * knows.
 */
export interface VectorLedger {
  /** Oldest first, those that were seen already left out. */
  unshownSendings(limit: number): Promise<UnshownSending[]>;
  /** These sendings were seen; those seen a while before now are trusted to show. */
  confirmSeen(sendings: number[], now: number): Promise<void>;
  /** Vectors that were never sent, or before that time and were not seen since. */
  vectorsToSend(sentBefore: number, limit: number): Promise<VectorToSend[]>;
  noteSending(vectors: SentVector[], sending: Sending): Promise<void>;
  /**
   * Of files that moved some are listed to be sent again, about so many vectors at a time; how
   * many are listed now.
   */
  queueMoved(limit: number): Promise<number>;
  /** Ids of vectors that must leave the vector index by now; listed until confirmed. */
  deadVectors(now: number, limit: number): Promise<VectorId[]>;
  /** They were removed. What may have been on its way then is removed once more, later. */
  confirmDead(ids: VectorId[], now: number): Promise<void>;
  /** Where the last walk stopped. */
  nextPage(limit: number): Promise<LedgerPage>;
  /** Those that no chunk stored here has, and that are not dead either. */
  strangersAmong(ids: VectorId[]): Promise<VectorId[]>;
  /**
   * The walk has passed a page. What is missing is sent again and found meanwhile; strangers that
   * the ledger does not know are dead. Returns how many of both there are.
   */
  passPage(
    page: { upTo: number; isLast: boolean },
    found: { missing: VectorId[]; strangers: VectorId[] },
  ): Promise<{ missing: number; strangers: number }>;
  ledger(): Promise<LedgerFacts>;
  /** Forgets some chunks, live or staged, whose vectors are dead then; whether there are more. */
  abandon(limit: number): Promise<boolean>;
}
