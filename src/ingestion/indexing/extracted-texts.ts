import { sha256Hex } from "../../core/hash.ts";
import type { FileId, FileSourceId } from "../../core/ids.ts";
import { EXTRACTION_FORMAT } from "../../documents/extracted-document.ts";
import type { ExtractedDocument } from "../../documents/extracted-document.ts";
import { textKey } from "../../sources/file-objects.ts";

/**
 * Plain text up to this size (bytes) is read as fast from its bytes as from a stored extraction.
 */
const PLAIN_TEXT_KEPT_FROM_BYTES = 64 * 1024;

/**
 * Encoding is done in pieces of this size, so that memory never holds a second copy of a long
 * text.
 */
const PIECE_CHARACTERS = 1 << 17;
const FIRST_LINE_END = "\n";

const encoder = new TextEncoder();

type FileFacts = {
  fileId: FileId;
  name: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  source: { id: FileSourceId; provider: string };
};

export function keepsExtractedText({ source, mimeType, size }: FileFacts): boolean {
  const isPlain = /^text\/(plain|markdown|csv)\b/.test(mimeType);
  return source.provider !== "file_system" || !isPlain || size >= PLAIN_TEXT_KEPT_FROM_BYTES;
}

/** The key under which the text of these bytes, read with this name and type, is stored. */
export async function extractedTextKey(file: FileFacts, sha256: string): Promise<string> {
  const reading = await sha256Hex(`${file.name}\u0000${file.mimeType}`);
  const contentKey = `${sha256}.${reading.slice(0, 8)}.${EXTRACTION_FORMAT}`;
  return textKey({ sourceId: file.source.id, fileId: file.fileId }, contentKey);
}

/** Stores an extracted document: one line of JSON with its facts, then its text. */
export async function putExtractedText(
  bucket: R2Bucket,
  key: string,
  { markdown, ...facts }: ExtractedDocument,
): Promise<void> {
  const head = encoder.encode(JSON.stringify(facts) + FIRST_LINE_END);
  let length = head.length;
  for (const piece of utf8Pieces(markdown)) length += piece.length;
  const { readable, writable } = new FixedLengthStream(length);
  await Promise.all([bucket.put(key, readable), write(writable, head, markdown)]);
}

async function write(
  writable: WritableStream<Uint8Array>,
  head: Uint8Array,
  markdown: string,
): Promise<void> {
  const writer = writable.getWriter();
  await writer.write(head);
  for (const piece of utf8Pieces(markdown)) await writer.write(piece);
  await writer.close();
}

/** Encodes a text as UTF-8 piece by piece, never splitting a character. */
function* utf8Pieces(markdown: string): Generator<Uint8Array> {
  let at = 0;
  while (at < markdown.length) {
    const latest = at + PIECE_CHARACTERS;
    const isInPair = latest < markdown.length && /[\ud800-\udbff]/.test(markdown[latest - 1] ?? "");
    const end = isInPair ? latest - 1 : latest;
    yield encoder.encode(markdown.slice(at, end));
    at = end;
  }
}

/** A text as a request body, without a second copy of it in memory. */
export function utf8Stream(text: string): ReadableStream<Uint8Array> {
  const pieces = utf8Pieces(text);
  return new ReadableStream({
    pull(controller) {
      const { done, value } = pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** The document stored under this key; null when there is none. */
export async function getExtractedText(
  bucket: R2Bucket,
  key: string,
): Promise<ExtractedDocument | null> {
  const object = await bucket.get(key);
  if (object === null) return null;
  const whole = await object.text();
  const end = whole.indexOf(FIRST_LINE_END);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above, under a key of its version
  const facts = JSON.parse(whole.slice(0, end)) as Omit<ExtractedDocument, "markdown">;
  return { ...facts, markdown: whole.slice(end + 1) };
}
