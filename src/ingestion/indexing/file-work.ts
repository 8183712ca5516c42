import type { ChunkId } from "../../core/ids.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import type { FileFacts, ActivationResult, PlacedChunk } from "../../ports/index-versions.ts";
import type { RagIndex } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import type { Chunk } from "../../documents/chunking/chunk-document.ts";
import { shardOf } from "../../core/shard-of.ts";
import { bareMediaType } from "../../sources/bare-media-type.ts";
import type { PlacedIndex } from "../vector-sync/upsert-vectors.ts";

export type IdentifiedChunk = Chunk & { id: ChunkId };

export type Embedded = { chunk: IdentifiedChunk; vector: Float32Array };

/** One file that is being indexed in one generation of a RAG. */
export type FileWork = {
  file: ClaimedFile;
  fingerprint: string;
  /** The text that the chunks' offsets refer to. */
  markdown: string;
  notes: string[];
  chunks: IdentifiedChunk[];
  /** Chunks for which the index has no vector. */
  missing: IdentifiedChunk[];
  /**
   * Of a small file: its chunks that wait to be stored with the whole version, and how many they
   * will be; taken once a call stores them. Null: chunks are stored as they are embedded.
   */
  held: { chunks: Embedded[]; wanted: number; isTaken: boolean } | null;
  /** The result, where the whole version was stored. */
  activation: ActivationResult | null;
  /** Why a step failed for this file; later steps skip it. */
  failure: { thrown: unknown } | null;
};

export function addressOf(file: ClaimedFile): PlacedIndex {
  const { ragId, fileId, generation, shards, vectorsIn } = file;
  return { ragId, generation, shard: shardOf(fileId, shards), vectorsIn };
}

export function indexOf(services: Pick<Services, "ragIndexes">, file: ClaimedFile): RagIndex {
  return services.ragIndexes(addressOf(file));
}

export function factsOf(file: ClaimedFile): FileFacts {
  const { fileId, path, name, externalId, url, metadata, mimeType } = file;
  const facts = { fileId, path, name, externalId, url };
  return { ...facts, metadata: { mimeType: asFiltered(mimeType), ...metadata } };
}

/** A filter finds `text/plain; charset=utf-8` by either name. */
function asFiltered(mimeType: string): string | string[] {
  const bare = bareMediaType(mimeType);
  return bare === null || bare === mimeType ? mimeType : [mimeType, bare];
}

export function placed(chunk: IdentifiedChunk): PlacedChunk {
  const { id, position, headings, page, start, end } = chunk;
  return { id, position, headings, page, start, end };
}
