import type { CooperativeWork, YieldToOthers } from "../core/work/cooperative.ts";
import type { ExtractedDocument, Extraction, RawDocument } from "./extracted-document.ts";
import type { Pictures } from "./pictures/pictures.ts";

/** Needed by a format that contains other documents. */
export type Reading = {
  depth: number;
  /** Releases the file's bytes as soon as its parts are decoded. */
  discardsBytes: boolean;
  yieldToOthers: YieldToOthers;
  extract: (part: RawDocument) => Promise<ExtractedDocument>;
  pictures: Pictures;
};

type FormatReader =
  | { readText(text: string, file: RawDocument): CooperativeWork<Extraction> }
  | { readBytes(bytes: Uint8Array, pictures: Pictures): CooperativeWork<Extraction> }
  | { readFile(file: RawDocument, reading: Reading): Promise<Extraction> };

export type DocumentFormat<Kind extends string = string> = {
  kind: Kind;
  /** Endings of file names by media type, such as `{ "text/csv": "csv" }`. */
  files: Record<string, string>;
  /** The first bytes of every file, as Latin-1. */
  signature?: string;
  /** Marks of a ZIP file of this format: its `mimetype`, a part or folder, its list of types. */
  zip?: { declared?: RegExp; holds?: string; types?: RegExp };
  /** Whether parts of a file are compressed, as all of a ZIP file are: its text may be longer. */
  isPacked?: boolean;
  /** Imports the module that reads it, so that it costs nothing at start-up. */
  read: () => Promise<FormatReader>;
};
