import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { indexBodies } from "../../src/adapters/cloudflare/job-queue.ts";
import { firstVectorPlace } from "../../src/catalog/rags/vector-place.ts";
import { composeServices } from "../../src/compose.ts";
import { newId, type FileSourceId, type RagId } from "../../src/core/ids.ts";
import { INDEX_FORMAT } from "../../src/core/index-format.ts";
import type { IndexMessage, ScanMessage, UsageMessage } from "../../src/core/queue-messages.ts";
import { MINUTE_MS } from "../../src/core/time.ts";
import { ExtractionMemory } from "../../src/core/work/extraction-memory.ts";
import { sweep } from "../../src/ingestion/maintenance/sweep.ts";
import { removePushedFile } from "../../src/ingestion/uploads/pushed-files.ts";
import { putFile, type PutFileInput } from "../../src/ingestion/uploads/put-file.ts";
import { putFiles } from "../../src/ingestion/uploads/put-files.ts";
import type { PutFileResult } from "../../src/ingestion/uploads/store-files.ts";
import { consume } from "../../src/jobs/consume.ts";
import type { IndexMessages } from "../../src/ports/job-queue.ts";
import type { IndexAddress, RagIndex } from "../../src/ports/rag-index.ts";
import type { Services } from "../../src/services.ts";
import type { CrashPoint } from "./crash.ts";
import { intercepted, type Call } from "./intercepted.ts";
import { bytesOf, ragCounters, ragRows, statement } from "./statements.ts";
import { followClock, problems, testedEnv, testedFiles } from "./tested-adapters.ts";

export { bytesOf, keysOf, rowsOf, statement } from "./statements.ts";

type Envelope = {
  queue: "quarry-index" | "quarry-scan";
  body: IndexMessage | IndexMessages | ScanMessage;
};

const MEDIA_TYPES: Record<string, string> = { html: "text/html", md: "text/markdown" };
const mediaTypeOf = (path: string) => MEDIA_TYPES[path.split(".").at(-1) ?? ""] ?? "text/plain";

/** Services over the real D1, R2 and objects, with the queues' messages in the test's hand. */
export class World {
  services: Services;
  waiting: Envelope[] = [];
  /** Whether short texts travel in messages; without, every file is read from the bucket. */
  carriesTexts = false;
  /** Whether small files share messages; without, a test can deliver each file's own. */
  sharesMessages = true;
  /** The clock of the services, ms. */
  now = Date.now();
  /** Messages of the usage queue. */
  readonly usage: UsageMessage[] = [];
  readonly background: Promise<unknown>[] = [];
  readonly rows = ragRows;
  readonly counters = ragCounters;

  constructor(change: Partial<Services> = {}) {
    followClock(() => this.now);
    this.services = {
      ...composeServices(testedEnv, createExecutionContext()),
      now: () => this.now,
      extractionMemory: new ExtractionMemory(),
      files: testedFiles,
      log: problems,
      runInBackground: (work) => void this.background.push(work.catch(() => undefined)),
      queue: {
        index: async (messages, { together = false, texts } = {}) => {
          const carried = this.carriesTexts ? texts : undefined;
          for (const body of indexBodies(messages, together && this.sharesMessages, carried)) {
            this.waiting.push({ queue: "quarry-index", body });
          }
        },
        scan: async (messages) => {
          for (const body of [messages].flat()) this.waiting.push({ queue: "quarry-scan", body });
        },
        usage: async (message) => void this.usage.push(message),
      },
      ...change,
    };
  }

  async addSource(provider = "file_system", config: unknown = {}): Promise<FileSourceId> {
    const id = newId<FileSourceId>(Date.now());
    await statement(
      `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash,
         created_at) values (?1, 'S', ?1, ?2, ?3, '', 0)`,
      id,
      provider,
      JSON.stringify(config),
    ).run();
    return id;
  }

