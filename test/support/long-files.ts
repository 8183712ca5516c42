import * as office from "./office-files.ts";
import { lineOf, pagesOf } from "./pdf-of.ts";

/** What stands around a few words in files of most kinds, as long as it is there. */
const WIDE = "x".repeat(100);

const many = (rows: number, of: (row: number) => string) =>
  Array.from({ length: rows }, (_unused, at) => of(at + 1)).join("");

const docx = (rows: number) =>
  office.docx(many(rows, (row) => `<w:p w:rsidR="${WIDE}"><w:r><w:t>Bed ${row}</w:t></w:r></w:p>`));

const pptx = (rows: number) => {
  const line = (row: number) =>
    `<a:p><a:r><a:rPr lang="${WIDE}"/><a:t>Bed ${row}</a:t></a:r></a:p>`;
  return office.pptx([`<p:sp>${many(rows, line)}</p:sp>`]);
};

const xlsx = (rows: number) =>
  office.xlsx(
    many(
      rows,
      (row) => `<row spans="${WIDE}"><c t="inlineStr"><is><t>Bed ${row}</t></is></c></row>`,
    ),
  );

/** Only the last of its shared texts is shown. */
const sharedXlsx = (rows: number) =>
  office.xlsx(`<row><c t="s"><v>${rows - 1}</v></c></row>`, {
    strings: many(
      rows,
      (row) => `<si><t>Bed ${row}</t><rPh sb="0" eb="1"><t>${WIDE}</t></rPh></si>`,
    ),
  });

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
  office.epub({
    items: '<item id="c" href="c.xhtml"/>',
    spine: '<itemref idref="c"/>',
    parts: { "o/c.xhtml": `<html><body>${paragraphs(rows)}</body></html>` },
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
const pdf = (pages: number) =>
  pagesOf(
    Array.from({ length: pages }, (_unused, at) =>
      lineOf(20 + ((at * 37) % 150), `[(Bed ${at + 1})]`),
    ),
  );

/**
 * A file of each kind by the number of its rows: each holds `Bed 1` to `Bed ROWS`. 100 characters
 * beside each row are not read as text, where the kind has such.
 */
export const LONG_FILES: [name: string, of: (rows: number) => string | Uint8Array][] = [
  ["beds.docx", docx],
  ["beds.pptx", pptx],
  ["beds.xlsx", xlsx],
  ["shared-beds.xlsx", sharedXlsx],
  ["beds.odt", (rows) => office.odf("text", odfParagraphs(rows))],
  ["beds.ods", (rows) => office.odf("spreadsheet", `<table:table>${odfRows(rows)}</table:table>`)],
  [
    "beds.odp",
    (rows) => office.odf("presentation", `<draw:page>${odfParagraphs(rows)}</draw:page>`),
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
