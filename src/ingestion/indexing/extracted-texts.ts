import { notFound } from "../../core/errors.ts";
import type { FileId, FileSourceId } from "../../core/ids.ts";
import { wholeCharacterEnd } from "../../core/whole-character.ts";
import { findFileWithStatus, type FileWithStatus } from "../../db/files/source-file-list.ts";
import { EXTRACTION_FORMAT, UnreadableDocument } from "../../documents/extracted-document.ts";
import type { ExtractedDocument } from "../../documents/extracted-document.ts";
import type { FileStore } from "../../ports/file-store.ts";
import type { Services } from "../../services.ts";
import { textKey, bytesKey } from "../../sources/file-objects.ts";
import { pushKind } from "../../sources/registry.ts";

/** Up to this size (bytes), plain text is read as fast from its file as from an extraction. */
const PLAIN_TEXT_KEPT_FROM_BYTES = 64 * 1024;

/** Encoded in pieces, so that memory never holds a second copy of a long text. */
const PIECE_CHARACTERS = 1 << 17;
const FIRST_LINE_END = "\n";

const encoder = new TextEncoder();

/** `size` in bytes. */
type FileFacts = { mimeType: string; size: number; source: { provider: string } };
type StoredContent = { fileId: FileId; contentId: string; source: { id: FileSourceId } };

export function needsExtractedText({ source, mimeType, size }: FileFacts): boolean {
  const isPlain = /^text\/(plain|markdown|csv)\b/.test(mimeType);
  return pushKind(source.provider) !== "files" || !isPlain || size >= PLAIN_TEXT_KEPT_FROM_BYTES;
}

const keyOf = ({ fileId, contentId, source }: StoredContent) =>
  textKey({ sourceId: source.id, fileId }, contentId);

/** A text of another format is extracted again. */
const STORED_AS = { format: String(EXTRACTION_FORMAT) };

/** Stores an extracted document: its facts as one line of JSON, then its text. */
export async function putExtractedText(
  files: Pick<FileStore, "putParts">,
  file: StoredContent,
  { markdown, ...facts }: ExtractedDocument,
): Promise<void> {
  const head = encoder.encode(JSON.stringify(facts) + FIRST_LINE_END);
  let length = head.length;
  for (const piece of utf8Pieces(markdown)) length += piece.length;
  const parts = function* () {
    yield head;
    yield* utf8Pieces(markdown);
  };
  await files.putParts(keyOf(file), length, parts(), { customMetadata: STORED_AS });
}

/** Encodes a text as UTF-8 piece by piece, never splitting a character. */
function* utf8Pieces(markdown: string): Generator<Uint8Array> {
  for (let at = 0, end = 0; at < markdown.length; at = end) {
    end = wholeCharacterEnd(markdown, at + PIECE_CHARACTERS);
    yield encoder.encode(markdown.slice(at, end));
  }
}

/** A text as a request body, without a second copy of it in memory. */
export function utf8Stream(text: string): ReadableStream<Uint8Array> {
  const pieces = utf8Pieces(text);
  return new ReadableStream({
    pull(controller) {
      const { done: isDone, value } = pieces.next();
      if (isDone === true) controller.close();
      else controller.enqueue(value);
    },
  });
}

const isReadable = (object: R2Object | null) =>
  object?.customMetadata?.["format"] === STORED_AS.format;

/** Whether the text of the file as it is now is stored. */
export async function hasExtractedText(bucket: R2Bucket, file: StoredContent): Promise<boolean> {
  const object = await bucket.head(keyOf(file));
  return isReadable(object);
}

/** The extracted document of the file as it is now; null when it is not stored. */
export async function getExtractedText(
  bucket: R2Bucket,
  file: StoredContent,
): Promise<ExtractedDocument | null> {
  const object = await bucket.get(keyOf(file));
  if (object === null) return null;
  if (!isReadable(object)) {
    await object.body.cancel();
    return null;
  }
  const whole = await object.text();
  const end = whole.indexOf(FIRST_LINE_END);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above, by this format
  const facts = JSON.parse(whole.slice(0, end)) as Omit<ExtractedDocument, "markdown">;
  return { ...facts, markdown: whole.slice(end + 1) };
}

type Source = { id: FileSourceId; provider: string };

/**
 * The current text of a file, with what else was extracted. While `status`, which covers all
 * RAGs, is `indexed`, its passages' offsets refer to this text; otherwise passages may be of an
 * earlier version; null: no RAG indexes the file. `sha256` is of the file's bytes.
 * @throws QuarryError `not-found` when the source has no such file, or it has not been read
 */
export async function readExtractedText(
  services: Pick<Services, "db" | "files">,
  { source, path }: { source: Source; path: string },
) {
  const file = await findFileWithStatus(services.db, source.id, path);
  if (file === null || file.deletedAt !== null || file.sha256 === null) throw notFound();
  const { id: fileId, name, mimeType, size, sha256, contentId, status } = file;
  const facts = { fileId, mimeType, size, contentId, source };
  const document = needsExtractedText(facts)
    ? await getExtractedText(services.files, facts)
    : await extractAgain(services.files, source, file);
  if (document === null) throw notFound();
  return { text: document.markdown, document, name, sha256, status };
}

/** Short plain text is not stored: the bytes are the text. */
async function extractAgain(
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
