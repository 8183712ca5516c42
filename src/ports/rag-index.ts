import type { ChunkId, FileId, RagId } from "../core/ids.ts";
import type { Principal, UntoldFile } from "../core/principals.ts";
import type { CorpusSize, TermStatistics } from "../text/bm25.ts";
import type { FileCondition, MetadataFilter } from "./file-condition.ts";
import type {
  ActivationResult,
  FileFacts,
  FileVersion,
  PlacedChunk,
  ReaderChanges,
  StagedChunk,
  StoredVersion,
  VersionCursor,
  WrittenVersion,
} from "./index-versions.ts";
import type { Nearest } from "./vector-index.ts";
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

/** Both legs, their fusion and the texts of the best, in one call. */
export type SearchRequest = {
  /**
   * Several are followed by their joined text. `vector` null: only the lexical leg. Vectors are
   * L2-normalised, plain numbers. With matches of a vector index (`nearest`), only the vectors that
   * it may not show yet are scanned here.
   */
  queries: { text: string; vector: Float32Array | null; nearest?: Nearest }[];
  restriction: Restriction;
  includeDuplicates: boolean;
  limitPerLeg: number;
  lexical: boolean;
  rule: FusionRule;
  /** Chunks above the threshold (0 to 1) that are read. */
  needed: number;
  threshold: number | null;
  withVectors: boolean;
  /** Scans every eligible vector in place of `nearest`, unless there are too many. */
  deep?: boolean;
  /** What is found is compared with other indexes: `statistics` are added, and some more is read. */
  merged?: boolean;
  /** Yields the thread between queries; ends after so many ms or when `drop` names its leg. */
  turns?: { leg: string; remainingMs: number };
};

/** Null where the leg does not have a chunk among its candidates for the query. */
export type LegScores = { lexical: number | null; vector: number | null };

/** BM25 is computed from these: all chunks that are searched, and a query's words in them. */
export type WordStatistics = { corpus: CorpusSize; terms: TermStatistics[] };

/** The scores of all candidates of a query, best first. */
export type QueryScores = {
  lexical: number[];
  vector: number[];
  /** Chunks of `nearest` from its floor on that are left out because an equal one is shown. */
  equal: number;
  /** Present in a `merged` search. */
  statistics?: WordStatistics | undefined;
};

/**
 * How a vector index applies a restriction. `exact`: not at all, the index object scans all that is
 * eligible. Else it filters, and looks for moved files by themselves, whose vectors may not be
 * visible in the new folders yet; `anywhere`: there are too many.
 */
export type RestrictionPlan = "exact" | "anywhere" | FileId[];

export type SearchReply = {
  /** In no order; some more than needed where similarities or other indexes decide. */
  chunks: HydratedChunk[];
  /** In the order of the queries. */
  queries: QueryScores[];
  /** 0 to 1: how much the queries belong together. */
  relation: number;
  /** How many different chunks the legs found. */
  candidates: number;
  /** The last so many queries were not searched: the time was over. */
  unsearched: number;
  /** Whether the vector leg scanned every eligible chunk. */
  scanned: boolean;
};

export type HydratedChunk = PlacedChunk &
  Pick<StagedChunk, "text" | "duplicateKey"> & {
    /** Exact cosine of this chunk and each query, in order; null where no vector was given. */
    similarities: (number | null)[];
    /** By query. */
    scores: LegScores[];
    file: Omit<FileFacts, "metadata" | "readers">;
    fileChunks: number;
    /** Half floats; only `withVectors`. */
    vector?: Uint8Array;
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
  /** Up to `exactLimit` eligible chunks a restricted search is `exact`. */
  planRestriction(restriction: Restriction, exactLimit?: number): Promise<RestrictionPlan>;
  search(request: SearchRequest): Promise<SearchReply>;
  /** Ends the search of this leg: its caller is gone. */
  drop(leg: string): Promise<void>;
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
  /**
   * Live versions of files with texts and vectors, about 4 MiB at most, to copy them; a file that
   * is not live is left out. `next`: null when all are read.
   */
  readVersions(
    cursor: VersionCursor,
  ): Promise<{ versions: StoredVersion[]; next: VersionCursor | null }>;
  /** Deletes everything; the object keeps no storage. */
  destroy(): Promise<void>;
}

export type RagIndexes = (address: IndexAddress) => RagIndex;
