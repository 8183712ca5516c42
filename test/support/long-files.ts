import { strToU8, zipSync, type Zippable } from "fflate";
import { pdfOf, pdfStream } from "./pdf-of.ts";

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships";
const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const A = "http://schemas.openxmlformats.org/drawingml/2006/main";
const ODF = "urn:oasis:names:tc:opendocument:xmlns";
const NAMESPACES = `xmlns:office="${ODF}:office:1.0" xmlns:text="${ODF}:text:1.0" xmlns:table="${ODF}:table:1.0" xmlns:draw="${ODF}:drawing:1.0"`;
/** What stands around a few words in files of most kinds, as long as it is there. */
const WIDE = "x".repeat(100);

const zipped = (parts: Record<string, string>) => {
  const bytes: Zippable = {};
  for (const [name, text] of Object.entries(parts)) bytes[name] = strToU8(text);
  return zipSync(bytes, { level: 1 });
};
const many = (rows: number, of: (row: number) => string) =>
  Array.from({ length: rows }, (_unused, at) => of(at + 1)).join("");

const related = (entries: [id: string, type: string, target: string][]) =>
  `<Relationships xmlns="${PACKAGE}">${entries
    .map(
      ([id, type, target]) =>
        `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
    )
    .join("")}</Relationships>`;

const docx = (rows: number) =>
  zipped({
    "word/document.xml": `<w:document xmlns:w="${W}"><w:body>${many(rows, (row) => `<w:p w:rsidR="${WIDE}"><w:r><w:t>Bed ${row}</w:t></w:r></w:p>`)}</w:body></w:document>`,
  });

const pptx = (rows: number) =>
  zipped({
    "ppt/presentation.xml": `<p:presentation xmlns:p="p" xmlns:r="${OFFICE}"><p:sldIdLst><p:sldId r:id="s"/></p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": related([["s", "slide", "slides/slide1.xml"]]),
    "ppt/slides/slide1.xml": `<p:sld xmlns:p="p" xmlns:a="${A}"><p:sp>${many(rows, (row) => `<a:p><a:r><a:rPr lang="${WIDE}"/><a:t>Bed ${row}</a:t></a:r></a:p>`)}</p:sp></p:sld>`,
  });

const workbook = (sheet: string, strings: string) =>
  zipped({
    "xl/workbook.xml": `<workbook xmlns:r="${OFFICE}"><sheets><sheet name="Beds" sheetId="1" r:id="s"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": related([
      ["s", "worksheet", "worksheets/sheet1.xml"],
      ["t", "sharedStrings", "sharedStrings.xml"],
    ]),
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
    "xl/sharedStrings.xml": `<sst>${strings}</sst>`,
  });

const xlsx = (rows: number) =>
  workbook(
    many(
      rows,
      (row) => `<row spans="${WIDE}"><c t="inlineStr"><is><t>Bed ${row}</t></is></c></row>`,
    ),
    "",
  );

/** Only the last of its shared texts is shown. */
const sharedXlsx = (rows: number) =>
  workbook(
    `<row><c t="s"><v>${rows - 1}</v></c></row>`,
    many(rows, (row) => `<si><t>Bed ${row}</t><rPh sb="0" eb="1"><t>${WIDE}</t></rPh></si>`),
  );

const odf = (kind: string, body: string) =>
  zipSync({
    mimetype: [strToU8(`application/vnd.oasis.opendocument.${kind}`), { level: 0 }],
    "content.xml": strToU8(odfText(body)),
  });
const odfText = (body: string) =>
  `<office:document-content ${NAMESPACES}><office:body>${body}</office:body></office:document-content>`;
const odfParagraphs = (rows: number) =>
  many(rows, (row) => `<text:p text:id="${WIDE}">Bed ${row}</text:p>`);
const odfRows = (rows: number) =>
  many(
    rows,
    (row) =>
      `<table:table-row table:id="${WIDE}"><table:table-cell><text:p>Bed ${row}</text:p></table:table-cell></table:table-row>`,
  );

const paragraphs = (rows: number) => many(rows, (row) => `<p class="${WIDE}">Bed ${row}</p>\n`);
const html = (rows: number) => `<!doctype html><body>${paragraphs(rows)}`;
const epub = (rows: number) =>
  zipSync({
    mimetype: [strToU8("application/epub+zip"), { level: 0 }],
    "META-INF/container.xml": strToU8(
      `<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>`,
    ),
    "book.opf": strToU8(
      `<package><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>`,
    ),
    "c.xhtml": strToU8(`<html><body>${paragraphs(rows)}</body></html>`),
  });

const notebook = (rows: number) => {
  const source = many(rows, (row) => `<!-- ${WIDE} -->\nBed ${row}\n\n`);
  const cell = { cell_type: "markdown", metadata: {}, source };
  return JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] });
};

const eml = (rows: number) =>
  `From: a@example.com\nSubject: Beds\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n${html(rows)}`;
const emlWith = (rows: number) =>
  `From: a@example.com\nSubject: Beds\nMIME-Version: 1.0\nContent-Type: text/html; name=beds.html\nContent-Disposition: attachment; filename=beds.html\n\n${html(rows)}`;

/** A page a row. */
function pdf(pages: number): Uint8Array {
  const FIRST_PAGE = 4;
  const numbers = Array.from({ length: pages }, (_unused, at) => FIRST_PAGE + 2 * at);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages} /Kids [${numbers.map((each) => `${each} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...numbers.flatMap((number, at) => {
      const line = `BT /F 12 Tf 20 ${20 + ((at * 37) % 150)} Td (Bed ${at + 1}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents ${number + 1} 0 R /Resources << /Font << /F 3 0 R >> >> >>`,
        pdfStream(line),
      ];
    }),
  ];
  return pdfOf(objects);
}

