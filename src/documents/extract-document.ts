import {
  walkParts,
  runCooperatively,
  type CooperativeWork,
  type YieldToOthers,
} from "../core/work/cooperative.ts";
import {
  declaredEncoding,
  decodeText,
  withLineFeeds,
  type DecodedText,
} from "./decoding/decode-text.ts";
import { detectLanguage } from "./decoding/detect-language.ts";
import { withoutEmbeddedData } from "./decoding/embedded-data.ts";
import { removeHiddenCharacters } from "./decoding/hidden-characters.ts";
import type { DocumentFormat, Reading } from "./document-format.ts";
import {
  UnreadableDocument,
  type ExtractedDocument,
  type Extraction,
  type RawDocument,
} from "./extracted-document.ts";
import { gunzip, isGzip } from "./formats/archive/gunzip.ts";
import { detectFormat, unknownMediaType } from "./media-type/detect-format.ts";
import { unsupportedMessage } from "./media-type/foreign-types.ts";
import { kindByMediaType, nameWithoutGzip } from "./media-type/media-types.ts";
import { countNote } from "./notes.ts";
import { isReadablePicture, pictureOfFile } from "./pictures/picture-file.ts";
import { Pictures, type PictureOptions } from "./pictures/pictures.ts";
import { releaseBytes } from "./release-bytes.ts";

export { UnreadableDocument } from "./extracted-document.ts";
export type { ExtractedDocument } from "./extracted-document.ts";

export type ExtractOptions = PictureOptions & {
  discardsBytes?: boolean;
  /** Awaited at intervals while a long document is read; an error it throws ends the reading. */
  yieldToOthers?: YieldToOthers;
};

const NO_TEXT = "no text found";
/** Shorter texts fit in memory beside their file. */
const LONG_CHARACTERS = 1 << 20;

/** @throws UnreadableDocument with a plain message when the document can never be read. */
export function extractDocument(
  file: RawDocument,
  options: ExtractOptions = {},
): Promise<ExtractedDocument> {
  const { discardsBytes = false, yieldToOthers = () => Promise.resolve() } = options;
  return extractNested(file, { discardsBytes, yieldToOthers, pictures: new Pictures(options) }, 0);
}

type ExtractContext = Omit<Reading, "depth" | "extract">;

async function extractNested(
  file: RawDocument,
  options: ExtractContext,
  depth: number,
): Promise<ExtractedDocument> {
  if (!isGzip(file.bytes)) return await extractFile(file, options, depth);
  const bytes = await gunzip(file.bytes);
  discardBytes(file, options);
  const mimeType = /gzip/i.test(file.mimeType ?? "") ? null : file.mimeType;
  const unpacked = { name: nameWithoutGzip(file.name), mimeType, bytes };
  return await extractFile(unpacked, { ...options, discardsBytes: true }, depth);
}

async function extractFile(
  file: RawDocument,
  options: ExtractContext,
  depth: number,
): Promise<ExtractedDocument> {
  if (file.bytes.length === 0) throw new UnreadableDocument(NO_TEXT, "empty");
  const detected = detectFormat(file);
  const extraction =
    "foreign" in detected
      ? await readPictureFile(file, detected.foreign, options)
      : await extractAs(detected.format, file, options, depth);
  if (extraction.text.length > LONG_CHARACTERS) discardBytes(file, options);
  const { yieldToOthers, pictures } = options;
  const cleaned = await runCooperatively(removeHiddenCharacters(extraction), yieldToOthers);
  // The marks of pictures count as text until the outermost document is complete.
  const document = depth === 0 ? await pictures.complete(cleaned) : cleaned;
  let hasText = false;
  const look = walkParts(document.markdown, (part) => !(hasText = /[\p{L}\p{N}\p{S}]/u.test(part)));
  await runCooperatively(look, yieldToOthers);
  if (!hasText) throw textlessDocument(extraction, depth === 0 ? pictures : null);
  return {
    ...document,
    title: document.title === null ? null : makePrintable(document.title) || null,
    notes: document.notes.map(makePrintable),
    language: declaredLanguage(document) ?? detectLanguage(document.markdown),
  };
}

/** The file's own bytes are empty from now on. */
function discardBytes({ bytes }: RawDocument, { discardsBytes }: ExtractContext): void {
  if (discardsBytes) releaseBytes(bytes);
}

