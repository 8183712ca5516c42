import { decodeHalfFloats } from "../../core/bytes/half-float.ts";
import { shardOf } from "../../core/hash.ts";
import type { ChunkId } from "../../core/ids.ts";
import { toBatches } from "../../core/work/batches.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import type { Services } from "../../services.ts";
import { labelFailure } from "./end-file.ts";
import { chunkIdsOf, type ChunkVector, type FileWork, type IdentifiedChunk } from "./file-work.ts";

/** Chunks requested at once: with their vectors about a MiB. */
const CHUNKS_PER_PAGE = 256;

/** Chunks with vectors of an earlier generation, and chunks that must be embedded. */
type ReuseResult = { embedded: ChunkVector[]; left: readonly IdentifiedChunk[] };
export type Reuse = (missing: readonly IdentifiedChunk[]) => Promise<ReuseResult>;

/**
 * Vectors of the previous generation, or of the RAG that is copied, where the model and a chunk's
 * embedded text are the same.
 */
export function createReuse(services: Services, work: FileWork): Reuse {
  const { isBuilding, vectorsFrom, copiedFile } = work.file;
  if (vectorsFrom === null || !(isBuilding || copiedFile !== null))
    return async (chunks) => ({ embedded: [], left: chunks });
  const { ragId, generation, shards } = vectorsFrom;
  const fileId = copiedFile ?? work.file.fileId;
  let earlierIds: Promise<Map<ChunkId, ChunkId>> | null = null;
  return async (missing) => {
    earlierIds ??= earlierIdsOf(work, { ragId, generation, fileId });
    const idOf = await earlierIds;
    const index = services.ragIndexes({ ragId, generation, shard: shardOf(fileId, shards) });
    const embedded: ChunkVector[] = [];
    const lacking: IdentifiedChunk[] = [];
    for (const page of toBatches(missing, CHUNKS_PER_PAGE)) {
      const ids = page.flatMap(({ id }) => idOf.get(id) ?? []);
      const vectorsById = await labelFailure("index", () => index.vectors(fileId, ids));
      const vectors = new Map(vectorsById.map(({ id, vector }) => [id, vector]));
      for (const chunk of page) {
        const vector = vectors.get(idOf.get(chunk.id) ?? chunk.id);
        if (vector === undefined) lacking.push(chunk);
        else embedded.push({ chunk, vector: decodeHalfFloats(vector) });
      }
    }
    return { embedded, left: lacking };
  };
}

/** Each chunk's id in another generation. */
async function earlierIdsOf(
  { markdown, chunks }: FileWork,
  earlier: Pick<ClaimedFile, "ragId" | "generation" | "fileId">,
) {
  const ids = await chunkIdsOf(earlier, markdown, chunks);
  return new Map(chunks.map((chunk, at) => [chunk.id, ids[at] ?? chunk.id]));
}
