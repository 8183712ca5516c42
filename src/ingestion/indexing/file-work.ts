import { chunkIdOf, sha256Hex, shardOf } from "../../core/hash.ts";
import type { ChunkId } from "../../core/ids.ts";
import { toBatches } from "../../core/work/batches.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import { CHUNKING_FORMAT, textToEmbed } from "../../documents/chunking/chunk-document.ts";
import type { Chunk } from "../../documents/chunking/chunk-document.ts";
import { EXTRACTION_FORMAT } from "../../documents/extracted-document.ts";
import type { FileFacts, PlacedChunk } from "../../ports/index-versions.ts";
import type { RagIndex } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import { bareMediaType } from "../../sources/bare-media-type.ts";
import type { PlacedIndex } from "../vector-sync/upsert-vectors.ts";

export type IdentifiedChunk = Chunk & { id: ChunkId };

export type ChunkVector = { chunk: IdentifiedChunk; vector: Float32Array };

/** One file that is being indexed in one generation of a RAG: read and cut. */
export type FileWork = {
  readonly file: ClaimedFile;
  readonly fingerprint: string;
  /** The text that the chunks' offsets refer to. */
  readonly markdown: string;
  readonly notes: string[];
  readonly chunks: readonly IdentifiedChunk[];
};

/** A file and those of its chunks for which the index has no vector. */
export type MissingWork = {
  readonly work: FileWork;
  readonly missing: readonly IdentifiedChunk[];
};

/** A chunk without a vector, and the file it belongs to. */
export type ChunkRequest = { work: FileWork; chunk: IdentifiedChunk };

/** The result of a step for one file, or why it failed. */
export type Outcome<Value> = { value: Value } | { thrown: unknown };

export async function outcomeOf<Value>(step: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await step() };
  } catch (thrown) {
    return { thrown };
  }
}

export function valueOf<Value>(outcome: Outcome<Value>): Value {
  if ("thrown" in outcome) throw outcome.thrown;
  return outcome.value;
}

export function addressOf(file: ClaimedFile): PlacedIndex {
  const { ragId, fileId, generation, shards, vectorsIn } = file;
  return { ragId, generation, shard: shardOf(fileId, shards), vectorsIn };
}

export function indexOf(services: Pick<Services, "ragIndexes">, file: ClaimedFile): RagIndex {
  return services.ragIndexes(addressOf(file));
}

/** The files of each index. */
export const groupByIndex = <One extends { work: FileWork }>(ones: readonly One[]): One[][] => [
  ...Map.groupBy(ones, ({ work }) => JSON.stringify(addressOf(work.file))).values(),
];

/** The columns of a file that its index needs. */
export type DescribedFile = Pick<
  ClaimedFile,
  "fileId" | "path" | "name" | "externalId" | "url" | "modifiedAt" | "metadata" | "mimeType"
> &
  Pick<ClaimedFile, "audience" | "readers" | "readersRevision">;

export function factsOf(file: DescribedFile): FileFacts {
  const { fileId, path, name, externalId, url, modifiedAt, metadata, mimeType } = file;
  const { audience: id, readers, readersRevision: revision } = file;
  const facts = { fileId, path, name, externalId, url, modifiedAt };
  const principals = readers?.map(({ principal }) => principal) ?? [];
  return {
    ...facts,
    metadata: { mimeType: filterValuesOf(mimeType), ...metadata },
    ...(id === null ? {} : { readers: { id, principals, revision } }),
  };
}

/** A filter finds `text/plain; charset=utf-8` by either name. */
function filterValuesOf(mimeType: string): string | string[] {
  const bare = bareMediaType(mimeType);
  return bare === null || bare === mimeType ? mimeType : [mimeType, bare];
}

export function placeOf(chunk: PlacedChunk): PlacedChunk {
  const { id, position, headings, languages, page, start, end } = chunk;
  const { isNamed = false, recognised = false } = chunk;
  const marks = { ...(isNamed && { isNamed }), ...(recognised && { recognised }) };
  return { id, position, headings, languages, page, start, end, ...marks };
}

/** Identifies what chunks and vectors are made from: if unchanged, nothing is embedded again. */
export async function fingerprintOf(file: ClaimedFile, sha256: string): Promise<string> {
  const { name, mimeType, chunkSize, chunkOverlap, embeddingModel, dimensions } = file;
  const formats = [EXTRACTION_FORMAT, CHUNKING_FORMAT];
  const prefix = file.passagePrefix === "" ? [] : [file.passagePrefix];
  const settings = [chunkSize, chunkOverlap, embeddingModel, dimensions, ...prefix];
  return await sha256Hex(JSON.stringify([sha256, name, mimeType, ...settings, ...formats]));
}

/** Chunk ids by content; equal texts within a file are distinguished by their occurrence. */
export async function chunkIdsOf(
  { ragId, generation, fileId }: Pick<ClaimedFile, "ragId" | "generation" | "fileId">,
  markdown: string,
  chunks: readonly Chunk[],
): Promise<ChunkId[]> {
  const idOf = (chunk: Chunk, occurrence: number) => {
    const text = textToEmbed(markdown, chunk);
    return chunkIdOf({ ragId, generation, fileId, embeddedText: text, occurrence });
  };
  const ordinals = new Map<ChunkId, number>();
  const ids: ChunkId[] = [];
  for (const part of toBatches(chunks, HASHED_AT_ONCE)) {
    const first = await Promise.all(
      part.map(async (chunk) => ({ chunk, text: await idOf(chunk, 0) })),
    );
    for (const { chunk, text } of first) {
      const occurrence = ordinals.get(text) ?? 0;
      ordinals.set(text, occurrence + 1);
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
