import { gzipSync, zipSync, zlibSync } from "fflate";

const encoder = new TextEncoder();
const utf8 = (text: string) => encoder.encode(text);
const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const word = (body: string, prolog = "", more: Record<string, Uint8Array> = {}) =>
  zipSync({
    "word/document.xml": utf8(`${prolog}<w:document ${W}><w:body>${body}</w:body></w:document>`),
    ...more,
  });
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
/** A workbook of one sheet with a note and these rows. */
const book = (rows: string, styles = "", strings = "") => {
  const related = ["worksheet", "styles", "sharedStrings"].map(
    (type) => `<Relationship Id="${type}" Type="${OFFICE}/${type}" Target="${type}.xml"/>`,
  );
  return zipSync({
    "xl/workbook.xml": utf8(
      `<workbook xmlns:r="${OFFICE}"><sheets><sheet name="S" r:id="worksheet"/></sheets></workbook>`,
    ),
    "xl/_rels/workbook.xml.rels": utf8(`<Relationships>${related.join("")}</Relationships>`),
    "xl/styles.xml": utf8(`<styleSheet>${styles}</styleSheet>`),
    "xl/sharedStrings.xml": utf8(`<sst>${strings}</sst>`),
    "xl/worksheet.xml": utf8(
      `<worksheet><sheetData><row><c t="str"><v>A note</v></c></row>${rows}</sheetData></worksheet>`,
    ),
  });
};
const office = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const compound = (name: string) =>
  Uint8Array.from([...office, ...[...name].flatMap((letter) => [letter.charCodeAt(0), 0]), 0, 0]);
const flate = zlibSync(new Uint8Array(50 << 20));
const stream = [...flate].map((byte) => String.fromCharCode(byte)).join("");
const pdf = (...objects: string[]) =>
  latin1(
    `%PDF-1.7\n${objects.map((body, at) => `${at + 1} 0 obj\n${body}\nendobj\n`).join("")}trailer\n<< /Root 1 0 R >>\n%%EOF`,
  );
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
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ...objects,
  );
const NOTE = "BT /F1 9 Tf 9 9 Td <00410042> Tj ET";
const FONT = "/Type /Font /Subtype /Type0 /BaseFont /A /DescendantFonts [6 0 R]";
const CHARACTERS = "/Type /Font /Subtype /CIDFontType2 /BaseFont /A";
const HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
/** The codes of a map of 16 million characters. */
const map = `begincmap 1 begincodespacerange <000000> <ffffff> endcodespacerange
1 beginbfrange <000000> <fffffe> <0041> endbfrange endcmap`;
/** A form that draws the next one twice, and so on. */
const form = (at: number, last: number) => {
  const content = at === last ? NOTE : "/X Do /X Do";
  return `<< /Type /XObject /Subtype /Form /BBox [0 0 99 99] /Length ${content.length}
/Resources << /Font << /F1 5 0 R >> /XObject << /X ${at + 1} 0 R >> >> >>
stream\n${content}\nendstream`;
};

/** Its reason, or, where it is harmless after all, what is found in it. */
export type HostileEnd = { error: string } | { text: string };

