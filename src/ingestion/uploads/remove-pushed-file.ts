import { notFound } from "../../core/errors.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { markPathDeleted } from "../../db/files/removal-store.ts";
import type { Services } from "../../services.ts";
import { REMOVAL_CLAIM_MS } from "../timeouts.ts";
import { removeFromIndexes } from "../removal/remove-from-indexes.ts";

/**
 * Removes a file of a `file_system` source. Once this returns, no search finds it; the sweep deletes
 * its bytes and text, and its row stays `deleted` for `DELETED_FILES_DAYS`.
 * @throws QuarryError `not-found` when the source has no such file; what an index threw that failed,
 * of which the sweep removes the file
 */
export async function removePushedFile(
  services: Services,
  { source, path }: { source: { id: FileSourceId }; path: string },
): Promise<void> {
  const now = services.now();
  const of = { sourceId: source.id, path };
  const marked = await markPathDeleted(services.db, of, {
    now,
    removedUntil: now + REMOVAL_CLAIM_MS,
  });
  if (marked === null) throw notFound();
  const [failed] = await removeFromIndexes(services, marked.removals);
  if (failed !== undefined) throw failed;
}
