import {
  eachPart,
  runCooperatively,
  type CooperativeWork,
  type YieldToOthers,
} from "../core/work/cooperative.ts";
import {
  textOf,
  UnreadableDocument,
  type ExtractedDocument,
  type Extraction,
  type RawDocument,
} from "./extracted-document.ts";
import type { DocumentFormat } from "./document-format.ts";
import { gunzip, isGzip } from "./formats/archive/gunzip.ts";
import { detectFormat, unknownMediaType } from "./media-type/detect-format.ts";
import { PICTURES, unsupported } from "./media-type/foreign-types.ts";
import { unpackedName } from "./media-type/media-types.ts";
import { releaseBytes } from "./release-bytes.ts";
import {
  declaredEncoding,
  decodeText,
  withLineFeeds,
  type DecodedText,
} from "./decoding/decode-text.ts";
import { detectLanguage } from "./decoding/detect-language.ts";
import { removeHiddenCharacters } from "./decoding/hidden-characters.ts";

export { UnreadableDocument } from "./extracted-document.ts";
export type { ExtractedDocument } from "./extracted-document.ts";

/** Converts documents that have no extractor here (images, scans) to Markdown. */
export interface DocumentConverter {
  /** @throws Error with a plain message when the document cannot be converted. */
  toMarkdown(name: string, mimeType: string, bytes: Uint8Array): Promise<string>;
}

export type ExtractOptions = {
  /** Reads images and scans; null or absent: these are unreadable. */
  converter?: DocumentConverter | null;
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
  return extractNested(file, options, 0);
}

async function extractNested(
  file: RawDocument,
  options: ExtractOptions,
  depth: number,
): Promise<ExtractedDocument> {
  if (!isGzip(file.bytes)) return await extractFile(file, options, depth);
  const bytes = await gunzip(file.bytes);
  discardBytes(file, options);
  const mimeType = /gzip/i.test(file.mimeType ?? "") ? null : file.mimeType;
  const unpacked = { name: unpackedName(file.name), mimeType, bytes };
  return await extractFile(unpacked, { ...options, discardsBytes: true }, depth);
}

async function extractFile(
  file: RawDocument,
  options: ExtractOptions,
  depth: number,
): Promise<ExtractedDocument> {
  if (file.bytes.length === 0) throw new UnreadableDocument(NO_TEXT, "empty");
  const detected = detectFormat(file);
  const extraction =
    "foreign" in detected
      ? await convertForeign(file, detected.foreign, options)
      : await extractAs(detected.format, file, options, depth);
  // The bytes of a PDF are already released, or restored because a converter may need them.
  const isPdf = "format" in detected && detected.format.kind === "pdf";
  if (!isPdf && extraction.text.length > LONG_CHARACTERS) discardBytes(file, options);
  let hasText = false;
  const clean = function* () {
    const cleaned = yield* removeHiddenCharacters(extraction);
    yield* eachPart(cleaned.markdown, (part) => !(hasText = /[\p{L}\p{N}\p{S}]/u.test(part)));
    return cleaned;
  };
  const document = await runCooperatively(clean(), options.yieldToOthers ?? neverYield);
  if (!hasText) {
    if (isPdf) {
      const { reason = NO_TEXT } = extraction;
      const { text, ...facts } = await convertForeign(file, "application/pdf", options, reason);
      return { ...facts, markdown: textOf({ text, ...facts }) };
    }
    throw new UnreadableDocument(extraction.reason ?? NO_TEXT, "no-text");
  }
  return { ...document, language: declaredLanguage(document) ?? detectLanguage(document.markdown) };
}

/** The file's own bytes are empty from now on. */
function discardBytes({ bytes }: RawDocument, { discardsBytes = false }: ExtractOptions): void {
  if (discardsBytes) releaseBytes(bytes);
}

const LANGUAGE_TAG = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i;

function declaredLanguage({ language }: ExtractedDocument): string | null {
  const tag = language?.trim().replaceAll("_", "-") ?? "";
  return LANGUAGE_TAG.test(tag) ? tag : null;
}

async function convertForeign(
  file: RawDocument,
  mediaType: string,
  options: ExtractOptions,
  otherwise = unsupported(mediaType, mediaType.startsWith("image/") ? PICTURES : undefined),
): Promise<Extraction> {
  const isPicture = mediaType.startsWith("image/") || mediaType === "application/pdf";
  const converter = options.converter ?? null;
  if (!isPicture || converter === null) {
    throw new UnreadableDocument(
      otherwise,
      mediaType === "application/pdf" ? "no-text" : "unsupported",
    );
  }
  const text = await converter.toMarkdown(file.name, mediaType, file.bytes);
  if (text.trim() === "") throw new UnreadableDocument(NO_TEXT, "no-text");
  const notes = ["read by a converter"];
  return { text, title: null, language: null, pages: [], notes };
}

const neverYield: YieldToOthers = () => Promise.resolve();

async function extractAs(
  format: DocumentFormat,
  file: RawDocument,
  options: ExtractOptions,
  depth: number,
): Promise<Extraction> {
  const { yieldToOthers = neverYield, discardsBytes = false } = options;
  const reader = await format.read();
  if ("readFile" in reader) {
    const extract = (part: RawDocument) =>
      extractNested(part, { ...options, discardsBytes: true }, depth + 1);
    return await reader.readFile(file, { depth, discardsBytes, yieldToOthers, extract });
  }
  if ("readBytes" in reader) {
    return await runCooperatively(unlessBroken(reader.readBytes(file.bytes)), yieldToOthers);
  }
  const readText = function* () {
    const decoded = yield* decodeFile(file);
    discardBytes(file, options);
    const text = yield* withLineFeeds(decoded);
    const extraction = yield* reader.readText(text, file);
    return { ...extraction, notes: [...decoded.notes, ...extraction.notes] };
  };
  return await runCooperatively(unlessBroken(readText()), yieldToOthers);
}

/** An unexpected error is caused by the document: it would recur at every attempt. */
function* unlessBroken(reading: CooperativeWork<Extraction>): CooperativeWork<Extraction> {
  try {
    return yield* reading;
  } catch (cause) {
    if (cause instanceof UnreadableDocument) throw cause;
    throw new UnreadableDocument(
      "document is damaged or made in a way that cannot be read",
      "damaged",
      {
        cause,
      },
    );
  }
}

function* decodeFile(file: RawDocument): CooperativeWork<DecodedText> {
  const { bytes, mimeType } = file;
  const unknown = unsupported(unknownMediaType(mimeType));
  if (looksBinary(bytes)) throw new UnreadableDocument(unknown, "unsupported");
  try {
    return yield* decodeText(bytes, declaredEncoding(bytes, mimeType));
  } catch (error) {
    // Zeros that are not halves of UTF-16 characters do not occur in text.
    throw bytes.includes(0) ? new UnreadableDocument(unknown, "unsupported") : error;
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
