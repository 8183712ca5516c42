import type { FileSourceId } from "../../core/ids.ts";
import { findFile } from "../../db/files/file-store.ts";
import type { Services } from "../../services.ts";
import { bytesKey } from "../../sources/file-objects.ts";
import { takenBy } from "../../sources/registry.ts";

export type Original = { name: string; mimeType: string; size: number; object: R2ObjectBody };

/** Whether the service keeps the bytes of a source's files; others are read and let go. */
export const keepsOriginals = ({ provider }: { provider: string }) => takenBy(provider) === "files";

/** The bytes of a pushed file as they were sent; null where they are not kept. */
export async function readOriginal(
  { db, files }: Pick<Services, "db" | "files">,
  { source, path }: { source: { id: FileSourceId; provider: string }; path: string },
): Promise<Original | null> {
  const file = keepsOriginals(source) ? await findFile(db, source.id, path) : null;
  if (file === null || file.deletedAt !== null) return null;
  const { id: fileId, version, name, mimeType, size } = file;
  const object = await files.get(bytesKey({ sourceId: source.id, fileId }, version));
  return object === null ? null : { name, mimeType, size, object };
}
