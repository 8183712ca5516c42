import { hashEmbedder } from "../../../src/adapters/embedded/hash-embedder.ts";
import type { ClaimedFile } from "../../../src/db/files/claim-files.ts";
import { EmbeddingTally } from "../../../src/ingestion/indexing/embed-chunks.ts";
import { DOCUMENT_LIMIT_BYTES } from "../../../src/core/document-limit.ts";
import { indexGroup, type DoneFile } from "../../../src/ingestion/indexing/index-group.ts";
import { readLimited } from "../../../src/core/read-limited.ts";
import { workBudget } from "../../../src/ingestion/indexing/work-budget.ts";
import type { Services } from "../../../src/services.ts";

const DIMENSIONS = 1_024;

/** The index lies in an isolate of its own: here it takes everything in, and forgets it. */
const index = {
  describeFile: async () => ({ outcome: "absent" }),
  missing: async (files: { ids: string[] }[]) => files.flatMap(({ ids }) => ids),
  writeVersions: async (versions: { chunks: unknown[] }[]) =>
    versions.map(({ chunks }) => ({
      stored: [],
      activation: { outcome: "activated", chunkCount: chunks.length },
    })),
  stage: async () => [],
  activateVersion: async (_file: unknown, _revision: number, chunks: unknown[]) => ({
    outcome: "activated",
    chunkCount: chunks.length,
  }),
};

/** The file's bytes, once; no text is kept yet, and what is to be kept is taken in. */
function filesOf(bytes: Uint8Array) {
  let held: Uint8Array | null = bytes;
  return {
    get: async (key: string) => {
      if (held === null || key.includes("text")) return null;
      const { buffer } = held;
      held = null;
      return { arrayBuffer: async () => buffer };
    },
    put: async (_key: string, body: ReadableStream) => {
      await body.pipeTo(new WritableStream());
    },
  };
}

const fileNamed = (name: string, size: number) => ({
  ragId: "bench",
  fileId: "bench",
  name,
  path: name,
  size,
  mimeType: "",
  metadata: {},
  externalId: null,
  url: null,
  version: "1",
  sha256: "0",
  revision: 1,
  attempts: 1,
  indexedAt: null,
  fingerprint: null,
  generation: 1,
  shards: 1,
  vectorsIn: "object",
  isBuilding: false,
  isSuspect: false,
  chunkSize: 400,
  chunkOverlap: 60,
  embeddingModel: "embedded/hash",
  dimensions: DIMENSIONS,
  source: { id: "bench", provider: "file_system" },
});

/** `POST /NAME` with a file's bytes: all that indexing does in its own isolate. */
export default {
  async fetch(request) {
    const { body, url } = request;
    if (request.method !== "POST" || body === null) return new Response(null, { status: 204 });
    const name = new URL(url).pathname.slice(1);
    const size = Number(request.headers.get("content-length"));
    const bytes = await readLimited(body, DOCUMENT_LIMIT_BYTES, size);
    if (bytes === null) return Response.json({ outcome: "larger than a file may be" });
    const embedder = hashEmbedder(DIMENSIONS);
    const services = {
      now: Date.now,
      files: filesOf(bytes),
      ragIndexes: () => index,
      vectorIndex: null,
      converter: null,
      models: { embedder: () => embedder },
      inBackground: () => undefined,
    } as unknown as Services;
    const file = fileNamed(name, size) as unknown as ClaimedFile;
    const lease = { id: "bench", renew: async () => undefined };
    const job = {
      lease,
      budget: workBudget(Date.now),
      begin: () => true,
      tally: new EmbeddingTally(),
      texts: new Map(),
    };
    const end = await endIn(indexGroup(services, [file], job));
    const outcome = end?.errorMessage ?? end?.status ?? "nothing";
    return Response.json({ outcome, characters: 0, pages: 0, chunks: end?.chunkCount ?? 0 });
  },
} satisfies ExportedHandler;

/** What became of the only file. */
async function endIn(waves: AsyncGenerator<DoneFile[]>) {
  for await (const done of waves) {
    for (const { result } of done) if (result.kind === "end") return result.end;
  }
  return null;
}