/** Files made to break or hold up their reader, and what each ends as. */
export const HOSTILE_FILES: [name: string, bytes: Uint8Array, end: HostileEnd][] = [
  [
    "bomb.docx",
    word("<w:p></w:p>\n".repeat(2 << 20)),
    { error: "compressed data expands too much" },
  ],
  [
    "bomb.pdf",
    pdf(
      CATALOG,
      `<< /Length ${flate.length} /Filter /FlateDecode >>\nstream\n${stream}\nendstream`,
    ),
    { error: "compressed data expands too much" },
  ],
  [
    "laughs.docx",
    word("<w:p><w:r><w:t>&a;</w:t></w:r></w:p>", '<!DOCTYPE x [<!ENTITY a "ha">]>'),
    { error: "XML declares entities" },
  ],
  [
    "paragraph.docx",
    word(`<w:p><w:r><w:t>${"a ".repeat(2 << 20)}</w:t></w:r></w:p>`),
    { error: "a single paragraph or cell has more than 2 million characters" },
  ],
  [
    "fields.docx",
    word(
      `<w:p><w:r><w:t>A note </w:t>${'<fldChar fldCharType="begin"/><fldChar fldCharType="separate"/><t>x</t>'.repeat(220_000)}</w:r></w:p>`,
    ),
    { text: "A note" },
  ],
  [
    "numbering.docx",
    word("<w:p><w:r><w:t>A note</w:t></w:r></w:p>", "", {
      "word/_rels/document.xml.rels": utf8(
        '<r><Relationship Id="n" Type="x/numbering" Target="n.xml"/></r>',
      ),
      "word/n.xml": utf8(
        `<n>${Array.from({ length: 100_000 }, (_unused, at) => `<num numId="${at}"/>`).join("")}</n>`,
      ),
    }),
    { text: "A note" },
  ],
  ["locked.docx", compound("EncryptedPackage"), { error: "document is encrypted" }],
  ["half.docx", word("<w:p/>").slice(0, 80), { error: "archive is damaged or incomplete" }],
  [
    "attributes.docx",
    word(`<w:p ${Array.from({ length: 2_000 }, (_unused, at) => `a${at}="1"`).join(" ")}/>`),
    { error: "XML element has too many attributes" },
  ],
  [
    "cycle.pdf",
    pdf(CATALOG, "<< /Type /Pages /Count 2 /Kids [2 0 R 2 0 R] >>"),
    { error: "no text found" },
  ],
  [
    "endless.pdf",
    pdf(CATALOG, "<< /Type /Pages /Count 1000000 /Kids [] >>"),
    { error: "no text found" },
  ],
  [
    "deep.pdf",
    pdf(`<< /Type /Catalog /Pages 2 0 R /X ${"[".repeat(100_000)} >>`),
    { error: "PDF is damaged or incomplete" },
  ],
  [
    "widths.pdf",
    pageWith(
      NOTE,
      `<< ${FONT} /Encoding /Identity-H >>`,
      `<< ${CHARACTERS} /W [0 [500 500] 2 2147483647 500] >>`,
    ),
    { error: "PDF's font gives widths of too many characters" },
  ],
  [
    "map.pdf",
    pageWith(
      NOTE,
      `<< ${FONT} /Encoding /Identity-H /ToUnicode 7 0 R >>`,
      `<< ${CHARACTERS} >>`,
      `<< /Length ${map.length} >>\nstream\n${map}\nendstream`,
    ),
    { error: "PDF's font maps too many characters" },
  ],
  [
    "states.pdf",
    pageWith(`${"q ".repeat(20_000)}${NOTE}`, HELVETICA),
    { error: "PDF nests its graphics states too deeply" },
  ],
  [
    "forms.pdf",
    pageWith("/X Do", HELVETICA, ...Array.from({ length: 24 }, (_one, at) => form(at + 6, 29))),
    { error: "PDF's page 1 has too many pieces of text" },
  ],
  [
    "objects.pdf",
    latin1(`%PDF-1.7\n${"1 0 obj <<".repeat(70_000)}`),
    { error: "PDF is damaged: too many of its objects have no end" },
  ],
  [
    "streams.pdf",
    latin1(
      `%PDF-1.7\n${Array.from({ length: 20_000 }, (_one, at) => `${at} 0 obj << /Length 5 >>\nstream\n`).join("")}`,
    ),
    { error: "PDF is damaged: too many of its objects have no end" },
  ],
  [
    "trailers.pdf",
    latin1(`%PDF-1.7\n${"xref trailer << startxref ".repeat(20_000)}`),
    { error: "PDF is damaged: too many of its objects have no end" },
  ],
  ["half.pdf", latin1("%PDF-1.4\n1 0 obj\n<< /Type"), { error: "PDF is damaged or incomplete" }],
  [
    "page.pdf",
    utf8("<html><body><p>A note that is no PDF.</p></body></html>"),
    { text: "A note that is no PDF." },
  ],
  [
    "deep.html",
    utf8(`${"<div>".repeat(100_000)}A note from the deep.`),
    { error: "HTML nests too deeply" },
  ],
  [
    "wide.html",
    utf8(`<p>A note.</p><table><tr>${"<td colspan=200>".repeat(4_000)}`),
    { text: "A note." },
  ],
  ["deep.json", utf8("[".repeat(100_000)), { error: "JSON nests too deeply" }],
  [
    "values.ipynb",
    utf8(`{"nbformat":4,"metadata":{},"cells":[],"x":[${"[],".repeat(1_000_001)}1]}`),
    { error: "notebook has too many values; clear its largest outputs" },
  ],
  [
    "deep.ipynb",
    utf8(`{"nbformat":4,"metadata":{},"cells":${"[".repeat(100_000)}`),
    { error: "JSON is damaged or incomplete" },
  ],
  ["deep.rtf", utf8(`{\\rtf1 ${"{".repeat(100_000)}x`), { error: "RTF nests too deeply" }],
  ["deep.xml", utf8("<a>".repeat(100_000)), { error: "XML nests too deeply" }],
  [
    "deep.eml",
    utf8(`From: a@b.c\nMIME-Version: 1.0\n${mail(2_000).join("")}\nx`),
    { error: "message is damaged or nests too deeply" },
  ],
  ["row.csv", utf8(`a note,${"a,".repeat(100_000)}`), { text: "a note" }],
  ["line.txt", utf8(`A note ${"x".repeat(300_000)}`), { text: "A note" }],
  ["comments.md", utf8(`A note ${"<!--".repeat(50_000)}`), { text: "A note" }],
  ["bomb.gz", gzipSync(new Uint8Array(26 << 20)), { error: "file unpacks to more than 25 MiB" }],
  [
    "noise.txt",
    Uint8Array.from({ length: 4_096 }, (_unused, at) => (at * 7919 + (at >> 3)) % 256 || 1),
    { error: "text encoding is not recognised" },
  ],
  [
    "fraction.xlsx",
    book(
      '<row><c s="0"><v>0.5</v></c></row>',
      '<numFmts><numFmt numFmtId="200" formatCode="# ?/100000000000000000000"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs>',
    ),
    { text: "0.5" },
  ],
  ["formats.xlsx", book("", `<cellXfs>${"<xf/>".repeat(300_000)}</cellXfs>`), { text: "A note" }],
  [
    "row.xlsx",
    book(
      `<row>${'<c t="s"><v>0</v></c>'.repeat(20)}</row>`,
      "",
      `<si><t>${"a ".repeat(1 << 19)}</t></si>`,
    ),
    { error: "document has more than 32 MiB of text; split it into several" },
  ],
  [
    "row.ods",
    zipSync({
      mimetype: utf8("application/vnd.oasis.opendocument.spreadsheet"),
      "content.xml": utf8(
        `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet><table:table><table:table-row><table:table-cell table:number-columns-repeated="20"><text:p>${"a ".repeat(1 << 19)}</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`,
      ),
    }),
    { error: "document has more than 32 MiB of text; split it into several" },
  ],
  [
    "sparse.xlsx",
    book('<row><c r="A1"><v>1</v></c><c r="BXX1"><v>1</v></c></row>'.repeat(10_000)),
    { text: "A note" },
  ],
  ["empty.pdf", new Uint8Array(), { error: "no text found" }],
];
