import type { FileCondition, MetadataFilter } from "./file-condition.ts";
import type {
  ActivationResult,
  FileFacts,
  FileVersion,
  PlacedChunk,
  ReaderChanges,
  StagedChunk,
  WrittenVersion,
} from "./index-versions.ts";
import type { CorpusSize, MatchCounts, TermStatistics } from "../text/bm25.ts";
import type { Principal, UntoldFile } from "../core/principals.ts";
import type { ChunkId, FileId, RagId } from "../core/ids.ts";
import type { FileUpsertBatch, StoredVector, UpsertBatch, VectorLedger } from "./vector-ledger.ts";

/** One index object: a RAG's generation and one of its shards (files are split by id). */
export type IndexAddress = { ragId: RagId; generation: number; shard: number };

type DescribeResult =
  | { outcome: "described" }
  | { outcome: "superseded"; revision: number }
  /** Nothing of the file is live; a version must be activated first. */
  | { outcome: "absent" };

/** `keyword`: words alone decide what is found and its order; the score stays the similarity. */
export type SearchMode = "hybrid" | "semantic" | "keyword";

/** The weights of a RAG's legs. `weight`: 0 to 1, the vector leg's share in `hybrid`. */
export type FusionRule = { mode: SearchMode; weight: number };

/** `best`: `needed` chunks above the threshold (0 to 1). `all`: every candidate, and `ids`. */
export type ReadWanted =
  | {
      kind: "best";
      rule: FusionRule;
      needed: number;
      threshold: number | null;
      /** Answer with all candidates, too: they are many times the chunks that are needed. */
      withCandidates: boolean;
      /** Answer with what each query found of the chunks, for another order of them. */
      withFinds: boolean;
      withVectors: boolean;
    }
  | { kind: "all"; ids: ChunkId[]; withVectors: boolean };

export type BestWanted = Extract<ReadWanted, { kind: "best" }>;

/** A query's scores of a chunk: its fused value, and BM25 (0: the words are not there). */
export type Find = { fused: number; lexical: number };

/** Limits the chunks that a search may see. Null or absent parts do not restrict. */
export type Restriction = {
  /** Paths or external ids, and folder paths with or without the trailing slash. */
  named: { files: string[]; folders: string[] } | null;
  metadata: MetadataFilter[];
  condition?: FileCondition;
  /**
   * Only files whose audience, recorded at `since` (ms) or later, holds one of these; of those
   * `untold` only where the index knows their revision.
   */
  readers?: { principals: Principal[]; since: number; untold?: UntoldFile[] };
};

export type SearchRequest = {
  /** `vector` null: only the lexical leg. Vectors are L2-normalised, plain numbers. */
  queries: { text: string; vector: Float32Array | null }[];
  restriction: Restriction;
  includeDuplicates: boolean;
  limitPerLeg: number;
  /** Up to this many eligible chunks a restricted search is `exact`; default 30,000. */
  exactLimit?: number;
  /**
   * Chunks that the vector leg scans for a query with a vector. `all` (default): every eligible
   * chunk. `in-flight`: the same if the plan is `exact`; else only in-flight vectors. `deep`:
   * every eligible chunk, or only in-flight ones if there are too many; `scanned` tells which.
   */
  scan?: "all" | "in-flight" | "deep";
  lexical: boolean;
  /** Yields the thread between queries; ends after so many ms or when `drop` names its leg. */
  turns?: { leg: string; remainingMs: number };
  /** Scores include the statistics they come from; of shards, also what tells ties apart. */
  mergedWith?: "rags" | "shards" | null;
  read?: ReadWanted;
};

/** `score`: BM25 (unbounded, positive) in the lexical leg, cosine (-1..1, exact) in the vector leg. */
export type Candidate = {
  id: ChunkId;
  score: number;
  /** For a merge, in the lexical leg; in the order of the statistics' terms. */
  match?: MatchCounts;
};

export type QueryCandidates = {
  lexical: Candidate[];
  vector: Candidate[];
  /** For a merge: this shard's part of the BM25 statistics. */
  statistics?: { corpus: CorpusSize; terms: TermStatistics[] } | undefined;
};

/** Decides which of equal chunks is the original: the first chunk of the file inserted first. */
export type ChunkOrigin = { id: ChunkId; duplicateKey: string; fileId: FileId; position: number };

/** The parts that Vectorize needs when it must apply the restriction itself. */
export type RestrictionPlan =
  /** There is no restriction; with `scan: "all"` the vector leg was still answered here. */
  | { kind: "none" }
  /** The vector leg was answered here, exactly. */
  | { kind: "exact" }
  /** Too many chunks for an exact scan: filter by these hashed keys in the vector index. */
  | { kind: "filtered"; chunkCount: number; elsewhere: Elsewhere };

/** Moved files whose vectors are not visible in the new folders yet; `anywhere`: too many. */
export type Elsewhere = FileId[] | "anywhere";

export type SearchReply = {
  /** In the order of the queries; empty where the best were read, unless asked for. */
  queries: QueryCandidates[];
  /** The last so many queries were not searched: the time was over. */
  unsearched: number;
  plan: RestrictionPlan;
  /** Whether the vector index may not show all chunks yet: scan those `in-flight`. */
  hasInFlight: boolean;
  /** Whether the vector leg scanned every eligible chunk. */
  scanned: boolean;
  /** For a merge of shards without duplicates: present for every candidate. */
  origins?: ChunkOrigin[];
  /**
   * Chunks that were requested; the best come first, some more than needed where similarities
   * decide.
   */
  chunks: HydratedChunk[];
  best?: BestFound;
};

