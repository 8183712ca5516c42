import { inBatches } from "../../core/work/batches.ts";
import { chunkIdOf, sha256Hex } from "../../core/hash.ts";
import type { ChunkId } from "../../core/ids.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import { CHUNKING_FORMAT, embeddedText } from "../../documents/chunking/chunk-document.ts";
import type { Chunk } from "../../documents/chunking/chunk-document.ts";
import { EXTRACTION_FORMAT } from "../../documents/extracted-document.ts";
import type { IdentifiedChunk } from "./file-work.ts";

/**
 * Identifies everything that a file's chunks and vectors are made from. When it is unchanged and
 * the index has the file, nothing needs to be read, chunked or embedded.
 */
export async function fingerprintOf(file: ClaimedFile, sha256: string): Promise<string> {
  const { name, mimeType, chunkSize, chunkOverlap, embeddingModel, dimensions } = file;
  const formats = [EXTRACTION_FORMAT, CHUNKING_FORMAT];
  const settings = [chunkSize, chunkOverlap, embeddingModel, dimensions];
  return await sha256Hex(JSON.stringify([sha256, name, mimeType, ...settings, ...formats]));
}

/** Chunk ids by content; equal texts within a file are distinguished by their occurrence. */
export async function chunkIdsOf(
  { ragId, generation, fileId }: Pick<ClaimedFile, "ragId" | "generation" | "fileId">,
  markdown: string,
  chunks: readonly Chunk[],
): Promise<ChunkId[]> {
  const idOf = (chunk: Chunk, occurrence: number) => {
    const text = embeddedText(markdown, chunk);
    return chunkIdOf({ ragId, generation, fileId, embeddedText: text, occurrence });
  };
  const seen = new Map<ChunkId, number>();
  const ids: ChunkId[] = [];
  for (const part of inBatches(chunks, HASHED_AT_ONCE)) {
    const first = await Promise.all(
      part.map(async (chunk) => ({ chunk, text: await idOf(chunk, 0) })),
    );
    for (const { chunk, text } of first) {
      const occurrence = seen.get(text) ?? 0;
      seen.set(text, occurrence + 1);
      ids.push(occurrence === 0 ? text : await idOf(chunk, occurrence));
    }
  }
  return ids;
}

export async function identify(
  file: ClaimedFile,
  markdown: string,
  chunks: Chunk[],
): Promise<IdentifiedChunk[]> {
  const ids = await chunkIdsOf(file, markdown, chunks);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one id a chunk
  return chunks.map((chunk, at) => Object.assign(chunk, { id: ids[at] as ChunkId }));
}

/** Each is a copy of its text while it is hashed. */
const HASHED_AT_ONCE = 100;
