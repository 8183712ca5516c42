import { inBatches } from "../../core/work/batches.ts";
import { decodeHalfFloats } from "../../core/bytes/half-float.ts";
import type { ChunkId } from "../../core/ids.ts";
import type { Services } from "../../services.ts";
import { chunkIdsOf, type Embedded, type FileWork, type IdentifiedChunk } from "./file-work.ts";
import { labelFailure } from "./end-file.ts";
import { shardOf } from "../../core/hash.ts";

/** Chunks requested at once: with their vectors about a MiB. */
const CHUNKS_PER_PAGE = 256;

/** Chunks with vectors of an earlier generation, and chunks that must be embedded. */
type Reused = { embedded: Embedded[]; left: readonly IdentifiedChunk[] };
export type Reuse = (missing: readonly IdentifiedChunk[]) => Promise<Reused>;

/** Vectors of the previous generation, where the model and a chunk's embedded text are the same. */
export function reuseFor(services: Services, work: FileWork): Reuse {
  const { isBuilding, vectorsFrom, ragId, fileId } = work.file;
  if (!isBuilding || vectorsFrom === null)
    return async (chunks) => ({ embedded: [], left: chunks });
  const { generation, shards } = vectorsFrom;
  let earlierIds: Promise<Map<ChunkId, ChunkId>> | null = null;
  return async (missing) => {
    earlierIds ??= earlierIdsOf(work, generation);
    const idOf = await earlierIds;
    const index = services.ragIndexes({ ragId, generation, shard: shardOf(fileId, shards) });
    const embedded: Embedded[] = [];
    const lacking: IdentifiedChunk[] = [];
    for (const page of inBatches(missing, CHUNKS_PER_PAGE)) {
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
async function earlierIdsOf({ file, markdown, chunks }: FileWork, generation: number) {
  const ids = await chunkIdsOf({ ...file, generation }, markdown, chunks);
  return new Map(chunks.map((chunk, at) => [chunk.id, ids[at] ?? chunk.id]));
}
