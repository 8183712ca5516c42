import { headOf } from "./foreign-types.ts";
import type { DocumentKind } from "../registry.ts";

const HTML_PART =
  /^<(?:body|head|title|meta|div|p|h[1-6]|table|ul|ol|article|section|main|span|center|font)[\s>]/i;
const STRING = String.raw`"(?:[^"\\\n]|\\.){0,1000}"`;
const JSON_START = new RegExp(String.raw`^(?:\[\s*)*(?:\{\s*${STRING}\s*:|${STRING}\s*[,\]])`);
const NOTEBOOK_START = /^\{\s*"(?:cells|metadata|nbformat(?:_minor)?)"\s*:/;
const TAIL_BYTES = 4_096;

/** By its beginning and end, where its name does not decide; null when unknown. */
export function sniffMarkup(start: string, bytes: Uint8Array): DocumentKind | null {
  if (HTML_PART.test(start)) return "html";
  if (/^<(?:svg|rss|feed|rdf:RDF)[\s>]/.test(start)) return "xml";
  return sniffJson(start, bytes);
}

/** JSON and JSON Lines: a key and its value first, and the closing bracket at the end. */
export function sniffJson(start: string, bytes: Uint8Array): DocumentKind | null {
  const tail = tailOf(bytes);
  if (!JSON_START.test(start) || !/[}\]]$/.test(tail.trimEnd())) return null;
  const isNotebook = NOTEBOOK_START.test(start) && (start + tail).includes('"nbformat"');
  return isNotebook ? "notebook" : "json";
}

function tailOf(bytes: Uint8Array): string {
  return headOf(bytes.subarray(-TAIL_BYTES), TAIL_BYTES).replace(/\0/g, "");
}

const MIN_ROWS = 3;
const LOOKED_AT_ROWS = 20;

/** Rows with the same number of cells; a delimiter before a space indicates prose. */
export function sniffTable(start: string): DocumentKind | null {
  const lines = start.split(/\r?\n/).slice(0, LOOKED_AT_ROWS);
  // The last line may be cut off.
  const rows = lines.slice(0, -1).map((line) => line.replace(/"(?:[^"]|"")*"/g, ""));
  if (rows.length < MIN_ROWS || rows.some((row) => row.includes('"'))) return null;
  for (const [delimiter, kind] of DELIMITERS) {
    const counts = new Set(rows.map((row) => row.split(delimiter).length));
    const isEven = counts.size === 1 && !counts.has(1);
    const isProse =
      rows.some((row) => row.includes(`${delimiter} `)) ||
      rows.every((row) => row.endsWith(delimiter));
    if (isEven && !isProse) return kind;
  }
  return null;
}

const DELIMITERS: [string, DocumentKind][] = [
  ["\t", "tsv"],
  [";", "csv"],
  [",", "csv"],
];
