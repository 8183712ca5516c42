import type { FileSourceId, RagId } from "../../core/ids.ts";
import {
  deleteRag,
  deleteRagFiles,
  deleteSource,
  deleteSourceFiles,
  isWorkedOn,
  purgeableSince,
  listGenerationsOfRemovedRag,
} from "../../db/maintenance/removed-resources-store.ts";
import type { Services } from "../../services.ts";
import { removeBelow, sourcePrefix } from "../../sources/file-objects.ts";
import { LATE_WRITES_MS } from "../timeouts.ts";
import { isInVectorIndex, purgeTombstones } from "../vector-sync/upsert-vectors.ts";
import { LEFTOVERS_RECHECK_MS, scheduleVectorSync } from "../vector-sync/upsert-vectors.ts";
import type { PlacedIndex } from "../vector-sync/upsert-vectors.ts";
import { stopAllWatches } from "../watches/stop-watches.ts";

const ROWS_PER_STEP = 2_000;
const FILES_PER_INDEX_STEP = 500;
const CHUNKS_PER_INDEX_STEP = 5_000;
/** A worker that claimed a file before the RAG was removed ends or loses its lease by then. */
const WORKER_WAIT_SECONDS = 30;
const LAST_REVISION = Number.MAX_SAFE_INTEGER;

/** One step of deleting the data of a removed RAG; a message starts the next step. */
export async function purgeRag(services: Services, ragId: RagId): Promise<void> {
  const generations = await listGenerationsOfRemovedRag(services.db, ragId);
  if (generations === null) return;
  if (await isWorkedOn(services.db, ragId, services.now())) {
    return await services.queue.scan({ kind: "purge-rag", ragId }, WORKER_WAIT_SECONDS);
  }
  for (const { generation, shards, vectorsIn } of generations) {
    for (let shard = 0; shard < shards; shard++) {
      const emptied = await emptyIndex(services, { ragId, generation, shard, vectorsIn });
      if (!emptied) return await services.queue.scan({ kind: "purge-rag", ragId });
    }
  }
  if (await deleteRagFiles(services.db, ragId, ROWS_PER_STEP)) {
    return await services.queue.scan({ kind: "purge-rag", ragId });
  }
  await deleteRag(services.db, ragId);
}

/** Removes vectors by id: the object knows the ids until it is destroyed. */
export async function emptyIndex(services: Services, address: PlacedIndex): Promise<boolean> {
  const index = services.ragIndexes(address);
  if (isInVectorIndex(services, address)) {
    const files = await index.listFiles(null, FILES_PER_INDEX_STEP);
    await index.remove(files.map(({ fileId }) => ({ fileId, revision: LAST_REVISION })));
    // Staged chunks that never became live have vectors too.
    const isMore =
      files.length === FILES_PER_INDEX_STEP || (await index.abandon(CHUNKS_PER_INDEX_STEP));
    if (!(await purgeTombstones(services, address)) || isMore) return false;
  }
  await index.destroy();
  await scheduleVectorSync(services, [address], LEFTOVERS_RECHECK_MS);
  return true;
}

/** One step. The row stays until no worker can be left that writes below its prefix. */
export async function purgeSource(services: Services, fileSourceId: FileSourceId): Promise<void> {
  const removedAt = await purgeableSince(services.db, fileSourceId);
  if (removedAt === null) return;
  await stopAllWatches(services, fileSourceId);
  const noObjects = await removeBelow(services.files, sourcePrefix(fileSourceId));
  const moreFiles = await deleteSourceFiles(services.db, fileSourceId, ROWS_PER_STEP);
  if (!noObjects || moreFiles) {
    return await services.queue.scan({ kind: "purge-source", fileSourceId });
  }
  if (services.now() < removedAt + LATE_WRITES_MS) return;
  await deleteSource(services.db, fileSourceId);
}
