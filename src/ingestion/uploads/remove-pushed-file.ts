import { notFound } from "../../core/errors.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { markPathsDeleted } from "../../db/files/removal-store.ts";
import type { Services } from "../../services.ts";
import { REMOVAL_CLAIM_MS } from "../timeouts.ts";
import { removeFromIndexes } from "../removal/remove-from-indexes.ts";

type Source = { id: FileSourceId };

/**
 * Removes files of a source of pushed files, with one call of each index. Once this returns, no search
 * finds them; the sweep deletes their bytes and text, and their rows stay `deleted` for
 * `DELETED_FILES_DAYS`. Returns the paths at which the source has no file.
 * @throws what an index threw that failed, of which the sweep removes the files
 */
export async function removePushedFiles(
  services: Services,
  { source, paths }: { source: Source; paths: string[] },
): Promise<string[]> {
  const now = services.now();
  const times = { now, removedUntil: now + REMOVAL_CLAIM_MS };
  const marked = await markPathsDeleted(services.db, { sourceId: source.id, paths }, times);
  const [failed] = await removeFromIndexes(services, marked.removals);
  if (failed !== undefined) throw failed;
  return paths.filter((path) => !marked.paths.has(path));
}

/** The same of one file. @throws QuarryError `not-found` when the source has no such file */
export async function removePushedFile(
  services: Services,
  { source, path }: { source: Source; path: string },
): Promise<void> {
  const missing = await removePushedFiles(services, { source, paths: [path] });
  if (missing.length > 0) throw notFound();
}
