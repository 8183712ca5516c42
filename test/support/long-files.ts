import * as office from "./office-files.ts";
import { lineOf, pagesOf } from "./pdf-of.ts";
import type { Content } from "./read-document.ts";

/** Text around a sample in files of most kinds. */
const WIDE = "x".repeat(100);
const BLANK = " ".repeat(100);

/** A file of these texts; none has characters that its kind would have to escape. */
export type LongFile = (texts: readonly string[]) => Content;

const many = (texts: readonly string[], render: (text: string) => string) =>
  texts.map(render).join("");

const docx: LongFile = (texts) =>
  office.docx(many(texts, (text) => `<w:p w:rsidR="${WIDE}"><w:r><w:t>${text}</w:t></w:r></w:p>`));

const pptx: LongFile = (texts) => {
  const line = (text: string) => `<a:p><a:r><a:rPr lang="${WIDE}"/><a:t>${text}</a:t></a:r></a:p>`;
  return office.pptx([`<p:sp>${many(texts, line)}</p:sp>`]);
};

const xlsx: LongFile = (texts) =>
  office.xlsx(
    many(
      texts,
      (text) => `<row spans="${WIDE}"><c t="inlineStr"><is><t>${text}</t></is></c></row>`,
    ),
  );

/** Only the last of its shared texts is shown. */
const sharedXlsx: LongFile = (texts) =>
  office.xlsx(`<row><c t="s"><v>${texts.length - 1}</v></c></row>`, {
    strings: many(
      texts,
      (text) => `<si><t>${text}</t><rPh sb="0" eb="1"><t>${WIDE}</t></rPh></si>`,
    ),
  });

const odfParagraphs = (texts: readonly string[]) =>
  many(texts, (text) => `<text:p text:id="${WIDE}">${text}</text:p>`);
const odfRows = (texts: readonly string[]) =>
  many(
    texts,
    (text) =>
      `<table:table-row table:id="${WIDE}"><table:table-cell><text:p>${text}</text:p></table:table-cell></table:table-row>`,
  );

const paragraphs = (texts: readonly string[]) =>
  many(texts, (text) => `<p class="${WIDE}">${text}</p>\n`);
const html = (texts: readonly string[]) => `<!doctype html><body>${paragraphs(texts)}`;
const epub: LongFile = (texts) =>
  office.epub({
    items: '<item id="c" href="c.xhtml"/>',
    spine: '<itemref idref="c"/>',
    parts: { "o/c.xhtml": `<html><body>${paragraphs(texts)}</body></html>` },
  });

const commented = (texts: readonly string[]) =>
  many(texts, (text) => `<!-- ${WIDE} -->\n${text}\n\n`);
const notebook: LongFile = (texts) => {
  const cell = { cell_type: "markdown", metadata: {}, source: commented(texts) };
  return JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] });
};

/** Characters beyond ASCII by their numbers. */
const inAscii = (text: string) =>
  text.replace(/[^\0-\u007f]/g, (character) => `\\u${character.charCodeAt(0)}?`);
const rtf: LongFile = (texts) =>
  `{\\rtf1 ${many(texts, (text) => `{\\*\\unknown ${WIDE}}${inAscii(text)}\\par\n`)}}`;

const MAIL_HEAD = "From: a@example.com\nSubject: Beds\nMIME-Version: 1.0\n";
const values = (texts: readonly string[]) => many(texts, (text) => `"${text}",${BLANK}`);
const lines: LongFile = (texts) => many(texts, (text) => `${WIDE}\n${text}\n`);

/** A page a text. */
const pdf: LongFile = (texts) =>
  pagesOf(
    texts.slice(0, MAX_PAGES).map((text, at) => lineOf(20 + ((at * 37) % 150), `[(${text})]`)),
  );

/** Each takes as long as thousands of other rows. */
export const MAX_PAGES = 60;

/** `Bed 1` to `Bed ROWS`. */
export const bedsOf = (rows: number) =>
  Array.from({ length: rows }, (_unused, at) => `Bed ${at + 1}`);

/** A file of each kind. 100 characters beside each text are not read, where the kind has such. */
export const LONG_FILES: Record<string, LongFile> = {
  "beds.docx": docx,
  "beds.pptx": pptx,
  "beds.xlsx": xlsx,
  "shared-beds.xlsx": sharedXlsx,
  "beds.odt": (texts) => office.odf("text", odfParagraphs(texts)),
  "beds.ods": (texts) => office.odf("spreadsheet", `<table:table>${odfRows(texts)}</table:table>`),
  "beds.odp": (texts) =>
    office.odf("presentation", `<draw:page>${odfParagraphs(texts)}</draw:page>`),
  "beds.epub": epub,
  "beds.rtf": rtf,
  "beds.html": html,
  "beds.xml": (texts) =>
    `<beds>${many(texts, (text) => `<bed>${text}</bed><!-- ${WIDE} -->`)}</beds>`,
  "beds.json": (texts) => `[${values(texts)}"end"]`,
  "broken-beds.json": (texts) => `[${values(texts)}`,
  "beds.csv": (texts) => many(texts, (text) => `${text},${BLANK}\n`),
  "beds.tsv": (texts) => many(texts, (text) => `${text}\t${BLANK}\n`),
  "beds.md": commented,
  "beds.txt": lines,
  "beds.py": lines,
  "beds.ipynb": notebook,
  "beds.eml": (texts) => `${MAIL_HEAD}Content-Type: text/html; charset=utf-8\n\n${html(texts)}`,
  "mailed-beds.eml": (texts) =>
    `${MAIL_HEAD}Content-Type: text/html; name=beds.html\nContent-Disposition: attachment; filename=beds.html\n\n${html(texts)}`,
  "beds.pdf": pdf,
};
