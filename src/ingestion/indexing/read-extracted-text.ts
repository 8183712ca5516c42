import { notFound } from "../../core/errors.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { findFileWithStatus, type FileWithStatus } from "../../db/files/source-file-list.ts";
import type { FileStatus } from "../../db/files/public-files.ts";
import type { Services } from "../../services.ts";
import { UnreadableDocument, type ExtractedDocument } from "../../documents/extracted-document.ts";
import { bytesKey } from "../../sources/file-objects.ts";
import { getExtractedText, keepsExtractedText } from "./extracted-texts.ts";

type Source = { id: FileSourceId; provider: string };

/**
 * `sha256` is of the file's bytes; `status` covers all RAGs, and is null while none indexes the
 * file.
 */
export type ReadText = { text: string; sha256: string; status: FileStatus | null };

/**
 * The current text of a file. While `status` is `indexed`, its passages' offsets refer to this
 * text; otherwise passages may be of an earlier version.
 * @throws QuarryError `not-found` when the source has no such file, or it has not been read
 */
export async function readExtractedText(
  services: Pick<Services, "db" | "files">,
  wanted: { source: Source; path: string },
): Promise<ReadText> {
  const { document, sha256, status } = await readExtractedDocument(services, wanted);
  return { text: document.markdown, sha256, status };
}

/** The same with the document's title, pages and notes. @throws QuarryError `not-found` */
export async function readExtractedDocument(
  services: Pick<Services, "db" | "files">,
  { source, path }: { source: Source; path: string },
): Promise<{
  document: ExtractedDocument;
  name: string;
  sha256: string;
  status: FileStatus | null;
}> {
  const file = await findFileWithStatus(services.db, source.id, path);
  if (file === null || file.deletedAt !== null || file.sha256 === null) throw notFound();
  const { id: fileId, name, mimeType, size, sha256, contentId, status } = file;
  const kept = { fileId, mimeType, size, contentId, source };
  const document = keepsExtractedText(kept)
    ? await getExtractedText(services.files, kept)
    : await readAgain(services.files, source, file);
  if (document === null) throw notFound();
  return { document, name, sha256, status };
}

/** Short plain text is not stored: the bytes are the text. */
async function readAgain(
  files: R2Bucket,
  source: Source,
  { id: fileId, version, name, mimeType }: FileWithStatus,
): Promise<ExtractedDocument | null> {
  const object = await files.get(bytesKey({ sourceId: source.id, fileId }, version));
  if (object === null) return null;
  const bytes = new Uint8Array(await object.arrayBuffer());
  try {
    const { extractDocument } = await import("../../documents/extract-document.ts");
    return await extractDocument({ name, mimeType, bytes });
  } catch (error) {
    if (error instanceof UnreadableDocument) return null;
    throw error;
  }
}