/**
 * A file of each kind by the number of its rows: each holds `Bed 1` to `Bed ROWS`. 100 characters
 * beside each row are not read as text, where the kind has such.
 */
export const LONG_FILES: [name: string, of: (rows: number) => string | Uint8Array][] = [
  ["beds.docx", docx],
  ["beds.pptx", pptx],
  ["beds.xlsx", xlsx],
  ["shared-beds.xlsx", sharedXlsx],
  ["beds.odt", (rows) => odf("text", `<office:text>${odfParagraphs(rows)}</office:text>`)],
  [
    "beds.ods",
    (rows) =>
      odf(
        "spreadsheet",
        `<office:spreadsheet><table:table>${odfRows(rows)}</table:table></office:spreadsheet>`,
      ),
  ],
  [
    "beds.odp",
    (rows) =>
      odf(
        "presentation",
        `<office:presentation><draw:page>${odfParagraphs(rows)}</draw:page></office:presentation>`,
      ),
  ],
  ["beds.epub", epub],
  [
    "beds.rtf",
    (rows) => `{\\rtf1 ${many(rows, (row) => `{\\*\\unknown ${WIDE}}Bed ${row}\\par\n`)}}`,
  ],
  ["beds.html", html],
  [
    "beds.xml",
    (rows) => `<beds>${many(rows, (row) => `<bed>Bed ${row}</bed><!-- ${WIDE} -->`)}</beds>`,
  ],
  [
    "beds.json",
    (rows) => `[${many(rows, (row) => `"Bed ${row}",${WIDE.replaceAll("x", " ")}`)}"end"]`,
  ],
  [
    "broken-beds.json",
    (rows) => `[${many(rows, (row) => `"Bed ${row}",${WIDE.replaceAll("x", " ")}`)}`,
  ],
  ["beds.csv", (rows) => many(rows, (row) => `Bed ${row},${WIDE.replaceAll("x", " ")}\n`)],
  ["beds.tsv", (rows) => many(rows, (row) => `Bed ${row}\t${WIDE.replaceAll("x", " ")}\n`)],
  ["beds.md", (rows) => many(rows, (row) => `<!-- ${WIDE} -->\nBed ${row}\n\n`)],
  ["beds.txt", (rows) => many(rows, (row) => `${WIDE}\nBed ${row}\n`)],
  ["beds.py", (rows) => many(rows, (row) => `${WIDE}\nBed ${row}\n`)],
  ["beds.ipynb", notebook],
  ["beds.eml", eml],
  ["mailed-beds.eml", emlWith],
  ["beds.pdf", (rows) => pdf(Math.min(rows, MAX_PAGES))],
];

/** Each takes as long as thousands of other rows. */
export const MAX_PAGES = 60;
