import { indexOfBytes } from "../../core/bytes/find-bytes.ts";
import type { DocumentFormat } from "../document-format.ts";
import { UnreadableDocument, type RawDocument } from "../extracted-document.ts";
import { declaredType } from "../formats/archive/declared-type.ts";
import { ZipArchive } from "../formats/archive/zip-archive.ts";
import { FORMATS, type DocumentKind } from "../registry.ts";
import { FLAT_ODF, foreignMediaType, headOf } from "./foreign-types.ts";
import { kindByMediaType, kindByName } from "./media-types.ts";

type Format = DocumentFormat<DocumentKind>;
type FormatGuess = { format: Format } | { foreign: string };

const PDF_HEADER_BYTES = 1_024;
const SNIFFED_BYTES = 4_096;
const [TAB, RETURN, ESCAPE, SPACE] = [0x09, 0x0d, 0x1b, 0x20] as const;
const OLE_SIGNATURE = "\xd0\xcf\x11\xe0";
/** Office documents in one XML file, which are not read. */
const FLAT_OFFICE =
  /^\s*(?:\xef\xbb\xbf)?<\?xml\s[^]*<(?:w:wordDocument|pkg:package|(office:document))[\s>]/;
const UNKNOWN_BINARY = "application/octet-stream";

/** By content, then name, then media type. @throws UnreadableDocument for damaged archives */
export function detectFormat(file: RawDocument): FormatGuess {
  const head = headOf(file.bytes);
  if (isPdf(file)) return { format: formatOf("pdf") };
  if (head.startsWith("PK\x03\x04")) return zipFormat(file);
  if (head.startsWith(OLE_SIGNATURE)) return { foreign: oleMediaType(file.bytes) };
  const start = head.replace(/^\xef\xbb\xbf/, "").trimStart();
  const signed = FORMATS.find(({ signature }) => signature && start.startsWith(signature));
  if (signed !== undefined) return { format: signed };
  const foreign = foreignMediaType(file.bytes);
  if (foreign !== null) return { foreign };
  const flat = FLAT_OFFICE.exec(headOf(file.bytes, SNIFFED_BYTES));
  if (flat !== null) return { foreign: flat[1] === undefined ? "application/msword" : FLAT_ODF };
  return { format: formatOf(textKind(file)) };
}

function formatOf(kind: DocumentKind): Format {
  const format = FORMATS.find((each) => each.kind === kind);
  if (format === undefined) throw new Error(`no format ${kind}`);
  return format;
}

/** Readers find the header in the first kilobyte (ISO 32000-2, annex I), but text may mention it. */
function isPdf({ name, mimeType, bytes }: RawDocument): boolean {
  const head = headOf(bytes, PDF_HEADER_BYTES);
  if (!head.includes("%PDF-")) return false;
  const isNamed = (kindByName(name) ?? kindByMediaType(mimeType)) === "pdf";
  if (isNamed || !isPlainText(bytes)) return true;
  return /^\s*%PDF-\d/.test(head) && indexOfBytes(bytes, "obj") >= 0;
}

const PLAIN_BYTES = 1 << 20;

/** Whether none of many bytes is a control character that text in a single-byte encoding never contains. */
function isPlainText(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, PLAIN_BYTES);
  return head.every((byte) => byte >= SPACE || (byte >= TAB && byte <= RETURN) || byte === ESCAPE);
}

function zipFormat(file: RawDocument): FormatGuess {
  const archive = new ZipArchive(file.bytes);
  const declared = declaredType(archive);
  const byDeclaration = FORMATS.find(({ zip }) => zip?.declared?.test(declared));
  if (byDeclaration !== undefined) return { format: byDeclaration };
  if (archive.has("xl/workbook.bin")) {
    return { foreign: "application/vnd.ms-excel.sheet.binary.macroenabled.12" };
  }
  if (/opendocument\.graphics/.test(declared)) {
    return { foreign: "application/vnd.oasis.opendocument.graphics" };
  }
  const names = archive.names();
  const hasEntry = (place: string) => names.some((name) => name.startsWith(place));
  // Office packages can store their parts in any folder: the list of parts determines the format.
  const [start] = archive.chunks("[Content_Types].xml");
  const types = start === undefined ? "" : headOf(start, SNIFFED_BYTES);
  const format =
    FORMATS.find(({ zip }) => zip?.holds !== undefined && hasEntry(zip.holds)) ??
    FORMATS.find(({ zip }) => zip?.types?.test(types));
  if (format !== undefined) return { format };
  if (hasEntry("visio/")) return { foreign: "application/vnd.ms-visio.drawing" };
  const isIWork = names.some((name) => /\.iwa$|^index\.(apxl|xml)(\.gz)?$|^Index\.zip$/.test(name));
  return { foreign: isIWork ? "application/vnd.apple.iwork" : "application/zip" };
}

/** The type of a compound file. @throws UnreadableDocument for documents with a password */
function oleMediaType(bytes: Uint8Array): string {
  const hasEntry = (name: string) => indexOfBytes(bytes, name.replace(/./g, "$&\0")) >= 0;
  if (hasEntry("EncryptedPackage"))
    throw new UnreadableDocument("document is encrypted", "encrypted");
  if (hasEntry("WordDocument")) return "application/msword";
  if (hasEntry("PowerPoint Document")) return "application/vnd.ms-powerpoint";
  if (hasEntry("Workbook") || hasEntry("Book")) return "application/vnd.ms-excel";
  return hasEntry("__properties_version1.0")
    ? "application/vnd.ms-outlook"
    : "application/x-ole-storage";
}

