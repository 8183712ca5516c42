import { ragIndexes } from "../../../src/adapters/cloudflare/own-objects.ts";
import { hashEmbedder } from "../../../src/adapters/embedded/hash-embedder.ts";
import { encodeHalfFloats } from "../../../src/core/bytes/half-float.ts";
import { chunkIdOf, foldForDuplicates, sha256Hex } from "../../../src/core/hash.ts";
import type { FileId, RagId } from "../../../src/core/ids.ts";
import type { Env } from "../../../src/env.ts";
import type { RagIndex as RagIndexPort } from "../../../src/ports/rag-index.ts";
import type { Document } from "./collection.ts";
import { indexRows } from "./counted-index.ts";

export { RagIndex } from "./counted-index.ts";

type BenchEnv = Pick<Env, "RAG_INDEX">;

const DIMENSIONS = 1_024;
const CANDIDATES = 50;
const embedder = hashEmbedder(DIMENSIONS);
const ragId = "bench" as RagId;

async function vectorsOf(texts: string[]): Promise<Float32Array[]> {
  const { embeddings } = await embedder.model.doEmbed({ values: texts });
  return embeddings.map((embedding) => Float32Array.from(embedding));
}

/** One file of one chunk a document, each activated by itself as ingestion does. */
async function load(index: RagIndexPort, documents: Document[]): Promise<void> {
  const vectors = await vectorsOf(documents.map(({ title, text }) => `${title}\n${text}`));
  for (const [at, { id: name, title, text }] of documents.entries()) {
    const fileId = name as FileId;
    const id = await chunkIdOf({ ragId, generation: 1, fileId, embeddedText: text, occurrence: 0 });
    const duplicateKey = await sha256Hex(foldForDuplicates(text));
    const vector = encodeHalfFloats(vectors[at] ?? []);
    await index.stage(fileId, 1, [{ id, text, duplicateKey, vector }]);
    const facts = {
      fileId,
      path: name,
      name,
      externalId: null,
      url: null,
      modifiedAt: 0,
      metadata: {},
    };
    const place = { position: 0, headings: [title], languages: "en", page: null };
    await index.activateVersion(facts, 1, [{ id, ...place, start: 0, end: text.length }]);
  }
}

const everything = { restriction: { named: null, metadata: [] }, includeDuplicates: false };

/** Both legs, their fusion, and the texts of the first ten, best first. */
async function retrieve(index: RagIndexPort, text: string, limit: number) {
  const [vector = null] = await vectorsOf([text]);
  const { chunks } = await index.search({
    queries: [{ text, vector }],
    limitPerLeg: CANDIDATES,
    lexical: true,
    rule: { mode: "hybrid", weight: embedder.fusionWeight },
    needed: limit,
    threshold: null,
    withVectors: false,
    ...everything,
  });
  return chunks.map(({ text, file, similarities }) => ({ text, file, score: similarities[0] }));
}

/** `POST /load` with documents, `POST /retrieve` with `{ text, limit }`, `POST /rows`. */
export default {
  async fetch(request, env) {
    if (request.method !== "POST") return new Response(null, { status: 204 });
    const index = ragIndexes(env.RAG_INDEX)({ ragId, generation: 1, shard: 0 });
    const { pathname } = new URL(request.url);
    if (pathname === "/rows") return Response.json(indexRows().read);
    if (pathname === "/load") {
      await load(index, await request.json<Document[]>());
      return Response.json(await index.facts());
    }
    const { text, limit } = await request.json<{ text: string; limit: number }>();
    return Response.json(await retrieve(index, text, limit));
  },
} satisfies ExportedHandler<BenchEnv>;