/** Facts of the chunks that were read as the best. */
type BestFound = {
  /** The fused value of each. */
  values: number[];
  /** How many different chunks the legs found. */
  candidateCount: number;
  /** For each query what it found of them; empty unless asked for. */
  finds: Map<ChunkId, Find>[];
};

export type HydratedChunk = PlacedChunk &
  Pick<StagedChunk, "text" | "duplicateKey"> & {
    /** Exact cosine of this chunk and each query, in order; null where no vector was given. */
    similarities: (number | null)[];
    file: Omit<FileFacts, "metadata" | "readers">;
    fileChunks: number;
    /** Half floats; only `withVectors`. */
    vector?: Uint8Array;
  };

export type HydrateRequest = {
  ids: ChunkId[];
  /** For each of `ids` that is not eligible, the next eligible one of these is read. */
  spare?: ChunkId[];
  /** At most so many of them. */
  spareLimit?: number;
  queryVectors: (Float32Array | null)[];
  withVectors?: boolean;
  restriction: Restriction;
  includeDuplicates: boolean;
};

export type Hydration = {
  /** In the request's order; chunks that are deleted or not eligible are left out. */
  chunks: HydratedChunk[];
  /** Those of `ids` and `spare` that are eligible, whether read or not. */
  eligible: ChunkId[];
  /** Those of `ids` and `spare` left out only because an equal chunk represents them. */
  equal: ChunkId[];
};

export type IndexFacts = {
  /** Live chunks, files with a live version, chunks staged and not live. */
  chunks: number;
  files: number;
  staged: number;
  /** Vectors whose removal from the vector index is not confirmed yet. */
  tombstones: number;
};

/** A scope as the index applies it: files outside are hidden from this call on. */
export type IndexScope = { type: "path" | "externalId"; value: string };

/** Content that people left out of search: files by path, passages by duplicate key in any file. */
export type SearchExclusions = { paths: string[]; passages: string[] };

/** A live passage of a file, as it was cut. */
export type Passage = Omit<PlacedChunk, "languages"> &
  Pick<StagedChunk, "text" | "duplicateKey"> & {
    /** Whether an equal passage of the RAG represents it in searches. */
    isDuplicate: boolean;
    isExcluded: boolean;
  };

/**
 * One RAG's index. Every writing call may be repeated. Revisions order the changes of a file: a
 * call with an older one than the index knows is refused, so that removed content never returns.
 */
export interface RagIndex extends VectorLedger {
  /** Which of these files' chunks have no stored text and vector yet. */
  missing(files: { fileId: FileId; ids: ChunkId[] }[]): Promise<ChunkId[]>;
  /** Vectors of a file's chunks, staged ones included; those not stored are left out. */
  vectors(fileId: FileId, ids: ChunkId[]): Promise<{ id: ChunkId; vector: Uint8Array }[]>;
  /** Stores a few MiB, not visible yet. Returns what was added; `batch`: about to be sent. */
  stage(
    fileId: FileId,
    revision: number,
    chunks: StagedChunk[],
    batch?: FileUpsertBatch,
  ): Promise<StoredVector[]>;
  /** Replaces the file's live version in one step, duplicate marks included. */
  activateVersion(
    file: FileFacts,
    revision: number,
    chunks: PlacedChunk[],
  ): Promise<ActivationResult>;
  /** Stages and activates, about a MiB per call; results in order. `batch`: about to be sent. */
  writeVersions(versions: FileVersion[], batch?: UpsertBatch): Promise<WrittenVersion[]>;
  /** The file moved or its metadata changed, with the same content. */
  describeFile(file: FileFacts, revision: number): Promise<DescribeResult>;
  /** Removes files from every answer, at once. */
  remove(files: { fileId: FileId; revision: number }[]): Promise<void>;
  /** Hides files outside these scopes (null: none) and what is excluded, at once. */
  restrictToScopes(scopes: IndexScope[] | null, excluded?: SearchExclusions): Promise<void>;
  /** Records who may read files, known or not; the same for every search from this call on. */
  writeReaders(changes: ReaderChanges): Promise<void>;
  search(request: SearchRequest): Promise<SearchReply>;
  /** Ends the search of this leg: its caller is gone. */
  drop(leg: string): Promise<void>;
  hydrate(request: HydrateRequest): Promise<Hydration>;
  facts(): Promise<IndexFacts>;
  /** Files with a live version in order of id, for the sweep. */
  listFiles(
    after: FileId | null,
    limit: number,
  ): Promise<{ fileId: FileId; revision: number; chunkCount: number }[]>;
  /** A sample of live chunks spread over the index, for estimates; vectors as half floats. */
  sample(count: number): Promise<{ text: string; headings: string[]; vector: Uint8Array }[]>;
  /** Live passages of a file from position `from` on, in order; `total` is of the whole file. */
  passages(
    fileId: FileId,
    page: { from: number; limit: number },
  ): Promise<{ passages: Passage[]; total: number }>;
  /** Deletes everything; the object keeps no storage. */
  destroy(): Promise<void>;
}

export type RagIndexes = (address: IndexAddress) => RagIndex;
