import { ragIndexes } from "../../../src/adapters/cloudflare/own-objects.ts";
import {
  METADATA_INDEXES,
  vectorizeIndex,
} from "../../../src/adapters/cloudflare/vectorize-index.ts";
import { hashEmbedder } from "../../../src/adapters/embedded/hash-embedder.ts";
import { decodeHalfFloats } from "../../../src/core/bytes/half-float.ts";
import { shardOf } from "../../../src/core/hash.ts";
import { type ChunkId, type FileId, type RagId, vectorIdOf } from "../../../src/core/ids.ts";
import { runUntraced, type SpanFacts } from "../../../src/core/trace.ts";
import type { RagRecord } from "../../../src/db/records.ts";
import { RagIndex as Index } from "../../../src/durable-objects/rag-index.ts";
import type { PlacedChunk, StagedChunk } from "../../../src/ports/index-versions.ts";
import type { RetrievalServices } from "../../../src/retrieval/degradations.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { VectorizeDouble } from "../../doubles/vectorize/vectorize-double.ts";
import { randomFrom, textOf } from "./synthetic-text.ts";

const WORDS_A_CHUNK = 200;
const CHUNKS_A_FILE = 20;
const DIMENSIONS = 1_024;
const BYTES_A_VECTOR = 2 * DIMENSIONS;
/** Exponent of a half float near 1/32, as in a unit vector of 1,024 dimensions. */
const HALF_EXPONENT = 0x28;

const ragId = "scale" as RagId;
const everything = { named: null, metadata: [] };

const fileIdOf = (file: number) => `file-${String(file).padStart(8, "0")}` as FileId;
const chunkIdOf = (chunk: number, version = 0) =>
  `${String(chunk).padStart(32, "0")}${String(version).padStart(8, "0")}` as ChunkId;

function vectorOf(seed: number): Uint8Array {
  const random = randomFrom(seed);
  const bytes = new Uint8Array(BYTES_A_VECTOR);
  for (let at = 0; at < BYTES_A_VECTOR; at += 2) {
    const bits = Math.floor(random() * 65_536);
    bytes[at] = bits & 0xff;
    bytes[at + 1] = HALF_EXPONENT | ((bits >> 8) & 0x83);
  }
  return bytes;
}

/** Chunk `version` of a file differs from the first in its text. */
function chunksOf(file: number, version: number, changed: number) {
  return Array.from({ length: CHUNKS_A_FILE }, (_, at) => {
    const chunk = file * CHUNKS_A_FILE + at;
    const own = at < changed ? version : 0;
    const id = chunkIdOf(chunk, own);
    const seed = chunk + own * 1_000_003;
    const place: PlacedChunk = {
      id,
      position: at,
      headings: ["Part"],
      languages: "en",
      page: null,
      start: 0,
      end: 1,
    };
    const staged = (): StagedChunk => {
      const text = textOf(seed, WORDS_A_CHUNK);
      return { id, text, duplicateKey: id, vector: vectorOf(seed) };
    };
    return { place, staged };
  });
}

const factsOf = (file: number) => {
  const path = `folder${file % 100}/${file}.md`;
  return {
    fileId: fileIdOf(file),
    path,
    name: path,
    externalId: null,
    url: null,
    modifiedAt: 0,
    metadata: {},
  };
};

/** The index object, filled by its own code without a call for each file. */
export class RagIndex extends Index {
  async put(file: number, version: number, changed: number): Promise<void> {
    const chunks = chunksOf(file, version, changed);
    const ids = chunks.map(({ place }) => place.id);
    const missing = new Set(await this.missing([{ fileId: fileIdOf(file), ids }]));
    const missingChunks = chunks.filter(({ place }) => missing.has(place.id));
    await this.stage(
      fileIdOf(file),
      version,
      missingChunks.map(({ staged }) => staged()),
    );
    await this.activateVersion(
      factsOf(file),
      version,
      chunks.map(({ place }) => place),
    );
  }

  async putFiles(part: { from: number; to: number; shard: number; shards: number }): Promise<void> {
    for (let file = part.from; file < part.to; file++) {
      if (shardOf(fileIdOf(file), part.shards) === part.shard) await this.put(file, 0, 0);
    }
  }

  async bytes(): Promise<number> {
    await Promise.resolve();
    return this.ctx.storage.sql.databaseSize;
  }
}

