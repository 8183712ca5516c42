/** Where a page, slide or sheet begins: character offset in `markdown`. Numbers count from 1. */
export type PageStart = { page: number; start: number };

/** A document as text with structure. Plain JSON: it is kept by content hash and read again. */
export type ExtractedDocument = {
  markdown: string;
  title: string | null;
  /** BCP 47, as the document declares it or as its words show; null when neither tells. */
  language: string | null;
  /** In order of `start`; empty for documents without pages. */
  pages: PageStart[];
  /** Plain facts about what was left out or mended, such as "12 zero-width characters removed". */
  notes: string[];
};

/** What an extractor has read. Its text is put together when the file's bytes are gone. */
export type Extraction = Omit<ExtractedDocument, "markdown"> & {
  text: string | { readonly length: number; take(): string };
  /** Why there is no text, where that is known. */
  reason?: string;
};

export const textOf = ({ text }: Extraction) => (typeof text === "string" ? text : text.take());

/** Part of the key under which an extracted document is kept. */
export { EXTRACTION_FORMAT } from "../core/index-format.ts";

/** The document can never be read; the message is shown as the file's `errorMessage`. */
export class UnreadableDocument extends Error {
  override readonly name = "UnreadableDocument";
}

/** The time for one document is over; no other part of it is worth a try. */
export class TakesTooLong extends UnreadableDocument {
  constructor(minutes: number) {
    super(`reading it takes longer than ${minutes} minutes; split it into several`);
  }
}

/** A document as it came. */
export type RawDocument = { name: string; mimeType: string | null; bytes: Uint8Array };
