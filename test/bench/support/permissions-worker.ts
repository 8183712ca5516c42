import { hashEmbedding } from "../../../src/adapters/embedded/hash-embedder.ts";
import { encodeHalfFloats } from "../../../src/core/bytes/half-float.ts";
import type { ChunkId, FileId } from "../../../src/core/ids.ts";
import { runUntraced } from "../../../src/core/trace.ts";
import { Deadline } from "../../../src/core/work/deadline.ts";
import { RagIndex as Index } from "../../../src/durable-objects/rag-index.ts";
import type { FileVersion } from "../../../src/ports/index-versions.ts";
import type { Restriction, SearchRequest } from "../../../src/ports/rag-index.ts";
import type { RagIndex as RagIndexPort } from "../../../src/ports/rag-index.ts";
import type { VectorIndex } from "../../../src/ports/vector-index.ts";
import { RetrievalReport, type RetrievalServices } from "../../../src/retrieval/degradations.ts";
import { planSearch } from "../../../src/retrieval/retrieval-request.ts";
import { similarityOf } from "../../../src/retrieval/score-chunks.ts";
import type { SearchedRag } from "../../../src/retrieval/search-mode.ts";
import { searchRag } from "../../../src/retrieval/search-rag.ts";
import { textOf } from "./synthetic-text.ts";

const DIMENSIONS = 64;
const WORDS_A_CHUNK = 60;
const FILES_A_CALL = 100;
const AUDIENCES = 1_000;
const TOP_K = 10;
const DEADLINE_MS = 60_000;

const chunkIdOf = (file: number) => `chunk-${file}` as ChunkId;

const audienceOf = (file: number) => file % AUDIENCES;
const fileIdOf = (file: number) => `file-${String(file).padStart(8, "0")}` as FileId;
const vectorOf = (text: string) => Float32Array.from(hashEmbedding(text, DIMENSIONS));
const groupOf = (audience: number) => `group:${audience}`;

function versionOf(file: number): FileVersion {
  const text = textOf(file, WORDS_A_CHUNK);
  const id = chunkIdOf(file);
  const place = {
    id,
    position: 0,
    headings: [],
    languages: "en",
    page: null,
    start: 0,
    end: text.length,
  };
  const vector = encodeHalfFloats(vectorOf(text));
  const path = `folder${file % 20}/${file}.md`;
  const readers = { id: groupOf(audienceOf(file)), principals: [groupOf(audienceOf(file))] };
  const facts = { fileId: fileIdOf(file), path, name: path, externalId: null, url: null };
  return {
    file: { ...facts, modifiedAt: 0, metadata: {}, readers: { ...readers, revision: 1 } },
    revision: 1,
    staged: [{ id, text, duplicateKey: id, vector }],
    chunks: [place],
  };
}

/** The index object, filled by its own code without a call for each file. */
export class RagIndex extends Index {
  async fill(from: number, to: number): Promise<void> {
    for (let at = from; at < to; at += FILES_A_CALL) {
      const files = Array.from({ length: Math.min(FILES_A_CALL, to - at) }, (_, nth) => at + nth);
      await this.writeVersions(files.map(versionOf));
    }
  }

  /** Shares a folder's files with one more person; an audience for each that they had. */
  async share(folder: number, files: number, person: string, revision: number): Promise<number> {
    const shared = Array.from({ length: files }, (_, nth) => folder + nth * 20);
    const audiences = new Map(
      shared.map((file) => {
        const group = groupOf(audienceOf(file));
        return [group, { id: `${group} ${person}`, principals: [group, person] }];
      }),
    );
    const before = this.ctx.storage.sql.exec("SELECT total_changes() AS rows").one()["rows"];
    await this.writeReaders({
      audiences: [...audiences.values()],
      files: shared.map((file) => {
        return {
          fileId: fileIdOf(file),
          audience: `${groupOf(audienceOf(file))} ${person}`,
          revision,
        };
      }),
    });
    const after = this.ctx.storage.sql.exec("SELECT total_changes() AS rows").one()["rows"];
    return Number(after) - Number(before);
  }
}