type BenchEnv = { RAG_INDEX: DurableObjectNamespace<RagIndex> };
type Ask = { generation: number; shards: number };

const objectsOf = (env: BenchEnv, { generation, shards }: Ask) =>
  Array.from({ length: shards }, (_, shard) =>
    env.RAG_INDEX.get(env.RAG_INDEX.idFromName(`${ragId}:${generation}:${shard}`)),
  );

/** The double of Vectorize holds so many chunks from all over the index, and names them. */
const NAMED_CHUNKS = 200;
const PASSAGES = 10;

const vectorize = new VectorizeDouble({
  dimensions: DIMENSIONS,
  now: () => Date.now(),
  visibleAfterMs: 0,
  metadataIndexes: METADATA_INDEXES,
});
const vectorIndex = vectorizeIndex(vectorize);

async function giveVectors({ generation, chunks }: Ask & { chunks: number }): Promise<void> {
  const vectors = Array.from({ length: Math.min(chunks, NAMED_CHUNKS) }, (_, at) => {
    const chunk = Math.floor((at * chunks) / Math.min(chunks, NAMED_CHUNKS));
    const values = decodeHalfFloats(vectorOf(chunk));
    const fileId = fileIdOf(Math.floor(chunk / CHUNKS_A_FILE));
    return { id: vectorIdOf(chunkIdOf(chunk), 0), values, fileId, folder: "" };
  });
  await vectorIndex.upsert({ ragId, generation }, vectors);
}

/** A whole retrieval beside the double of Vectorize; what the service's own log line says of it. */
async function search(env: BenchEnv, ask: Ask & { text: string }): Promise<SpanFacts> {
  const spans: SpanFacts[] = [];
  const services = {
    config: { RETRIEVAL_TIMEOUT_MS: 60_000 },
    now: () => Date.now(),
    log: { info: (_: string, facts: SpanFacts) => spans.push(facts), warn: () => undefined },
    trace: runUntraced,
    ragIndexes: ragIndexes(env.RAG_INDEX),
    vectorIndex,
    models: { embedder: () => hashEmbedder(DIMENSIONS) },
  } as unknown as RetrievalServices;
  const { generation, shards } = ask;
  const embedding = { embeddingModel: "embedded/hash", dimensions: DIMENSIONS };
  const rag = { id: ragId, identifier: ragId, searchMode: "hybrid", reranker: null, ...embedding };
  const searched = { ...rag, generation, shards, readersSince: null } as unknown as RagRecord;
  const { chunks } = await retrieve(services, {
    targets: [{ rag: searched, restriction: everything }],
    queries: [ask.text],
    topK: PASSAGES,
    useReranking: false,
    candidateMultiplier: 2,
    similarityThreshold: null,
    includeDuplicates: false,
  });
  return { chunks: chunks.length, ...spans[0] };
}

const routes: Record<string, (env: BenchEnv, body: never) => Promise<unknown>> = {
  "/fill": async (env, ask: Ask & { from: number; to: number }) => {
    for (const [shard, object] of objectsOf(env, ask).entries()) {
      await object.putFiles({ from: ask.from, to: ask.to, shard, shards: ask.shards });
    }
  },
  "/facts": async (env, ask: Ask) => {
    const objects = objectsOf(env, ask);
    const bytes = await Promise.all(objects.map(async (object) => await object.bytes()));
    const facts = await Promise.all(objects.map(async (object) => await object.facts()));
    return {
      bytes: bytes.reduce((sum, size) => sum + size, 0),
      chunks: facts.reduce((sum, fact) => sum + fact.chunks, 0),
    };
  },
  "/nothing": async (env, ask: Ask) => (await objectsOf(env, ask)[0]?.facts())?.files,
  "/vectors": async (_env, ask: Ask & { chunks: number }) => giveVectors(ask),
  "/retrieve": search,
  "/swap": async (env, ask: Ask & { file: number; version: number; changed: number }) => {
    const { file, version, changed, shards } = ask;
    await objectsOf(env, ask)[shardOf(fileIdOf(file), shards)]?.put(file, version, changed);
  },
};

export default {
  async fetch(request, env) {
    if (request.method !== "POST") return new Response(null, { status: 204 });
    const route = routes[new URL(request.url).pathname];
    if (route === undefined) return new Response(null, { status: 404 });
    const body: unknown = await request.json();
    return Response.json((await route(env, body as never)) ?? null);
  },
} satisfies ExportedHandler<BenchEnv>;
