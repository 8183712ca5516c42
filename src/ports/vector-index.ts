import type { ChunkId, FileId, RagId, VectorId } from "../core/ids.ts";

/** A nearest-neighbour index; writes may become visible minutes later. */
export interface VectorIndex {
  upsert(space: VectorSpace, vectors: IndexedVector[]): Promise<void>;
  /** Deletes by id; unknown ids are no error. */
  remove(ids: VectorId[]): Promise<void>;
  query(
    space: VectorSpace,
    vector: Float32Array,
    options: { topK: number; filter: VectorFilter | null },
  ): Promise<Nearest>;
  /** Ids of those that are visible in their folder by now. */
  findPresent(vectors: { vectorId: VectorId; folder: string }[]): Promise<Set<VectorId>>;
  /** Ids of some vectors near this one: the index cannot list all of its vectors. */
  findNear(space: VectorSpace, vector: Float32Array): Promise<VectorId[]>;
  /** Time (ms) of the last write that was processed; 0: none. */
  processedUpTo(): Promise<number>;
}

/** `score`: BM25 (unbounded, positive) of a search by words, cosine (-1 to 1) of one by vectors. */
export type Candidate = { id: ChunkId; score: number };

export type Nearest = {
  /** Best first, each chunk once; scores may be approximate. */
  matches: Candidate[];
  /** There may be more results with scores up to this one; null: these are all. */
  floor: number | null;
};

export type VectorSpace = { ragId: RagId; generation: number };

export type IndexedVector = {
  id: VectorId;
  values: Float32Array;
  fileId: FileId;
  /** The folder of the file, without a trailing slash; empty for a file in none. */
  folder: string;
};

/** Vectors of any of these files, or in any of these folders. */
export type VectorFilter = { fileIds?: FileId[]; folders?: string[] };