/** Vectorize as far as this needs it: all vectors of one RAG, scores as its double rounds them. */
class Vectors {
  static readonly #steps = 200;
  readonly #values: Float32Array[] = [];

  add(file: number): void {
    this.#values[file] = vectorOf(textOf(file, WORDS_A_CHUNK));
  }

  query: VectorIndex["query"] = async (_space, vector, { topK }) => {
    const scores = this.#values.map((values) => {
      let score = 0;
      for (let at = 0; at < vector.length; at++) score += (values[at] ?? 0) * (vector[at] ?? 0);
      return Math.round(score * Vectors.#steps) / Vectors.#steps;
    });
    const bar = Float32Array.from(scores).sort().at(-topK) ?? 0;
    const matches = scores
      .flatMap((score, file) => (score >= bar ? [{ id: chunkIdOf(file), score }] : []))
      .sort((a, b) => b.score - a.score)
      .slice(0, topK);
    return await Promise.resolve({ matches, floor: matches.at(-1)?.score ?? null });
  };
}

const vectors = new Vectors();

/** Searches as the service does where Vectorize finds the nearest. */
async function nearest(index: RagIndexPort, query: string, principals: string[] | undefined) {
  const services = {
    now: () => performance.now(),
    trace: runUntraced,
    log: { info() {}, warn() {}, error() {} },
    ragIndexes: () => index,
    vectorIndex: vectors,
    runInBackground() {},
  } as unknown as RetrievalServices;
  const call = {
    services,
    deadline: new Deadline(() => performance.now(), DEADLINE_MS),
    report: new RetrievalReport(),
  };
  const rag = {
    id: "rag",
    generation: 1,
    shards: 1,
    searchMode: "semantic",
    reranker: null,
    recencyHalfLifeDays: null,
    embeddingModel: "hash",
    dimensions: DIMENSIONS,
    readersSince: principals === undefined ? null : 0,
    readBy: principals === undefined ? "everything" : { principals, untold: [] },
  } as unknown as SearchedRag;
  const target = { rag, restriction: { named: null, metadata: [] } };
  const searchRequest = { targets: [target], queries: [query], topK: TOP_K, useReranking: false };
  const plan = planSearch(
    { ...searchRequest, candidateMultiplier: 1, includeDuplicates: false },
    false,
  );
  const embedded = Promise.resolve({ vectors: [vectorOf(query)], fusionWeight: 1 });
  const { chunks } = await searchRag(call, { target, embedded }, plan);
  const scored = chunks.map((chunk) => ({ id: chunk.id, score: similarityOf(chunk) ?? 0 }));
  return scored.sort((a, b) => b.score - a.score).slice(0, TOP_K);
}

type VerbCall = { verb: string; from?: number; to?: number; query?: string; principals?: string[] };

type Env = { RAG_INDEX: DurableObjectNamespace<RagIndex> };

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (request.method !== "POST") return new Response("ready");
    const call = await request.json<VerbCall>();
    const index = env.RAG_INDEX.get(env.RAG_INDEX.idFromName("one"));
    const { verb, from = 0, to = 0, query = "", principals } = call;
    if (verb === "fill") {
      await index.fill(from, to);
      for (let file = from; file < to; file++) vectors.add(file);
      return Response.json({});
    }
    if (verb === "share") return Response.json(await index.share(3, to, "user:new", from));
    if (verb === "near") {
      const matches = await nearest(index, query, principals);
      return Response.json({ ids: matches.map(({ id }) => id) });
    }
    const restriction: Restriction = { named: null, metadata: [] };
    if (principals !== undefined) restriction.readers = { principals, since: 0 };
    const search: SearchRequest = {
      queries: [{ text: query, vector: vectorOf(query) }],
      restriction,
      includeDuplicates: false,
      limitPerLeg: 100,
      lexical: true,
      rule: { mode: "semantic", weight: 1 },
      needed: 100,
      threshold: null,
      withVectors: false,
    };
    const { chunks } = await index.search(search);
    return Response.json({ ids: chunks.map(({ id }) => id) });
  },
};
