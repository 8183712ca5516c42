import type { ChunkId, FileId } from "../core/ids.ts";
import type {
  CandidatesReply,
  CandidatesRequest,
  DescribeResult,
  FileFacts,
  ActivationResult,
  HydrateRequest,
  Hydration,
  IndexFacts,
  IndexScope,
  PlacedChunk,
  StagedChunk,
} from "../ports/rag-index.ts";
import type { FileUpsertBatch, StoredVector } from "../ports/vector-ledger.ts";
import { abandonChunks } from "./write/remove-chunks.ts";
import { removeFile } from "./write/remove-file.ts";
import { describeLive, activateVersion } from "./write/activate-version.ts";
import { noChange } from "./index-change.ts";
import type { IndexChange } from "./index-change.ts";
import { POSTINGS_LIMIT } from "./search/query-terms.ts";
import { listLiveFiles, sampleChunks } from "./reconciliation.ts";
import { prepareSchema } from "./schema.ts";
import { restrictToScopes } from "./write/scopes.ts";
import { Search } from "./search/search.ts";
import { missingChunks, stageChunks, storedVectors } from "./write/staging.ts";
import { TermCounts } from "./write/term-counts.ts";
import { readTotals } from "./totals.ts";
import { LedgerStore } from "./vectors/vector-ledger.ts";
import { VectorLeg } from "./search/vector-leg.ts";

/**
 * One RAG's index over the SQLite storage of a Durable Object: each verb of `RagIndex`, in the
 * calling thread. A write is one transaction; what is kept in memory follows when it is through.
 */
export class IndexStore {
  readonly ledger: LedgerStore;
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #termCounts: TermCounts;
  readonly #vectorLeg: VectorLeg;
  readonly #search: Search;

  /** `postingsLimit`: see POSTINGS_LIMIT; benchmarks measure what other bounds cost. */
  constructor(storage: DurableObjectStorage, { postingsLimit = POSTINGS_LIMIT } = {}) {
    prepareSchema(storage);
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#termCounts = new TermCounts(storage.sql);
    this.#vectorLeg = new VectorLeg(storage.sql);
    this.ledger = new LedgerStore(storage, () => this.#vectorLeg.inFlightChanged());
    const parts = { termCounts: this.#termCounts, vectorLeg: this.#vectorLeg, postingsLimit };
    this.#search = new Search(storage.sql, parts);
  }

  missing(fileId: FileId, ids: ChunkId[]): ChunkId[] {
    return missingChunks(this.#sql, fileId, ids);
  }

  vectors(fileId: FileId, ids: ChunkId[]) {
    return storedVectors(this.#sql, fileId, ids);
  }

  stage(
    fileId: FileId,
    revision: number,
    chunks: StagedChunk[],
    batch?: FileUpsertBatch,
  ): StoredVector[] {
    return this.#write(() => stageChunks(this.#sql, { fileId, revision, batch }, chunks));
  }

  activateVersion(facts: FileFacts, revision: number, chunks: PlacedChunk[]): ActivationResult {
    return this.#write((change) =>
      activateVersion(this.#sql, this.#termCounts, change, { facts, revision, chunks }),
    );
  }

  describeFile(facts: FileFacts, revision: number): DescribeResult {
    return this.#write(() => describeLive(this.#sql, facts, revision));
  }

  remove(files: { fileId: FileId; revision: number }[]): void {
    this.#write((change) => {
      for (const file of files) removeFile(this.#sql, this.#termCounts, change, file);
    });
  }

  restrictToScopes(scopes: IndexScope[] | null): void {
    this.#write(() => restrictToScopes(this.#sql, scopes));
  }

  candidates(request: CandidatesRequest): CandidatesReply {
    return this.#search.candidates(request);
  }

  candidatesWithChunks(request: CandidatesRequest, ids: ChunkId[]) {
    return this.#search.candidatesWithChunks(request, ids);
  }

  hydrate(request: HydrateRequest): Hydration {
    return this.#search.hydrate(request);
  }

  facts(): IndexFacts {
    const { chunks, files, staged, tombstones } = readTotals(this.#sql);
    return { chunks, files, staged, tombstones };
  }

  listFiles(after: FileId | null, limit: number) {
    return listLiveFiles(this.#sql, after, limit);
  }

  sample(count: number) {
    return sampleChunks(this.#sql, count);
  }

  abandon(limit: number): boolean {
    return this.#write((change) => abandonChunks(this.#sql, this.#termCounts, change, limit));
  }

  #write<Result>(work: (change: IndexChange) => Result): Result {
    const change = noChange();
    this.#search.forget();
    try {
      const result = this.#storage.transactionSync(() => work(change));
      this.#vectorLeg.follow(change);
      return result;
    } catch (error) {
      this.#termCounts.forget();
      this.#vectorLeg.forget();
      throw error;
    }
  }
}
