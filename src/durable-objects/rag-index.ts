import { DurableObject } from "cloudflare:workers";

import type { ChunkId, FileId, VectorId } from "../core/ids.ts";
import type { Env } from "../env.ts";
import { IndexStore } from "../rag-index/index-store.ts";
import { hasSchema } from "../rag-index/schema.ts";
import type {
  CandidatesRequest,
  FileFacts,
  HydrateRequest,
  IndexScope,
  PlacedChunk,
  RagIndex as RagIndexPort,
  StagedChunk,
} from "../ports/rag-index.ts";
import type {
  FileUpsertBatch,
  UpsertBatch,
  UpsertedVector,
  VectorLedger,
} from "../ports/vector-ledger.ts";

/** The index of one RAG, generation and shard: a shell over index-store/. */
export class RagIndex extends DurableObject<Env> implements RagIndexPort {
  #opened: IndexStore | null = null;

  /** Writes make the tables; an object that nothing was written to keeps no storage. */
  #open(): IndexStore {
    this.#opened ??= new IndexStore(this.ctx.storage);
    return this.#opened;
  }

  #ifAny(): IndexStore | null {
    return this.#opened ?? (hasSchema(this.ctx.storage.sql) ? this.#open() : null);
  }

  async missing(fileId: FileId, ids: ChunkId[]) {
    return this.#ifAny()?.missing(fileId, ids) ?? ids;
  }

  async vectors(fileId: FileId, ids: ChunkId[]) {
    return this.#ifAny()?.vectors(fileId, ids) ?? [];
  }

  async stage(fileId: FileId, revision: number, chunks: StagedChunk[], batch?: FileUpsertBatch) {
    return this.#open().stage(fileId, revision, chunks, batch);
  }

  async activateVersion(file: FileFacts, revision: number, chunks: PlacedChunk[]) {
    return this.#open().activateVersion(file, revision, chunks);
  }

  async describeFile(file: FileFacts, revision: number) {
    return this.#open().describeFile(file, revision);
  }

  async remove(files: { fileId: FileId; revision: number }[]) {
    this.#open().remove(files);
  }

  async restrictToScopes(scopes: IndexScope[] | null) {
    this.#open().restrictToScopes(scopes);
  }

  async candidates(request: CandidatesRequest) {
    const store = this.#ifAny();
    if (store !== null) return store.candidates(request);
    const queries = request.queries.map(() => ({ lexical: [], vector: [] }));
    return { queries, plan: { kind: "none" as const }, hasInFlight: false, scanned: true };
  }

  async candidatesWithChunks(request: CandidatesRequest, ids: ChunkId[]) {
    const store = this.#ifAny();
    if (store !== null) return store.candidatesWithChunks(request, ids);
    return { ...(await this.candidates(request)), chunks: [] };
  }

  async hydrate(request: HydrateRequest) {
    return this.#ifAny()?.hydrate(request) ?? { chunks: [], eligible: [], equal: [] };
  }

  async facts() {
    return this.#ifAny()?.facts() ?? { chunks: 0, files: 0, staged: 0, tombstones: 0 };
  }

  async listFiles(after: FileId | null, limit: number) {
    return this.#ifAny()?.listFiles(after, limit) ?? [];
  }

  async sample(count: number) {
    return this.#ifAny()?.sample(count) ?? [];
  }

  async inFlightBatches(limit: number) {
    return this.#ifAny()?.ledger.inFlightBatches(limit) ?? [];
  }

  async confirmSeen(batches: number[], now: number) {
    this.#ifAny()?.ledger.confirmSeen(batches, now);
  }

  async vectorsToUpsert(sentBefore: number, limit: number) {
    return this.#ifAny()?.ledger.vectorsToUpsert(sentBefore, limit) ?? [];
  }

  async recordUpsert(vectors: UpsertedVector[], batch: UpsertBatch) {
    this.#ifAny()?.ledger.recordUpsert(vectors, batch);
  }

  async queueMoved(limit: number) {
    return this.#ifAny()?.ledger.queueMoved(limit) ?? 0;
  }

  async tombstones(now: number, limit: number) {
    return this.#ifAny()?.ledger.tombstones(now, limit) ?? [];
  }

  async confirmRemoved(ids: VectorId[], now: number) {
    this.#ifAny()?.ledger.confirmRemoved(ids, now);
  }

  async nextPageToVerify(limit: number) {
    const nothing = { vectors: [], sample: null, upTo: 0, isLast: true };
    return this.#ifAny()?.ledger.nextPageToVerify(limit) ?? nothing;
  }

  async orphansAmong(ids: VectorId[]) {
    return this.#ifAny()?.ledger.orphansAmong(ids) ?? ids;
  }

  async recordVerifiedPage(...[page, found]: Parameters<VectorLedger["recordVerifiedPage"]>) {
    return this.#ifAny()?.ledger.recordVerifiedPage(page, found) ?? { missing: 0, orphans: 0 };
  }

  async ledger() {
    return this.#ifAny()?.ledger.facts() ?? { inFlight: 0, moved: 0, purgeDueAt: null };
  }

  async abandon(limit: number) {
    return this.#ifAny()?.abandon(limit) ?? false;
  }

  async destroy() {
    this.#opened = null;
    await this.ctx.storage.deleteAll();
  }
}
