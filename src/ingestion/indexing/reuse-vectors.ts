import { inBatches } from "../../core/work/batches.ts";
import { decodeHalfFloats } from "../../core/half-float.ts";
import type { ChunkId } from "../../core/ids.ts";
import type { Services } from "../../services.ts";
import { chunkIdsOf } from "./fingerprint-and-ids.ts";
import type { FileWork, IdentifiedChunk } from "./file-work.ts";
import { labelFailure } from "./index-failure.ts";
import { shardOf } from "../../core/shard-of.ts";
import { storeEmbedded } from "./store-embedded.ts";
import { recordFailure } from "./store-versions.ts";

/** Chunks requested and stored at once: with their vectors about a MiB. */
const CHUNKS_PER_PAGE = 256;

/**
 * A file that is indexed in a generation of the same model takes its vectors from the previous one
 * where a chunk's embedded text is the same; chunks left in `missing` must be embedded.
 */
export async function reuseVectors(services: Services, work: FileWork): Promise<void> {
  const { file, missing } = work;
  if (!file.isBuilding || file.vectorsFrom === null || missing.length === 0) return;
  const { ragId, fileId, vectorsFrom } = file;
  const { generation, shards } = vectorsFrom;
  await recordFailure(work, async () => {
    const earlier = services.ragIndexes({ ragId, generation, shard: shardOf(fileId, shards) });
    const earlierIds = await earlierIdsOf(work, generation);
    const left: IdentifiedChunk[] = [];
    for (const page of inBatches(missing, CHUNKS_PER_PAGE)) {
      const ids = page.flatMap(({ id }) => earlierIds.get(id) ?? []);
      const stored = await labelFailure("index", () => earlier.vectors(fileId, ids));
      const vectors = new Map(stored.map(({ id, vector }) => [id, vector]));
      const found = page.flatMap((chunk) => {
        const vector = vectors.get(earlierIds.get(chunk.id) ?? chunk.id);
        return vector === undefined ? [] : [{ chunk, vector: decodeHalfFloats(vector) }];
      });
      if (found.length > 0) await storeEmbedded(services, new Map([[work, found]]));
      const known = new Set(found.map(({ chunk }) => chunk));
      left.push(...page.filter((chunk) => !known.has(chunk)));
    }
    work.missing = left;
  });
}

/** Each chunk's id in another generation. */
async function earlierIdsOf(
  { file, markdown, chunks }: FileWork,
  generation: number,
): Promise<Map<ChunkId, ChunkId>> {
  const ids = await chunkIdsOf({ ...file, generation }, markdown, chunks);
  return new Map(chunks.map((chunk, at) => [chunk.id, ids[at] ?? chunk.id]));
}
