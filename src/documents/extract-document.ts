import { runCooperatively } from "../core/work/cooperative.ts";
import type { YieldToOthers, CooperativeWork } from "../core/work/cooperative.ts";
import type { DocumentConverter } from "./document-converter.ts";
import { textOf, UnreadableDocument } from "./extracted-document.ts";
import type { ExtractedDocument, Extraction, RawDocument } from "./extracted-document.ts";
import { PICTURES, unsupported } from "./media-type/advice.ts";
import { detectKind, unknownMediaType } from "./media-type/detect-kind.ts";
import { codeLanguage } from "./media-type/document-kinds.ts";
import type { DocumentKind } from "./media-type/document-kinds.ts";
import { releaseBytes } from "./release-bytes.ts";
import {
  declaredEncoding,
  decodeText,
  utf16OfOneScript,
  withLineFeeds,
} from "./decoding/decode-text.ts";
import { detectLanguage } from "./decoding/detect-language.ts";
import { removeHiddenCharacters } from "./decoding/hidden-characters.ts";

export { UnreadableDocument } from "./extracted-document.ts";
export type { ExtractedDocument } from "./extracted-document.ts";

export type ExtractOptions = {
  /** Reads images and scans; null or absent: these are unreadable. */
  converter?: DocumentConverter | null;
  /** Releases the file's buffer as soon as it is read, to make room for its text. */
  discardsBytes?: boolean;
  /** Awaited at intervals while a long document is read; an error it throws ends the reading. */
  yieldToOthers?: YieldToOthers;
};

const NO_TEXT = "no text found";
/** Shorter texts fit in memory beside their file. */
const LONG_CHARACTERS = 1 << 20;

/**
 * Reads a document of any supported kind. Extractors are loaded when first needed.
 * @throws UnreadableDocument with a plain message when the document can never be read.
 */
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
  if (file.bytes.length === 0) throw new UnreadableDocument(NO_TEXT);
  const found = detectKind(file);
  const extraction =
    "foreign" in found
      ? await convertForeign(file, found.foreign, options)
      : await extractKind(found.kind, file, options, depth);
  // The bytes of a PDF are already released, or restored because a converter may need them.
  const isPdf = !("foreign" in found) && found.kind === "pdf";
  if (!isPdf && extraction.text.length > LONG_CHARACTERS) discardBytes(file, options);
  const document = await runCooperatively(removeHiddenCharacters(extraction), yieldFor(options));
  if (!/[\p{L}\p{N}\p{S}]/u.test(document.markdown)) {
    if (isPdf) {
      const { reason = NO_TEXT } = extraction;
      const { text, ...facts } = await convertForeign(file, "application/pdf", options, reason);
      return { ...facts, markdown: textOf({ text, ...facts }) };
    }
    throw new UnreadableDocument(extraction.reason ?? NO_TEXT);
  }
  return { ...document, language: declaredLanguage(document) ?? detectLanguage(document.markdown) };
}

/** The file's own bytes are empty from now on. */
function discardBytes({ bytes }: RawDocument, { discardsBytes = false }: ExtractOptions): void {
  if (discardsBytes) releaseBytes(bytes);
}

const LANGUAGE_TAG = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i;

/** The language that the document declares, when it is a language tag (BCP 47). */
function declaredLanguage({ language }: ExtractedDocument): string | null {
  const tag = language?.trim().replaceAll("_", "-") ?? "";
  return LANGUAGE_TAG.test(tag) ? tag : null;
}

/** Converts images and scans, where a converter is available. */
async function convertForeign(
  file: RawDocument,
  mediaType: string,
  options: ExtractOptions,
  otherwise = unsupported(mediaType, mediaType.startsWith("image/") ? PICTURES : undefined),
): Promise<Extraction> {
  const isPicture = mediaType.startsWith("image/") || mediaType === "application/pdf";
  const converter = options.converter ?? null;
  if (!isPicture || converter === null) throw new UnreadableDocument(otherwise);
  const text = await converter.toMarkdown(file.name, mediaType, file.bytes);
  if (text.trim() === "") throw new UnreadableDocument(NO_TEXT);
  const notes = ["read by a converter"];
  return { text, title: null, language: null, pages: [], notes };
}

type BinaryExtractor = (bytes: Uint8Array) => CooperativeWork<Extraction>;
type TextExtractor = (text: string, file: RawDocument) => CooperativeWork<Extraction>;

const neverYield: YieldToOthers = () => Promise.resolve();
const yieldFor = ({ yieldToOthers = neverYield }: ExtractOptions) => yieldToOthers;