  async addRag(sourceId: FileSourceId, scopes: string[] | null = null): Promise<RagId> {
    const id = newId<RagId>(Date.now());
    const { EMBEDDING_MODEL, EMBEDDING_DIMENSIONS } = this.services.config;
    const vectorsIn = firstVectorPlace(this.services);
    await env.DB.batch([
      env.DB.prepare(
        `insert into rags (id, name, identifier, file_source_id, scope_mode, created_at)
         values (?1, 'R', ?1, ?2, ?3, 0)`,
      ).bind(id, sourceId, scopes === null ? "global" : "scoped"),
      env.DB.prepare(
        `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
           chunk_size, chunk_overlap, format, vectors_in, created_at, live_since)
         values (?1, 1, 'live', ?2, ?3, 400, 60, ?4, ?5, 0, 1)`,
      ).bind(id, EMBEDDING_MODEL, EMBEDDING_DIMENSIONS, INDEX_FORMAT, vectorsIn),
      ...(scopes ?? []).map((value) =>
        statement("insert into rag_scopes values (?1, 'path', ?2, 0)", id, value),
      ),
    ]);
    return id;
  }

  /** A source without files and a RAG of all of it. */
  async addSourceAndRag(provider?: string, config?: unknown) {
    const source = await this.addSource(provider, config);
    return { source, rag: await this.addRag(source) };
  }

  /** Pushes a file; without a media type it has that of its ending. */
  async put(
    source: FileSourceId,
    path: string,
    content: string | PutFileInput["body"],
    more: Partial<Pick<PutFileInput, "mimeType" | "metadata" | "contentLength">> = {},
  ): Promise<PutFileResult> {
    const body = typeof content === "string" ? bytesOf(content) : content;
    const file = { path, body, contentLength: null, mimeType: mediaTypeOf(path), metadata: null };
    return await putFile(this.services, { source: { id: source }, ...file, ...more });
  }

