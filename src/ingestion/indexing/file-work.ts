import type { ChunkId } from "../../core/ids.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import type { FileFacts, IndexAddress, PlacedChunk, RagIndex } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import type { Chunk } from "../../documents/chunking/chunk-document.ts";
import { shardOf } from "../../core/shard-of.ts";

export type IdentifiedChunk = Chunk & { id: ChunkId };

/** One file on its way into one RAG's index. */
export type FileWork = {
  file: ClaimedFile;
  fingerprint: string;
  /** The text that the chunks are places in. */
  markdown: string;
  notes: string[];
  chunks: IdentifiedChunk[];
  /** Those that the index has no vector of. */
  missing: IdentifiedChunk[];
  /** Why a step of it failed; the later steps leave it alone. */
  failure: { thrown: unknown } | null;
};

export function addressOf({ ragId, fileId, generation, shards }: ClaimedFile): IndexAddress {
  return { ragId, generation, shard: shardOf(fileId, shards) };
}

export function indexOf(services: Pick<Services, "ragIndexes">, file: ClaimedFile): RagIndex {
  return services.ragIndexes(addressOf(file));
}

export function factsOf(file: ClaimedFile): FileFacts {
  const { fileId, path, name, externalId, url, metadata, mimeType } = file;
  return { fileId, path, name, externalId, url, metadata: { mimeType, ...metadata } };
}

export function placed(chunk: IdentifiedChunk): PlacedChunk {
  const { id, position, headings, page, start, end } = chunk;
  return { id, position, headings, page, start, end };
}
