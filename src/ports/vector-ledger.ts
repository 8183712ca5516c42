import type { ChunkId, FileId, VectorId } from "../core/ids.ts";

/** One call that gives vectors to the vector index; they show together. `id` is unique. */
export type UpsertBatch = { id: number; at: number };

/** Of one file's vectors, under the folder that the file lies in. */
export type FileUpsertBatch = UpsertBatch & { folder: string };

export type StoredVector = { id: ChunkId; vectorId: VectorId };

/** A batch that searches may not see yet, and one of its vectors, which tells of them all. */
export type InFlightBatch = { id: number; at: number } & UpsertedVector;

/** `folder`: of the vector's file, without a slash at its end; empty for a file in none. */
export type UpsertedVector = { vectorId: VectorId; folder: string };

export type VectorToUpsert = UpsertedVector & {
  fileId: FileId;
  /** IEEE half floats, little-endian. */
  vector: Uint8Array;
};

/** The next vectors of a verification pass over all that the vector index should hold. */
export type VerificationPage = {
  vectors: UpsertedVector[];
  /** Of one of them, where to look for orphans; half floats. */
  sample: Uint8Array | null;
  /** What to give to `recordVerifiedPage`. */
  upTo: number;
  isLast: boolean;
};

export type LedgerFacts = {
  /** Vectors that are not known to show, staged ones among them. */
  inFlight: number;
  /** Files that moved, and whose vectors are not known to show where they lie now. */
  moved: number;
  /** The earliest time (ms) at which a vector with a tombstone is to be removed; null: there is none. */
  purgeDueAt: number | null;
};

/**
 * What one index object knows of its vectors in the vector index outside. An id is written here
 * before it is sent, and leaves when its removal is certain: nothing is held there that no ledger
 * knows.
 */
export interface VectorLedger {
  /** Oldest first, those that were seen already left out. */
  inFlightBatches(limit: number): Promise<InFlightBatch[]>;
  /** These batches were seen; those seen a while before now are trusted to show. */
  confirmSeen(batches: number[], now: number): Promise<void>;
  /** Vectors that were never sent, or before that time and were not seen since. */
  vectorsToUpsert(sentBefore: number, limit: number): Promise<VectorToUpsert[]>;
  recordUpsert(vectors: UpsertedVector[], batch: UpsertBatch): Promise<void>;
  /**
   * Of files that moved some are listed to be sent again, about so many vectors at a time; how
   * many are listed now.
   */
  queueMoved(limit: number): Promise<number>;
  /** Ids of vectors that must leave the vector index by now; listed until confirmed. */
  tombstones(now: number, limit: number): Promise<VectorId[]>;
  /** They were removed. What may have been on its way then is removed once more, later. */
  confirmRemoved(ids: VectorId[], now: number): Promise<void>;
  /** From where the verification pass stopped. */
  nextPageToVerify(limit: number): Promise<VerificationPage>;
  /** Those that no chunk stored here has, and that have no tombstone. */
  orphansAmong(ids: VectorId[]): Promise<VectorId[]>;
  /**
   * A page is verified. What is missing is sent again and found meanwhile; orphans get
   * tombstones. Returns how many of both there are.
   */
  recordVerifiedPage(
    page: { upTo: number; isLast: boolean },
    found: { missing: VectorId[]; orphans: VectorId[] },
  ): Promise<{ missing: number; orphans: number }>;
  ledger(): Promise<LedgerFacts>;
  /** Forgets some chunks, live or staged, and leaves tombstones of their vectors; whether there are more. */
  abandon(limit: number): Promise<boolean>;
}
