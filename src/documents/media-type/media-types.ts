import { kindByName, PACKED_KINDS } from "./document-kinds.ts";
import type { DocumentKind } from "./document-kinds.ts";

const TYPE_OF_KIND: Record<Exclude<DocumentKind, "code">, string> = {
  text: "text/plain",
  markdown: "text/markdown",
  html: "text/html",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  json: "application/json",
  xml: "application/xml",
  notebook: "application/x-ipynb+json",
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
  "flat-odf": "application/xml",
  epub: "application/epub+zip",
  rtf: "application/rtf",
  eml: "message/rfc822",
};

/** Extensions without a kind, or with a media type of their own within it. */
const TYPE_OF_EXTENSION = new Map(
  Object.entries({
    doc: "application/msword",
    gif: "image/gif",
    jpeg: "image/jpeg",
    jpg: "image/jpeg",
    mbox: "application/mbox",
    png: "image/png",
    svg: "image/svg+xml",
    tiff: "image/tiff",
    webp: "image/webp",
    yaml: "application/yaml",
    yml: "application/yaml",
    zip: "application/zip",
  }),
);

export const UNKNOWN_MEDIA_TYPE = "application/octet-stream";

/**
 * The media type that a file's extension suggests. Extensions of source code are unreliable: an
 * address that ends in `.php` is a page.
 */
export function mediaTypeByName(name: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined) return UNKNOWN_MEDIA_TYPE;
  const own = TYPE_OF_EXTENSION.get(extension);
  if (own !== undefined) return own;
  const kind = kindByName(name);
  return kind === null || kind === "code" ? UNKNOWN_MEDIA_TYPE : TYPE_OF_KIND[kind];
}

const COMPRESSED = new Set<DocumentKind | null>([...PACKED_KINDS, "eml"]);
const COMPRESSED_TYPE = /pdf|officedocument|opendocument|epub|macroenabled|rfc822/i;

/**
 * Whether a document is or contains compressed data, so that its text may be longer than its
 * bytes.
 */
export const mayBeCompressed = (name: string, mimeType: string) =>
  COMPRESSED.has(kindByName(name)) || COMPRESSED_TYPE.test(mimeType);