/** The kind of a text file; a file that is not text fails when it is decoded. */
function textKind(file: RawDocument): DocumentKind {
  const byName = kindByName(file.name);
  const head = headOf(file.bytes, SNIFFED_BYTES).replace(/^\xef\xbb\xbf/, "");
  const start = head
    .replace(/\0/g, "")
    .replace(/^[\xff\xfe]{2}/, "")
    .trimStart();
  if (isManualPage(file, byName, start)) return "man";
  const bySniffing = sniffKind(start, byName) ?? sniffLeniently(start, byName, file);
  if (bySniffing !== null) return bySniffing;
  const kind = byName ?? kindByMediaType(file.mimeType) ?? "text";
  if (kind === "man") return "text";
  if (kind === "mail" && !/^(?:\d{1,10}\s+)?(?:[\w-]+:|From )/.test(start)) return "text";
  // Programs name the rows that they export like workbooks.
  if (kind === "xlsx" || WORKBOOK_TYPE.test(`${file.name} ${file.mimeType}`)) return "csv";
  return BINARY_KINDS.has(kind) ? "text" : kind;
}

const WORKBOOK_TYPE = /\.xls |ms-excel$/i;
const MANUAL_NAME = /\.[1-9n][a-z]{0,12}$/i;
const MANUAL_START = /^[.'][ \t]*(?:TH[ \t]+\S|D[dt][ \t]|so[ \t]+man)/m;

/** A manual page has a section as its ending, `ls.1`, and begins with the macro of its title. */
function isManualPage({ name, mimeType }: RawDocument, byName: DocumentKind | null, start: string) {
  const isNamed = byName === "man" || MANUAL_NAME.test(name);
  return (isNamed || kindByMediaType(mimeType) === "man") && MANUAL_START.test(start);
}

/** Fragments of HTML and JSON, where neither the name nor the sender indicates otherwise. */
function sniffLeniently(
  start: string,
  byName: DocumentKind | null,
  { bytes, mimeType }: RawDocument,
): DocumentKind | null {
  if (byName === "markdown" || byName === "json") return sniffJson(start, bytes);
  const kind = byName ?? kindByMediaType(mimeType) ?? "text";
  const isOpen = kind === "text" || kind === "mail" || BINARY_KINDS.has(kind);
  if (!isOpen || (kind === "mail" && !/^[<{[]/.test(start))) return null;
  return sniffMarkup(start, bytes);
}

const BINARY_KINDS = new Set(
  FORMATS.filter(({ signature, zip }) => signature ?? zip).map(({ kind }) => kind),
);
/** Allows leading comments, each ending at its first `-->`: there is one way to match them. */
const HTML_START = /^(?:<!--(?:(?!-->)[^])*-->\s*)*<(?:!doctype html|html[\s>])/i;
const MAIL_HEADER =
  /^(return-path|received|delivered-to|mime-version|message-id|from|to|subject|date|(?:x|arc|dkim|list|content)-[\w-]+|authentication-results|reply-to|cc):/i;
const MAIL_PROOF = /^(mime-version|message-id|received|return-path|content-type):/im;

function sniffKind(start: string, byName: DocumentKind | null): DocumentKind | null {
  const isOpen = byName === null || byName === "text" || BINARY_KINDS.has(byName);
  if (HTML_START.test(start)) {
    return byName === "xml" || byName === "code" || byName === "markdown" ? byName : "html";
  }
  if (/^<\?xml\s/i.test(start)) return xmlKind(start, byName);
  // In a mailbox, the headers follow the envelope line.
  const mail = start.replace(/^From [^\n]*\n/, "");
  if (isOpen && MAIL_HEADER.test(mail) && MAIL_PROOF.test(mail.split(/\r?\n\r?\n/, 1)[0] ?? ""))
    return "mail";
  return null;
}

function xmlKind(start: string, byName: DocumentKind | null): DocumentKind {
  if (/<html[\s>]/i.test(start)) return "html";
  return byName === "code" || byName === "html" ? byName : "xml";
}

export function unknownMediaType(mimeType: string | null): string {
  const bare = mimeType?.split(";")[0]?.trim().toLowerCase() ?? "";
  return /^[\w.+-]+\/[\w.+-]+$/.test(bare) && !bare.startsWith("text/") ? bare : UNKNOWN_BINARY;
}

const HTML_PART =
  /^<(?:body|head|title|meta|div|p|h[1-6]|table|ul|ol|article|section|main|span|center|font)[\s>]/i;
const STRING = String.raw`"(?:[^"\\\n]|\\.){0,1000}"`;
const JSON_START = new RegExp(String.raw`^(?:\[\s*)*(?:\{\s*${STRING}\s*:|${STRING}\s*[,\]])`);
const NOTEBOOK_START = /^\{\s*"(?:cells|metadata|nbformat(?:_minor)?)"\s*:/;
const TAIL_BYTES = 4_096;
const SUBTITLES_START = /^(?:WEBVTT\s|\d{1,6}\r?\n\d\d:\d\d:\d\d,\d{3} --> )/;

function sniffMarkup(start: string, bytes: Uint8Array): DocumentKind | null {
  if (HTML_PART.test(start)) return "html";
  if (SUBTITLES_START.test(start)) return "subtitles";
  if (/^<(?:svg|rss|feed|rdf:RDF)[\s>]/.test(start)) return "xml";
  return sniffJson(start, bytes);
}

/** JSON and JSON Lines: a key and its value first, and the closing bracket at the end. */
function sniffJson(start: string, bytes: Uint8Array): DocumentKind | null {
  const tail = headOf(bytes.subarray(-TAIL_BYTES), TAIL_BYTES).replace(/\0/g, "");
  if (!JSON_START.test(start) || !/[}\]]$/.test(tail.trimEnd())) return null;
  const isNotebook = NOTEBOOK_START.test(start) && (start + tail).includes('"nbformat"');
  return isNotebook ? "notebook" : "json";
}
