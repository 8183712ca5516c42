import { notFound } from "../core/errors.ts";
import type { FileSourceId } from "../core/ids.ts";
import { findFile } from "../db/file-store.ts";
import type { StoredFile } from "../db/file-store.ts";
import type { Services } from "../services.ts";
import { UnreadableDocument } from "./extractors/extracted-document.ts";
import type { ExtractedDocument } from "./extractors/extracted-document.ts";
import { bytesKey } from "./file-objects.ts";
import { getText, isTextKept, keptTextKey } from "./kept-text.ts";

type Source = { id: FileSourceId; provider: string };

/**
 * The text that a file was last read as: what the offsets of its passages are places in.
 * @throws QuarryError `not-found` when the source has no such file, or it has not been read
 */
export async function storedText(
  services: Pick<Services, "db" | "files">,
  { source, path }: { source: Source; path: string },
): Promise<string> {
  const file = await findFile(services.db, source.id, path);
  if (file === null || file.deletedAt !== null || file.sha256 === null) throw notFound();
  const { id: fileId, name, mimeType, size, sha256 } = file;
  const kept = { fileId, name, mimeType, size, source };
  const document = isTextKept(kept)
    ? await getText(services.files, await keptTextKey(kept, sha256))
    : await readAgain(services.files, source, file);
  if (document === null) throw notFound();
  return document.markdown;
}

/** Short plain text is not kept: its bytes say the same. */
async function readAgain(
  files: R2Bucket,
  source: Source,
  { id: fileId, version, name, mimeType }: StoredFile,
): Promise<ExtractedDocument | null> {
  const object = await files.get(bytesKey({ sourceId: source.id, fileId }, version));
  if (object === null) return null;
  const bytes = new Uint8Array(await object.arrayBuffer());
  try {
    const { extractDocument } = await import("./extractors/extract-document.ts");
    return await extractDocument({ name, mimeType, bytes });
  } catch (error) {
    if (error instanceof UnreadableDocument) return null;
    throw error;
  }
}