/** Removes control characters: names within documents become titles and notes. */
const makePrintable = (name: string) => name.replace(/\p{Cc}+/gu, " ").trim();

const LANGUAGE_TAG = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i;

function declaredLanguage({ language }: ExtractedDocument): string | null {
  const tag = language?.trim().replaceAll("_", "-") ?? "";
  return LANGUAGE_TAG.test(tag) ? tag : null;
}

function textlessDocument({ reason = NO_TEXT, notes: own }: Extraction, pictures: Pictures | null) {
  const { unread = 0, skipped = 0, notes = [] } = pictures ?? {};
  const code = unread > 0 ? "picture" : "no-text";
  const why =
    notes.length > 0 ? notes : [reason, ...own, ...countNote(skipped, "picture", "left out")];
  return new UnreadableDocument(why.join("; "), code, { unread });
}

async function readPictureFile(
  { bytes }: RawDocument,
  mediaType: string,
  { pictures }: ExtractContext,
): Promise<Extraction> {
  if (!isReadablePicture(mediaType))
    throw new UnreadableDocument(unsupportedMessage(mediaType), "unsupported");
  const text = await pictures.add(() => pictureOfFile(bytes, mediaType));
  return { text, title: null, language: null, pages: [], notes: [] };
}

async function extractAs(
  format: DocumentFormat,
  file: RawDocument,
  options: ExtractContext,
  depth: number,
): Promise<Extraction> {
  const { yieldToOthers, pictures } = options;
  const reader = await format.read();
  if ("readFile" in reader) {
    const extract = (part: RawDocument) =>
      extractNested(part, { ...options, discardsBytes: true }, depth + 1);
    return await reader.readFile(file, { ...options, depth, extract });
  }
  if ("readBytes" in reader) {
    const reading = explainDefects(reader.readBytes(file.bytes, pictures));
    const extraction = await runCooperatively(reading, yieldToOthers);
    await pictures.readReserved();
    return extraction;
  }
  const readText = function* () {
    const decoded = yield* decodeFile(file);
    discardBytes(file, options);
    const text = yield* withoutEmbeddedData(yield* withLineFeeds(decoded));
    const extraction = yield* reader.readText(text, file);
    return { ...extraction, notes: [...decoded.notes, ...extraction.notes] };
  };
  return await runCooperatively(explainDefects(readText()), yieldToOthers);
}

/** An unexpected error is caused by the document: it would recur at every attempt. */
function* explainDefects(reading: CooperativeWork<Extraction>): CooperativeWork<Extraction> {
  try {
    return yield* reading;
  } catch (cause) {
    if (cause instanceof UnreadableDocument) throw cause;
    throw damagedDocument(cause);
  }
}

const damagedDocument = (cause?: unknown) =>
  new UnreadableDocument("document is damaged or made in a way that cannot be read", "damaged", {
    cause,
  });

/** Bytes that are no text. A type that has a reader is what they are not. */
function unsupportedBytes(mimeType: string | null): UnreadableDocument {
  const mediaType = unknownMediaType(mimeType);
  if (kindByMediaType(mediaType) !== null) return damagedDocument();
  return new UnreadableDocument(unsupportedMessage(mediaType), "unsupported");
}

function* decodeFile(file: RawDocument): CooperativeWork<DecodedText> {
  const { bytes, mimeType } = file;
  if (looksBinary(bytes)) throw unsupportedBytes(mimeType);
  try {
    return yield* decodeText(bytes, declaredEncoding(bytes, mimeType));
  } catch (error) {
    // Zeros that are not halves of UTF-16 characters do not occur in text.
    throw bytes.includes(0) ? unsupportedBytes(mimeType) : error;
  }
}

const LOOK_BYTES = 1 << 13;
const CONTROL_SHARE = 0.1;

/** Control characters are rare in text of any encoding; UTF-16 aside. */
function looksBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, LOOK_BYTES);
  const isControl = (byte: number) => byte < 0x20 && (byte < 0x07 || byte > 0x0d);
  const controls = head.reduce((count, byte) => count + (isControl(byte) ? 1 : 0), 0);
  return !head.includes(0) && controls > head.length * CONTROL_SHARE;
}
