import { embedTexts } from "../../catalog/models/embed-texts.ts";
import type { EmbeddedTexts } from "../../catalog/models/embed-texts.ts";
import { encodeHalfFloats } from "../../core/half-float.ts";
import { foldForDuplicates, sha256Hex } from "../../core/hash.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import type { Embedder } from "../../ports/models.ts";
import type { StagedChunk } from "../../ports/index-versions.ts";
import { chunkText } from "../../documents/chunking/chunk-document.ts";
import type { FileWork, IdentifiedChunk } from "./file-work.ts";
import { labelFailure } from "./index-failure.ts";

/** One embedding call, ms. */
const EMBEDDING_TIMEOUT_MS = 30_000;
const DUPLICATE_KEY_LENGTH = 32;

/** A chunk without a vector, and the file it belongs to. */
export type Wanted = { work: FileWork; chunk: IdentifiedChunk };

/** Chunks that one embedding call takes. */
export type Slice = { model: string; dimensions: number; wanted: Wanted[] };

/** Splits all chunks without a vector into calls of the model's batch size, across files. */
export function slicesOf(works: FileWork[], limitOf: (file: ClaimedFile) => number): Slice[] {
  const open = new Map<string, Slice>();
  const slices: Slice[] = [];
  for (const work of works) {
    const { embeddingModel: model, dimensions } = work.file;
    const key = `${model} ${dimensions}`;
    const limit = limitOf(work.file);
    for (const chunk of work.missing) {
      let slice = open.get(key);
      if (slice === undefined || slice.wanted.length >= limit) {
        slice = { model, dimensions, wanted: [] };
        open.set(key, slice);
        slices.push(slice);
      }
      slice.wanted.push({ work, chunk });
    }
  }
  return slices;
}

/** @throws StepFailure that names the embedding provider */
export const embedSlice = (embedder: Embedder, texts: string[]): Promise<EmbeddedTexts> =>
  labelFailure("embedding provider", () =>
    embedTexts(embedder, texts, AbortSignal.timeout(EMBEDDING_TIMEOUT_MS)),
  );

/** A chunk as the index stores it. */
export async function stagedFrom(
  { markdown }: FileWork,
  chunk: IdentifiedChunk,
  vector: Float32Array,
): Promise<StagedChunk> {
  const text = chunkText(markdown, chunk);
  const folded = await sha256Hex(foldForDuplicates(text));
  return {
    id: chunk.id,
    text,
    duplicateKey: folded.slice(0, DUPLICATE_KEY_LENGTH),
    vector: encodeHalfFloats(vector),
  };
}
