import { folderOf } from "../../core/folders.ts";
import { inParallel } from "../../core/work/parallel.ts";
import type { IndexedVector, VectorSpace } from "../../ports/vector-index.ts";
import type { UpsertBatch } from "../../ports/vector-ledger.ts";
import type { Services } from "../../services.ts";
import { stagedFrom } from "./embed-chunks.ts";
import { indexOf } from "./file-work.ts";
import type { Embedded, FileWork } from "./file-work.ts";
import { labelFailure } from "./index-failure.ts";
import { recordFailure, storeVersions, takeComplete } from "./store-versions.ts";
import { isInVectorIndex, newUpsertBatch, upsertVectors } from "../vector-sync/upsert-vectors.ts";

const FILES_AT_ONCE = 6;

type PlacedSpace = VectorSpace & Pick<FileWork["file"], "vectorsIn">;

/**
 * Stores chunks with their vectors: of a large file at once, of small ones when all chunks are
 * there, several files together. A failure is recorded on the files it affects.
 */
export async function storeEmbedded(
  services: Services,
  byWork: Map<FileWork, Embedded[]>,
): Promise<void> {
  const direct: [FileWork, Embedded[]][] = [];
  for (const [work, embedded] of byWork) {
    if (work.held === null) direct.push([work, embedded]);
    else work.held.chunks.push(...embedded);
  }
  for (const [space, works] of bySpace(direct)) await storeInSpace(services, space, works);
  await storeVersions(services, takeComplete([...byWork.keys()]));
}

/** Files whose vectors go to the same part of the vector index. */
function bySpace(works: [FileWork, Embedded[]][]): [PlacedSpace, [FileWork, Embedded[]][]][] {
  const spaces = new Map<string, [PlacedSpace, [FileWork, Embedded[]][]]>();
  for (const one of works) {
    const { ragId, generation, vectorsIn } = one[0].file;
    const key = `${ragId} ${generation}`;
    const entry = spaces.get(key) ?? [{ ragId, generation, vectorsIn }, []];
    entry[1].push(one);
    spaces.set(key, entry);
  }
  return [...spaces.values()];
}

/**
 * Writes to the RAG's index first. It records every vector sent to the vector index, searches
 * in-flight vectors itself, and is the copy from which lost ones are sent again.
 */
async function storeInSpace(
  services: Services,
  space: PlacedSpace,
  works: [FileWork, Embedded[]][],
): Promise<void> {
  const isSent = isInVectorIndex(services, space);
  const batch = isSent ? newUpsertBatch(services.now()) : undefined;
  const vectors: IndexedVector[] = [];
  await inParallel(works, FILES_AT_ONCE, async ([work, embedded]) => {
    await recordFailure(work, async () => {
      vectors.push(...(await storeChunks(services, work, embedded, batch)));
    });
  });
  if (isSent && vectors.length > 0) await upsertVectors(services, space, vectors);
}

/** Returns the vectors to upsert into the vector index. */
async function storeChunks(
  services: Services,
  work: FileWork,
  embedded: Embedded[],
  batch: UpsertBatch | undefined,
): Promise<IndexedVector[]> {
  const { file } = work;
  const staged = await Promise.all(
    embedded.map(({ chunk, vector }) => stagedFrom(work, chunk, vector)),
  );
  const index = indexOf(services, file);
  const folder = folderOf(file.path);
  const stored = await labelFailure("index", () =>
    index.stage(
      file.fileId,
      file.revision,
      staged,
      batch === undefined ? undefined : { ...batch, folder },
    ),
  );
  const vectorOf = new Map(embedded.map(({ chunk, vector }) => [chunk.id, vector]));
  const { fileId } = file;
  return stored.flatMap(({ id, vectorId }) => {
    const values = vectorOf.get(id);
    return values === undefined ? [] : [{ id: vectorId, values, fileId, folder }];
  });
}
