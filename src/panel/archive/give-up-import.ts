import {
  deleteImport,
  takeWaitingFiles,
  type ArchiveImport,
} from "../../db/archive/import-store.ts";
import { importPrefix } from "../../ingestion/archive/archive-file.ts";
import { emptyIndex } from "../../ingestion/removal/purge-removed-resources.ts";
import type { Services } from "../../services.ts";
import { bytesKey, removeBelow, textKey } from "../../sources/file-objects.ts";
import { readPlan } from "./plan-import.ts";

const FILES_PER_STEP = 250;

/** Removes all that an unfinished import wrote. What is visible stays. */
export async function giveUpImport(services: Services, row: Pick<ArchiveImport, "id" | "state">) {
  const { db, files } = services;
  const plan = row.state === "writing" ? await readPlan(files, row.id) : null;
  const { sources = {}, rags = {} } = plan ?? {};
  for (const { id: ragId, generation } of Object.values(rags)) {
    const { shards = 1, vectorsIn = "object" } = generation;
    for (let shard = 0; shard < shards; shard++) {
      const address = { ragId, generation: generation.generation, shard, vectorsIn };
      while (!(await emptyIndex(services, address)));
    }
  }
  for (const { id: sourceId } of Object.values(sources)) {
    await deleteStored(services, { importId: row.id, sourceId });
  }
  while (!(await removeBelow(files, importPrefix(row.id))));
  await deleteImport(db, row.id);
}

async function deleteStored({ db, files }: Services, at: Parameters<typeof takeWaitingFiles>[1]) {
  const { sourceId } = at;
  for (;;) {
    const some = await takeWaitingFiles(db, at, FILES_PER_STEP);
    if (some.length === 0) return;
    const keys = some.flatMap(({ fileId, file }) => [
      bytesKey({ sourceId, fileId }, String(file["version"])),
      textKey({ sourceId, fileId }, String(file["contentId"])),
    ]);
    await files.delete(keys);
  }
}
