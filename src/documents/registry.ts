import type { DocumentFormat } from "./document-format.ts";
import { code } from "./formats/code/manifest.ts";
import { csv, tsv } from "./formats/csv/manifest.ts";
import { epub } from "./formats/epub/manifest.ts";
import { html } from "./formats/html/manifest.ts";
import { json } from "./formats/json/manifest.ts";
import { mail } from "./formats/mail/manifest.ts";
import { man } from "./formats/man/manifest.ts";
import { markdown } from "./formats/markdown/manifest.ts";
import { notebook } from "./formats/notebook/manifest.ts";
import { docx } from "./formats/office/docx/manifest.ts";
import { odf } from "./formats/office/odf/manifest.ts";
import { xlsx } from "./formats/office/sheets/manifest.ts";
import { pptx } from "./formats/office/slides/manifest.ts";
import { pdf } from "./formats/pdf/manifest.ts";
import { rtf } from "./formats/rtf/manifest.ts";
import { plainText } from "./formats/text/manifest.ts";
import { xml } from "./formats/xml/manifest.ts";

const LISTED = [
  plainText,
  markdown,
  html,
  csv,
  tsv,
  json,
  xml,
  notebook,
  code,
  pdf,
  docx,
  pptx,
  xlsx,
  odf,
  epub,
  rtf,
  mail,
  man,
];

export type DocumentKind = (typeof LISTED)[number]["kind"];

/** Every format that is read. */
export const FORMATS: DocumentFormat<DocumentKind>[] = LISTED;
