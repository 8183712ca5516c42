import { env } from "cloudflare:workers";

import { findRag } from "../../../../src/catalog/rags/find-rag.ts";
import type { RagId } from "../../../../src/core/ids.ts";
import { requestScan } from "../../../../src/catalog/file-sources/request-scan.ts";
import type { RagIndex, SearchRequest } from "../../../../src/ports/rag-index.ts";
import type { RetrievalRequest } from "../../../../src/retrieval/retrieval-request.ts";
import { retrieve } from "../../../../src/retrieval/retrieve.ts";
import { FollowedSource } from "../../../doubles/source/followed-source.ts";
import { VectorizeWorld } from "../../../support/vectorize-world.ts";
import { statement } from "../../../support/ingestion-world.ts";
import { requestOf } from "../../../support/retrieval-requests.ts";

/** Names of what the index objects were asked, in order; `search all`: to read all it finds. */
type IndexCalls = string[];

/** Every restricted search is one of too many chunks to be scanned. */
function asIfLarge(index: RagIndex, asked: IndexCalls): RagIndex {
  return new Proxy(index, {
    get(stub, name) {
      if (name !== "search") {
        asked.push(String(name));
        return Reflect.get(stub, name) as unknown;
      }
      return (request: SearchRequest) => {
        asked.push(request.read?.kind === "all" ? "search all" : name);
        return stub.search({ ...request, exactLimit: 0 });
      };
    },
  });
}

/** A drive whose files are followed and indexed, in chunks of about a sentence each. */
export async function drive(
  files: Record<string, string>,
  options: Parameters<typeof VectorizeWorld.alone>[0] = {},
) {
  const reader = new FollowedSource(files);
  const world = await VectorizeWorld.alone({ dimensions: 64, ...options });
  const { ragIndexes } = world.services;
  const asked: IndexCalls = [];
  world.services.sourceReaders = async () => reader;
  world.services.ragIndexes = (address) => asIfLarge(ragIndexes(address), asked);
  const { source, rag } = await world.addSourceAndRag("cloud_drive");
  const small = "chunk_size = 16, chunk_overlap = 0";
  await env.DB.batch([
    statement(`update rags set ${small} where id = ?`, rag),
    statement(`update rag_generations set ${small} where rag_id = ?`, rag),
  ]);
  const scan = async () => {
    world.now += 1_000;
    await requestScan(world.services, { sourceId: source, confirmRemovals: false, urls: null });
    await world.deliver();
  };
  await scan();
  return { world, reader, rag, scan, asked };
}

/** What a retrieval by meaning shows, in a folder or everywhere, best first. */
export async function nearest(
  world: VectorizeWorld,
  ragId: RagId,
  query: string,
  {
    folder = null,
    searchMode = "semantic",
    ...more
  }: {
    folder?: string | null;
    searchMode?: "semantic" | "hybrid";
  } & Partial<RetrievalRequest> = {},
) {
  const rag = await findRag(world.services, { key: ragId });
  const named = folder === null ? null : { files: [], folders: [folder] };
  const asked = { named, queries: [query], topK: 100, ...more };
  const request = requestOf([{ ...rag, searchMode }], asked);
  const { chunks, degradations } = await retrieve(world.services, request);
  return { degradations, chunks: chunks.map(({ text, source }) => `${source.filePath}: ${text}`) };
}
