import { conflict, notFound } from "../../core/errors.ts";
import { findSourceRow, markSourceRemoved, ragsOfSource } from "../../db/catalog/source-store.ts";
import type { Services } from "../../services.ts";
import type { FileSource } from "./find-file-source.ts";

/**
 * Hides a file source at once; its data is deleted in the background.
 * @throws QuarryError `conflict` while RAGs use it or a copy gets its files; `not-found` when a
 * concurrent request has just removed it.
 */
export async function removeFileSource(
  services: Services,
  { source: { source } }: { source: FileSource },
): Promise<void> {
  const { id } = source;
  if (!(await markSourceRemoved(services.db, id, services.now()))) {
    const users = await ragsOfSource(services.db, id);
    if ((await findSourceRow(services.db, id)) === null) throw notFound();
    if (users.length === 0) throw conflict("File source is still being copied");
    throw conflict(`File source is in use by RAGs: ${users.join(", ")}`);
  }
  await services.queue.scan({ kind: "purge-source", fileSourceId: id });
}
