import type { FileId } from "../../core/ids.ts";
import { markFilesDeleted } from "../../db/files/removal-store.ts";
import type { Services } from "../../services.ts";
import { REMOVAL_CLAIM_MS } from "../timeouts.ts";
import { removeFromIndexes } from "./remove-from-indexes.ts";

/**
 * Removes files deleted at their source from every search before it returns; from an index that
 * fails the sweep removes them. Files added or restored after `before` (ms) stay. Returns how many
 * were removed.
 */
export async function removeDeletedFiles(
  services: Pick<Services, "db" | "log" | "now" | "ragIndexes" | "vectorIndex">,
  ids: FileId[],
  before: number,
): Promise<number> {
  if (ids.length === 0) return 0;
  const now = services.now();
  const times = { now, removedUntil: now + REMOVAL_CLAIM_MS };
  const { count, removals } = await markFilesDeleted(services.db, ids, before, times);
  await removeFromIndexes(services, removals);
  return count;
}

/** The source reported at download that the file no longer exists. */
export async function removeDeletedFile(services: Services, id: FileId): Promise<void> {
  await removeDeletedFiles(services, [id], services.now());
}