  /** Pushes files one after the other, and does all that follows. */
  async putAndIndex(source: FileSourceId, files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) await this.put(source, path, text);
    await this.deliver();
  }

  /** Pushes files in one call. */
  async putTogether(source: FileSourceId, files: Record<string, string | Uint8Array>) {
    async function* stream() {
      for (const [path, content] of Object.entries(files)) {
        const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
        const details = { mimeType: mediaTypeOf(path), metadata: null };
        yield { path, ...details, bytes: Uint8Array.from(bytes) };
      }
    }
    return await putFiles(this.services, { source: { id: source }, files: stream() });
  }

  /** Removes a pushed file. */
  async drop(source: FileSourceId, path: string): Promise<void> {
    await removePushedFile(this.services, { source: { id: source }, path });
  }

  /** After each of these pauses the sweep comes by, and what then waits is delivered. */
  async sweepAfter(...minutes: number[]): Promise<void> {
    for (const pause of minutes) {
      this.now += pause * MINUTE_MS;
      await sweep(this.services);
      await this.deliver();
    }
  }

  /** The worker that does this may die; the next one has services again. */
  async workUntil(crash: CrashPoint, work: () => Promise<unknown> = () => this.deliver()) {
    await this.as(crash.wrap(this.services), work).catch(() => undefined);
    crash.revive();
  }

  /** Does this with other services: as another worker. */
  async as(services: Services, work: () => Promise<unknown>): Promise<void> {
    const untouched = this.services;
    this.services = services;
    try {
      await work();
    } finally {
      this.services = untouched;
    }
  }

  /** Called with the texts of each embedding call before it is made; what it throws the call throws. */
  beforeEmbedding(act: (texts: string[]) => unknown): void {
    const { models } = this.services;
    this.services.models = {
      ...models,
      embedder(name, dimensions) {
        const embedder = models.embedder(name, dimensions);
        const doEmbed: typeof embedder.model.doEmbed = async (options) => {
          await act(options.values);
          return await embedder.model.doEmbed(options);
        };
        return { ...embedder, model: { ...embedder.model, doEmbed } };
      },
    };
  }

  /** Each call of the bucket from now on. */
  aroundBucket(around: (call: Call) => unknown): void {
    this.services.files = intercepted(this.services.files, around);
  }

  /** Each call of an index object from now on. */
  aroundIndexes(around: (call: Call, address: IndexAddress) => unknown): void {
    const { ragIndexes } = this.services;
    this.services.ragIndexes = (address) =>
      intercepted(ragIndexes(address), (call) => around(call, address));
  }

  /** The lines of this level that the log is told from now on. */
  logged(level: "error" | "warn"): [event: string, facts?: unknown][] {
    const lines: [event: string, facts?: unknown][] = [];
    const log = {
      ...problems,
      [level]: (...line: (typeof lines)[number]) => void lines.push(line),
    };
    this.services.log = { ...log, with: () => log };
    return lines;
  }

  /** Texts that are embedded from now on, in the order of their calls. */
  countEmbedded(): string[] {
    const texts: string[] = [];
    this.beforeEmbedding((some) => texts.push(...some));
    return texts;
  }

  index(ragId: RagId): RagIndex {
    return this.services.ragIndexes({ ragId, generation: 1, shard: 0 });
  }

  /** Delivers what waits, in this order, until nothing waits; retried messages come again. */
  async deliver(arrange: (envelopes: Envelope[]) => Envelope[] = (all) => all): Promise<void> {
    for (let round = 0; this.waiting.length > 0; round++) {
      if (round > MAX_ROUNDS) throw new Error("messages do not come to an end");
      const envelopes = arrange(this.waiting.splice(0));
      for (let at = 0; at < envelopes.length; at += BATCH_SIZE) {
        const part = envelopes.slice(at, at + BATCH_SIZE);
        for (const queue of ["quarry-scan", "quarry-index"] as const) {
          await this.deliverBatch(
            queue,
            part.filter((envelope) => envelope.queue === queue),
          );
        }
      }
    }
    await Promise.all(this.background.splice(0));
  }

  /** One batch, as the platform hands it over; a batch that throws comes again as a whole. */
  async deliverBatch(
    queue: Envelope["queue"] | "quarry-scan-dead",
    envelopes: Envelope[],
  ): Promise<void> {
    if (envelopes.length === 0) return;
    const messages = envelopes.map(({ body }, at) => ({
      id: `${at}`,
      timestamp: new Date(),
      attempts: 1,
      body,
    }));
    const batch = createMessageBatch(queue, messages);
    const context = createExecutionContext();
    await consume(this.services, batch);
    const result = await getQueueResult(batch, context);
    for (const { msgId } of result.retryMessages) {
      const envelope = envelopes[Number(msgId)];
      if (envelope !== undefined) this.waiting.push(envelope);
    }
  }

  /** The texts that a search of everything shows, by path. */
  async texts(ragId: RagId, query = "note", limitPerLeg = 500): Promise<Record<string, string[]>> {
    const index = this.index(ragId);
    const { chunks } = await index.search({
      queries: [{ text: query, vector: null }],
      restriction: { named: null, metadata: [] },
      includeDuplicates: true,
      limitPerLeg,
      lexical: true,
      ...WORDS_ALONE,
    });
    const texts: Record<string, string[]> = {};
    for (const { file, text } of chunks) (texts[file.path] ??= []).push(text);
    return texts;
  }
}

/** All that words find of an index object. */
export const WORDS_ALONE = {
  rule: { mode: "keyword", weight: 0 },
  needed: 500,
  threshold: null,
  withVectors: false,
} as const;

const BATCH_SIZE = 32;
const MAX_ROUNDS = 60;

/** A world with a source without files and a RAG of all of it. */
export async function ragWorld(provider?: string, config?: unknown) {
  const world = new World();
  return { world, ...(await world.addSourceAndRag(provider, config)) };
}
