import type { ChunkId, FileId, VectorId } from "../core/ids.ts";

/** One upsert call, whose vectors become visible together. `at`: its time (ms). */
export type UpsertBatch = { id: number; at: number };

/** The batch for one file's vectors, under the folder of the file. */
export type FileUpsertBatch = UpsertBatch & { folder: string };

export type StoredVector = { id: ChunkId; vectorId: VectorId };

/** A batch that may not be visible yet, and one of its vectors: if that is visible, all are. */
type InFlightBatch = { id: number; at: number } & UpsertedVector;

/** `folder`: of the vector's file, without a trailing slash; empty for a file in none. */
type UpsertedVector = { vectorId: VectorId; folder: string };

export type VectorToUpsert = UpsertedVector & {
  fileId: FileId;
  /** IEEE half floats, little-endian. */
  vector: Uint8Array;
};

/** The next vectors of a verification pass over all that the vector index should contain. */
type VerificationPage = {
  vectors: UpsertedVector[];
  /** The vector of one of them, near which orphans are searched for; half floats. */
  sample: Uint8Array | null;
  /** The argument for `recordVerifiedPage`. */
  upTo: number;
  isLast: boolean;
};

type LedgerFacts = {
  /** Vectors not known to be visible, staged ones included. */
  inFlight: number;
  /** Moved files whose vectors are not known to be visible under their current folder. */
  moved: number;
  /** When (ms) the next vector with a tombstone is to be removed; null: there is none. */
  purgeDueAt: number | null;
};

/** An index object's record of its vectors: an id stays in it until its removal is certain. */
export interface VectorLedger {
  /** Oldest first, without those seen already. */
  inFlightBatches(limit: number): Promise<InFlightBatch[]>;
  /** Marks batches as seen; those seen long enough ago count as visible from now on. */
  confirmSeen(batches: number[], now: number): Promise<void>;
  /** Vectors that were never upserted, or were upserted before that time and not seen since. */
  vectorsToUpsert(sentBefore: number, limit: number): Promise<VectorToUpsert[]>;
  recordUpsert(vectors: UpsertedVector[], batch: UpsertBatch): Promise<void>;
  /** Queues about `limit` vectors of moved files to be upserted again; returns how many. */
  queueMoved(limit: number): Promise<number>;
  /** Ids of vectors that are due to be removed from the vector index; listed until confirmed. */
  tombstones(now: number, limit: number): Promise<VectorId[]>;
  /** Confirms their removal; each is listed once more later, for an upsert then in progress. */
  confirmRemoved(ids: VectorId[], now: number): Promise<void>;
  /** The page after the last one recorded. */
  nextPageToVerify(limit: number): Promise<VerificationPage>;
  /** Ids that belong to no chunk stored here and have no tombstone. */
  orphansAmong(ids: VectorId[]): Promise<VectorId[]>;
  /** Upserts missing vectors again and gives orphans tombstones; returns how many of both. */
  recordVerifiedPage(
    page: { upTo: number; isLast: boolean },
    found: { missing: VectorId[]; orphans: VectorId[] },
  ): Promise<{ missing: number; orphans: number }>;
  ledger(): Promise<LedgerFacts>;
  /** Deletes chunks and makes tombstones for their vectors; returns whether more are left. */
  abandon(limit: number): Promise<boolean>;
}
