import type { DocumentConverter } from "../../ports/document-converter.ts";
import { decodeText } from "./decode-text.ts";
import { detectKind } from "./detect-media-type.ts";
import { UnreadableDocument } from "./extracted-document.ts";
import type { ExtractedDocument, RawDocument } from "./extracted-document.ts";
import { removeHiddenCharacters } from "./hidden-characters.ts";

export { EXTRACTION_FORMAT, UnreadableDocument } from "./extracted-document.ts";
export type { ExtractedDocument } from "./extracted-document.ts";

const UNKNOWN_TYPE = "application/octet-stream";

/**
 * Reads a document of any supported kind. Extractors are loaded when first needed.
 * @throws UnreadableDocument with a plain message when the document can never be read.
 */
export async function extractDocument(
  file: RawDocument,
  _options: { converter?: DocumentConverter | null } = {},
): Promise<ExtractedDocument> {
  if (file.bytes.length === 0) throw new UnreadableDocument("no text found");
  const document = removeHiddenCharacters(await extractByKind(file));
  if (document.markdown.trim() === "") throw new UnreadableDocument("no text found");
  return document;
}

async function extractByKind(file: RawDocument): Promise<ExtractedDocument> {
  const kind = detectKind(file);
  if (kind === null) {
    throw new UnreadableDocument(`unsupported media type: ${file.mimeType ?? UNKNOWN_TYPE}`);
  }
  const { text } = decodeText(file.bytes, null);
  if (kind === "html") return (await import("./html.ts")).extractHtml(text);
  if (kind === "markdown") return (await import("./markdown.ts")).extractMarkdown(text);
  return (await import("./plain-text.ts")).extractPlainText(text);
}
