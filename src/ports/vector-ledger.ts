import type { ChunkId, FileId, VectorId } from "../core/ids.ts";

/** One upsert call; its vectors show together. `id` is unique, `at` the time (ms) of the call. */
export type UpsertBatch = { id: number; at: number };

/** Of one file's vectors, under the folder that the file lies in. */
export type FileUpsertBatch = UpsertBatch & { folder: string };

export type StoredVector = { id: ChunkId; vectorId: VectorId };

/** A batch that may not show yet, and one of its vectors: where that shows, all do. */
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

type LedgerFacts = {
  /** Vectors that are not known to show, staged ones among them. */
  inFlight: number;
  /** Files that moved, and whose vectors are not known to show where they lie now. */
  moved: number;
  /** When (ms) the next vector with a tombstone is to be removed; null: there is none. */
  purgeDueAt: number | null;
};

/**
 * What one index object knows of its vectors in the vector index outside. An id is recorded before
 * it is upserted and forgotten once its removal is certain, so every vector there is in a ledger.
 */
export interface VectorLedger {
  /** Oldest first, without those that were seen already. */
  inFlightBatches(limit: number): Promise<InFlightBatch[]>;
  /** Marks batches as seen; those seen a while ago count as shown from now on. */
  confirmSeen(batches: number[], now: number): Promise<void>;
  /** Vectors that were never upserted, or before that time and were not seen since. */
  vectorsToUpsert(sentBefore: number, limit: number): Promise<VectorToUpsert[]>;
  recordUpsert(vectors: UpsertedVector[], batch: UpsertBatch): Promise<void>;
  /**
   * Queues about so many vectors of files that moved to be upserted again. Returns how many were
   * queued.
   */
  queueMoved(limit: number): Promise<number>;
  /** Ids of vectors that are due to be removed from the vector index; listed until confirmed. */
  tombstones(now: number, limit: number): Promise<VectorId[]>;
  /** They were removed. Each is listed once more later, for an upsert that was under way. */
  confirmRemoved(ids: VectorId[], now: number): Promise<void>;
  /** The page after the last one that was recorded. */
  nextPageToVerify(limit: number): Promise<VerificationPage>;
  /** Those that belong to no chunk stored here and have no tombstone. */
  orphansAmong(ids: VectorId[]): Promise<VectorId[]>;
  /**
   * Missing vectors are upserted again and searched here meanwhile; orphans get tombstones.
   * Returns how many of both there are.
   */
  recordVerifiedPage(
    page: { upTo: number; isLast: boolean },
    found: { missing: VectorId[]; orphans: VectorId[] },
  ): Promise<{ missing: number; orphans: number }>;
  ledger(): Promise<LedgerFacts>;
  /** Deletes some chunks, live or staged, leaving tombstones of their vectors; whether more are left. */
  abandon(limit: number): Promise<boolean>;
}
