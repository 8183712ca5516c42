import type { ChunkId, FileId, RagId } from "../core/ids.ts";

/** A nearest-neighbour index outside the RAG's own object. Writes may show minutes later. */
export interface VectorIndex {
  upsert(space: VectorSpace, vectors: IndexedVector[]): Promise<void>;
  /** Deletes by id; ids that are not there are no error. */
  remove(space: VectorSpace, ids: ChunkId[]): Promise<void>;
  /** Best first; scores may be approximate. */
  query(
    space: VectorSpace,
    vector: Float32Array,
    options: { topK: number; filter: VectorFilter | null },
  ): Promise<{ id: ChunkId; score: number }[]>;
  /** Writes up to this time (ms) can be seen by queries. */
  processedUpTo(): Promise<number>;
}

export type VectorSpace = { ragId: RagId; generation: number };

export type IndexedVector = {
  id: ChunkId;
  values: Float32Array;
  fileId: FileId;
  /** The file's ancestor folders, outermost first, without trailing slashes. */
  folders: string[];
};

export type VectorFilter = { fileIds: FileId[] } | { folders: string[] };
