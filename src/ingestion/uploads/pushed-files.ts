import { notFound, invalidField, requireFound } from "../../core/errors.ts";
import { fileNameOf } from "../../core/folders.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { findFile, findFiles } from "../../db/files/file-store.ts";
import { markPathsDeleted } from "../../db/files/removal-store.ts";
import { moveFiles, writeMetadata } from "../../db/files/write-files.ts";
import type { Services } from "../../services.ts";
import { bytesKey } from "../../sources/file-objects.ts";
import { pushKind } from "../../sources/registry.ts";
import { findChangedReaders, recordReaders, type PushedSource } from "../readers/record-readers.ts";
import { removeFromIndexes } from "../removal/remove-from-indexes.ts";
import { timesFrom } from "../timeouts.ts";

/** Characters of the JSON; the header of an upload holds about as much. */
const MAX_METADATA_LENGTH = 16_000;

type Source = { id: FileSourceId };

/** Sets who may read a pushed file, without its bytes. @throws QuarryError `not-found` */
export async function setReaders(
  services: Pick<Services, "db" | "now" | "ragIndexes">,
  { source, path, readers }: { source: PushedSource; path: string; readers: string[] },
): Promise<void> {
  const file = await findFile(services.db, source.id, path);
  if (file === null || file.deletedAt !== null) throw notFound();
  const changes = [{ path, newId: file.id, readers }];
  const changed = await findChangedReaders(source, changes, new Map([[path, file]]));
  await recordReaders(services, source, changed);
}

/**
 * Replaces a pushed file's metadata. The indexes follow within seconds; the file keeps its
 * version, passages and vectors.
 * @throws QuarryError `not-found`, `invalid`: too long
 */
export async function describePushedFile(
  services: Pick<Services, "db" | "now" | "queue">,
  update: { source: Source; path: string; metadata: Record<string, unknown> },
): Promise<void> {
  const { source, path, metadata } = update;
  if (JSON.stringify(metadata).length > MAX_METADATA_LENGTH)
    throw invalidField("metadata", `must have at most ${MAX_METADATA_LENGTH} characters as JSON`);
  const times = timesFrom(services.now());
  const messages = requireFound(
    await writeMetadata(services.db, { path, metadata }, source.id, times),
  );
  await services.queue.index(messages, { together: true });
}

/** Whether the service keeps the bytes of a source's files; others are read and let go. */
export const keepsOriginals = ({ provider }: { provider: string }) =>
  pushKind(provider) === "files";

/** The bytes of a pushed file as they were sent; null where they are not kept. */
export async function readOriginal(
  { db, files }: Pick<Services, "db" | "files">,
  { source, path }: { source: Source & { provider: string }; path: string },
) {
  const file = keepsOriginals(source) ? await findFile(db, source.id, path) : null;
  if (file === null || file.deletedAt !== null) return null;
  const { id: fileId, version, name, mimeType, size } = file;
  const object = await files.get(bytesKey({ sourceId: source.id, fileId }, version));
  return object === null ? null : { name, mimeType, size, object };
}

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
  const times = timesFrom(services.now());
  const marked = await markPathsDeleted(services.db, { sourceId: source.id, paths }, times);
  const [failed] = await removeFromIndexes(services, marked.removals);
  if (failed !== undefined) throw failed;
  return paths.filter((path) => !marked.paths.has(path));
}

/**
 * Gives pushed files other paths. They keep bytes, readers, metadata and vectors: nothing is
 * embedded again. Returns the paths that have no file, and those whose new path is taken.
 */
export async function movePushedFiles(
  services: Services,
  { source, moves }: { source: Source; moves: { from: string; to: string }[] },
): Promise<string[]> {
  const paths = moves.flatMap(({ from, to }) => [from, to]);
  const existing = await findFiles(services.db, source.id, paths);
  const isLive = (path: string) => existing.get(path)?.deletedAt === null;
  const moved = moves.flatMap(({ from, to: path }) => {
    const file = isLive(from) && !isLive(path) ? existing.get(from) : undefined;
    return file === undefined ? [] : [{ id: file.id, from, path, name: fileNameOf(path) }];
  });
  const times = timesFrom(services.now());
  const { messages, removals } = await moveFiles(services.db, source.id, moved, times);
  await services.queue.index(messages, { together: true });
  await removeFromIndexes(services, removals);
  const movedPaths = new Set(moved.map(({ from }) => from));
  return moves.flatMap(({ from }) => (movedPaths.has(from) ? [] : [from]));
}

/** Removes one pushed file. @throws QuarryError `not-found` when the source has no such file */
export async function removePushedFile(
  services: Services,
  { source, path }: { source: Source; path: string },
): Promise<void> {
  const missing = await removePushedFiles(services, { source, paths: [path] });
  if (missing.length > 0) throw notFound();
}
