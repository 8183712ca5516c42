import type { RawDocument } from "./extracted-document.ts";

/** The kinds of document that there is an extractor for. */
export type DocumentKind = "text" | "markdown" | "html";

const KINDS_BY_ENDING: Record<string, DocumentKind> = {
  md: "markdown",
  markdown: "markdown",
  mdx: "markdown",
  html: "html",
  htm: "html",
  xhtml: "html",
  txt: "text",
};

const KINDS_BY_MEDIA_TYPE: Record<string, DocumentKind> = {
  "text/markdown": "markdown",
  "text/html": "html",
  "application/xhtml+xml": "html",
  "text/plain": "text",
};

/** By name, then by what the sender said. */
export function detectKind(file: RawDocument): DocumentKind | null {
  const ending = /\.([a-z0-9]+)$/i.exec(file.name)?.[1]?.toLowerCase() ?? "";
  const mediaType = file.mimeType?.split(";")[0]?.trim().toLowerCase() ?? "";
  return KINDS_BY_ENDING[ending] ?? KINDS_BY_MEDIA_TYPE[mediaType] ?? null;
}