const BINARY_EXTRACTORS: Partial<Record<DocumentKind, () => Promise<BinaryExtractor>>> = {
  docx: async () => (await import("./formats/office/docx/extract-docx.ts")).extractDocx,
  pptx: async () => (await import("./formats/office/slides/extract-pptx.ts")).extractPptx,
  xlsx: async () => (await import("./formats/office/sheets/extract-xlsx.ts")).extractXlsx,
  odt: async () => odf("text"),
  ods: async () => odf("spreadsheet"),
  odp: async () => odf("presentation"),
  "flat-odf": async () => (await import("./formats/office/odf/extract-odf.ts")).extractFlatOdf,
  epub: async () => (await import("./formats/epub/extract-epub.ts")).extractEpub,
  rtf: async () => (await import("./formats/rtf/extract-rtf.ts")).extractRtf,
};

async function odf(kind: "text" | "spreadsheet" | "presentation"): Promise<BinaryExtractor> {
  const { extractOdf } = await import("./formats/office/odf/extract-odf.ts");
  return (bytes) => extractOdf(bytes, kind);
}

const TEXT_EXTRACTORS: Partial<Record<DocumentKind, () => Promise<TextExtractor>>> = {
  markdown: async () => (await import("./formats/markdown/extract-markdown.ts")).extractMarkdown,
  html: async () => (await import("./formats/html/extract-html.ts")).extractHtml,
  csv: async () => {
    const { extractCsv } = await import("./formats/csv/extract-csv.ts");
    return (text) => extractCsv(text);
  },
  tsv: async () => {
    const { extractCsv } = await import("./formats/csv/extract-csv.ts");
    return (text) => extractCsv(text, "\t");
  },
  json: async () => (await import("./formats/json/extract-json.ts")).extractJson,
  xml: async () => (await import("./formats/xml/extract-xml.ts")).extractXml,
  notebook: async () => (await import("./formats/json/extract-notebook.ts")).extractNotebook,
  code: async () => {
    const { extractSourceCode } = await import("./formats/markdown/extract-source-code.ts");
    return (text, { name }) => extractSourceCode(text, codeLanguage(name));
  },
};

async function extractKind(
  kind: DocumentKind,
  file: RawDocument,
  options: ExtractOptions,
  depth: number,
): Promise<Extraction> {
  if (kind === "eml") {
    const { extractMail } = await import("./formats/mail/extract-mail.ts");
    return await extractMail(file.bytes, {
      depth,
      discardsBytes: options.discardsBytes ?? false,
      yieldToOthers: yieldFor(options),
      // A part's bytes are a copy.
      extract: (part) => extractNested(part, { ...options, discardsBytes: true }, depth + 1),
    });
  }
  if (kind === "pdf") {
    const { extractPdf } = await import("./formats/pdf/extract-pdf.ts");
    return await extractPdf(file, yieldFor(options));
  }
  const binary = BINARY_EXTRACTORS[kind];
  if (binary !== undefined) {
    const extractBinary = await binary();
    return await runCooperatively(unlessBroken(extractBinary(file.bytes)), yieldFor(options));
  }
  const decoded = decodeFile(file);
  discardBytes(file, options);
  const extractor = await TEXT_EXTRACTORS[kind]?.();
  const extract =
    extractor ?? (await import("./formats/markdown/extract-plain-text.ts")).extractPlainText;
  const text = withLineFeeds(decoded);
  // Where line ends changed, release the former text.
  decoded.text = "";
  const extraction = await runCooperatively(unlessBroken(extract(text, file)), yieldFor(options));
  return { ...extraction, notes: [...decoded.notes, ...extraction.notes] };
}

/**
 * An error that no extractor expects is caused by the document: it would recur at every attempt.
 */
function* unlessBroken(reading: CooperativeWork<Extraction>): CooperativeWork<Extraction> {
  try {
    return yield* reading;
  } catch (cause) {
    if (cause instanceof UnreadableDocument) throw cause;
    throw new UnreadableDocument("document is damaged or made in a way that cannot be read", {
      cause,
    });
  }
}

function decodeFile(file: RawDocument) {
  const { bytes, mimeType } = file;
  const unknown = unsupported(unknownMediaType(mimeType));
  if (looksBinary(bytes)) throw new UnreadableDocument(unknown);
  try {
    return decodeText(bytes, declaredEncoding(bytes, mimeType));
  } catch (error) {
    // Zeros that are not halves of UTF-16 characters do not occur in text.
    throw bytes.includes(0) ? new UnreadableDocument(unknown) : error;
  }
}

const LOOK_BYTES = 1 << 13;
const CONTROL_SHARE = 0.1;

/** Control characters are rare in text of any encoding; UTF-16's zeros and high bytes aside. */
function looksBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, LOOK_BYTES);
  const isControl = (byte: number) => byte < 0x20 && (byte < 0x07 || byte > 0x0d);
  const controls = head.reduce((count, byte) => count + (isControl(byte) ? 1 : 0), 0);
  const isFull = !head.includes(0) && controls > head.length * CONTROL_SHARE;
  return isFull && utf16OfOneScript(head) === null;
}
