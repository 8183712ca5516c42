import { gzipSync, zlibSync } from "fflate";

import { docx as word, odf, xlsx as book } from "./office-files.ts";
import { HELVETICA, pdfOf, pdfStream } from "./pdf-of.ts";
import { bytesOf as utf8 } from "./read-document.ts";

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const OFFICE_SIGNATURE = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/** An OLE file with a part of this name. */
export const compound = (name: string) =>
  latin1(`${OFFICE_SIGNATURE}${name.replace(/./g, "$&\0")}\0\0`);
const NOTED = '<row><c t="str"><v>A note</v></c></row>';
const flate = zlibSync(new Uint8Array(50 << 20));
const pdf = (...objects: string[]) => pdfOf(objects);
const CATALOG = "<< /Type /Catalog /Pages 2 0 R >>";
const mail = (depth: number) =>
  Array.from(
    { length: depth },
    (_unused, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
  );

const pageWith = (content: string, ...objects: string[]) =>
  pdf(
    CATALOG,
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >> >>",
    pdfStream(content),
    ...objects,
  );
const NOTE = "BT /F1 9 Tf 9 9 Td <00410042> Tj ET";
const FONT = "/Type /Font /Subtype /Type0 /BaseFont /A /DescendantFonts [6 0 R]";
const CHARACTERS = "/Type /Font /Subtype /CIDFontType2 /BaseFont /A";
/** The codes of a map of 16 million characters. */
const map = `begincmap 1 begincodespacerange <000000> <ffffff> endcodespacerange
1 beginbfrange <000000> <fffffe> <0041> endbfrange endcmap`;
/** A form that draws the next one twice, and so on. */
const form = (at: number, last: number) => {
  const content = at === last ? NOTE : "/X Do /X Do";
  const resources = `<< /Font << /F1 5 0 R >> /XObject << /X ${at + 1} 0 R >> >>`;
  const entries = `/Type /XObject /Subtype /Form /BBox [0 0 99 99] /Resources ${resources}`;
  return pdfStream(content, entries);
};

/** Its reason, or, where it is harmless after all, what is found in it. */
export type HostileEnd = { error: string } | { text: string };

const EXPANDS = { error: "compressed data expands too much" };
const ENDLESS = { error: "PDF is damaged: too many of its objects have no end" };
const INCOMPLETE = { error: "PDF is damaged or incomplete" };
const TOO_LONG = { error: "document has more than 32 MiB of text; split it into several" };
const EMPTY = { error: "no text found" };
const READ = { text: "A note" };

const FILES: Record<string, [bytes: Uint8Array, end: HostileEnd]> = {
  "bomb.docx": [word("<w:p></w:p>\n".repeat(2 << 20)), EXPANDS],
  "bomb.pdf": [pdf(CATALOG, pdfStream(flate, "/Filter /FlateDecode")), EXPANDS],
  "laughs.docx": [
    word("<w:p><w:r><w:t>&a;</w:t></w:r></w:p>", {}, {}, '<!DOCTYPE x [<!ENTITY a "ha">]>'),
    { error: "XML declares entities" },
  ],
  "paragraph.docx": [
    word(`<w:p><w:r><w:t>${"a ".repeat(2 << 20)}</w:t></w:r></w:p>`),
    { error: "a single paragraph or cell has more than 2 million characters" },
  ],
  "fields.docx": [
    word(
      `<w:p><w:r><w:t>A note </w:t>${'<fldChar fldCharType="begin"/><fldChar fldCharType="separate"/><t>x</t>'.repeat(220_000)}</w:r></w:p>`,
    ),
    READ,
  ],
  "numbering.docx": [
    word("<w:p><w:r><w:t>A note</w:t></w:r></w:p>", {
      n: [
        "numbering",
        `<n>${Array.from({ length: 100_000 }, (_unused, at) => `<num numId="${at}"/>`).join("")}</n>`,
      ],
    }),
    READ,
  ],
  "locked.docx": [compound("EncryptedPackage"), { error: "document is encrypted" }],
  "half.docx": [word("<w:p/>").slice(0, 80), { error: "archive is damaged or incomplete" }],
  "attributes.docx": [
    word(`<w:p ${Array.from({ length: 2_000 }, (_unused, at) => `a${at}="1"`).join(" ")}/>`),
    { error: "XML element has too many attributes" },
  ],
  "cycle.pdf": [pdf(CATALOG, "<< /Type /Pages /Count 2 /Kids [2 0 R 2 0 R] >>"), EMPTY],
  "endless.pdf": [pdf(CATALOG, "<< /Type /Pages /Count 1000000 /Kids [] >>"), EMPTY],
  "deep.pdf": [pdf(`<< /Type /Catalog /Pages 2 0 R /X ${"[".repeat(100_000)} >>`), INCOMPLETE],
  "widths.pdf": [
    pageWith(
      NOTE,
      `<< ${FONT} /Encoding /Identity-H >>`,
      `<< ${CHARACTERS} /W [0 [500 500] 2 2147483647 500] >>`,
    ),
    { error: "PDF's font gives widths of too many characters" },
  ],
  "map.pdf": [
    pageWith(
      NOTE,
      `<< ${FONT} /Encoding /Identity-H /ToUnicode 7 0 R >>`,
      `<< ${CHARACTERS} >>`,
      pdfStream(map),
    ),
    { error: "PDF's font maps too many characters" },
  ],
  "states.pdf": [
    pageWith(`${"q ".repeat(20_000)}${NOTE}`, HELVETICA),
    { error: "PDF nests its graphics states too deeply" },
  ],
  "forms.pdf": [
    pageWith("/X Do", HELVETICA, ...Array.from({ length: 24 }, (_one, at) => form(at + 6, 29))),
    { error: "PDF's page 1 has too many pieces of text" },
  ],
  "objects.pdf": [latin1(`%PDF-1.7\n${"1 0 obj <<".repeat(70_000)}`), ENDLESS],
  "streams.pdf": [
    latin1(
      `%PDF-1.7\n${Array.from({ length: 20_000 }, (_one, at) => `${at} 0 obj << /Length 5 >>\nstream\n`).join("")}`,
    ),
    ENDLESS,
  ],
  "trailers.pdf": [latin1(`%PDF-1.7\n${"xref trailer << startxref ".repeat(20_000)}`), ENDLESS],
  "half.pdf": [latin1("%PDF-1.4\n1 0 obj\n<< /Type"), INCOMPLETE],
  "page.pdf": [
    utf8("<html><body><p>A note that is no PDF.</p></body></html>"),
    { text: "A note that is no PDF." },
  ],
  "deep.html": [
    utf8(`${"<div>".repeat(100_000)}A note from the deep.`),
    { error: "HTML nests too deeply" },
  ],
  "wide.html": [
    utf8(`<p>A note.</p><table><tr>${"<td colspan=200>".repeat(4_000)}`),
    { text: "A note." },
  ],
  "deep.json": [utf8("[".repeat(100_000)), { error: "JSON nests too deeply" }],
  "values.ipynb": [
    utf8(`{"nbformat":4,"metadata":{},"cells":[],"x":[${"[],".repeat(1_000_001)}1]}`),
    { error: "notebook has too many values; clear its largest outputs" },
  ],
  "deep.ipynb": [
    utf8(`{"nbformat":4,"metadata":{},"cells":${"[".repeat(100_000)}`),
    { error: "JSON is damaged or incomplete" },
  ],
  "deep.rtf": [utf8(`{\\rtf1 ${"{".repeat(100_000)}x`), { error: "RTF nests too deeply" }],
  "deep.xml": [utf8("<a>".repeat(100_000)), { error: "XML nests too deeply" }],
  "deep.eml": [
    utf8(`From: a@b.c\nMIME-Version: 1.0\n${mail(2_000).join("")}\nx`),
    { error: "message is damaged or nests too deeply" },
  ],
  "row.csv": [utf8(`a note,${"a,".repeat(100_000)}`), { text: "a note" }],
  "line.txt": [utf8(`A note ${"x".repeat(300_000)}`), READ],
  "comments.md": [utf8(`A note ${"<!--".repeat(50_000)}`), READ],
  "bomb.gz": [gzipSync(new Uint8Array(26 << 20)), { error: "file unpacks to more than 25 MiB" }],
  "noise.txt": [
    Uint8Array.from({ length: 4_096 }, (_unused, at) => (at * 7919 + (at >> 3)) % 256 || 1),
    { error: "text encoding is not recognised" },
  ],
  "fraction.xlsx": [
    book(`${NOTED}<row><c s="0"><v>0.5</v></c></row>`, {
      styles:
        '<numFmts><numFmt numFmtId="200" formatCode="# ?/100000000000000000000"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs>',
    }),
    { text: "0.5" },
  ],
  "formats.xlsx": [book(NOTED, { styles: `<cellXfs>${"<xf/>".repeat(300_000)}</cellXfs>` }), READ],
  "row.xlsx": [
    book(`<row>${'<c t="s"><v>0</v></c>'.repeat(20)}</row>`, {
      strings: `<si><t>${"a ".repeat(1 << 19)}</t></si>`,
    }),
    TOO_LONG,
  ],
  "row.ods": [
    odf(
      "spreadsheet",
      `<table:table><table:table-row><table:table-cell table:number-columns-repeated="20"><text:p>${"a ".repeat(1 << 19)}</text:p></table:table-cell></table:table-row></table:table>`,
    ),
    TOO_LONG,
  ],
  "sparse.xlsx": [
    book(NOTED + '<row><c r="A1"><v>1</v></c><c r="BXX1"><v>1</v></c></row>'.repeat(10_000)),
    READ,
  ],
  "empty.pdf": [new Uint8Array(), EMPTY],
};

/** Files made to break or hold up their reader, and what each ends as. */
export const HOSTILE_FILES = Object.entries(FILES).map(
  ([name, [bytes, end]]) => [name, bytes, end] as const,
);
