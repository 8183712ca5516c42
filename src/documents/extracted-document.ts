import type { FileFailure } from "../core/file-failures.ts";
/** Where a page, slide or sheet begins: character offset in `markdown`. Numbers count from 1. */
export type PageStart = { page: number; start: number };
/** Character offsets, end exclusive. */
export type Span = { start: number; end: number };

/** A document as text with structure. Plain JSON: it is stored by content hash and read again. */
export type ExtractedDocument = {
  markdown: string;
  title: string | null;
  /** BCP 47, as the document declares it or as its words indicate; null when neither is known. */
  language: string | null;
  /** In order of `start`; empty for documents without pages. */
  pages: PageStart[];
  /** Omissions and repairs, such as "12 invisible characters removed". */
  notes: string[];
  /** Parts of the text that a model read from pictures, in order; absent: none. */
  recognised?: Span[];
  /** Pictures that no model has read yet; absent: none. */
  unread?: number;
  /** Pictures within the document that were not to be read; absent: none. */
  skipped?: number;
  /** The model that was to read its pictures. */
  imageModel?: string | null;
};

/** The result of an extractor. Its text is assembled after the file's bytes are released. */
export type Extraction = Omit<ExtractedDocument, "markdown"> & {
  text: string | { readonly length: number; take(): string };
  reason?: string;
};

export const textOf = ({ text }: Extraction) => (typeof text === "string" ? text : text.take());

/** Part of the key that an extracted document is stored under. */
export { EXTRACTION_FORMAT } from "../core/index-format.ts";

/** The document can never be read; the message is shown as the file's `errorMessage`. */
export class UnreadableDocument extends Error {
  override readonly name = "UnreadableDocument";
  readonly code: FileFailure;
  /** Pictures that no model has read yet: with one, it may be readable. */
  readonly unread: number;

  constructor(
    message: string,
    code: FileFailure = "beyond-limits",
    { unread = 0, ...options }: ErrorOptions & { unread?: number } = {},
  ) {
    super(message, options);
    this.code = code;
    this.unread = unread;
  }
}

/** The time for one document is used up; its other parts are not tried. */
export class TakesTooLong extends UnreadableDocument {
  constructor(minutes: number) {
    super(`reading it takes longer than ${minutes} minutes; split it into several`);
  }
}

/** Why one part of a document cannot be read. @throws what ends the reading of all parts. */
export function reasonOf(error: unknown): UnreadableDocument {
  if (error instanceof UnreadableDocument && !(error instanceof TakesTooLong)) return error;
  throw error;
}

export type RawDocument = { name: string; mimeType: string | null; bytes: Uint8Array };
