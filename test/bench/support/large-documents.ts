import * as office from "../../support/office-files.ts";
import { HOSTILE_FILES } from "../../support/hostile-files.ts";
import { EMOJI, eml, emlHead, emlWith, forwarded, quotedPrintable } from "./large-mail.ts";
import { pdf } from "./large-pdf.ts";
import { cut, escaped, joined, noise, paragraphs, utf8, withHidden } from "./large-texts.ts";

const MIB = 1 << 20;
const ROW_CELLS = 8;

const markdown = (characters: number) =>
  joined(characters, { paragraph: (text) => `${text}\n\n`, heading: (at) => `## Part ${at}\n\n` });

const html = (characters: number) =>
  `<!doctype html><title>Large</title>${joined(characters, {
    paragraph: (text) => `<p>${escaped(text)}</p>\n`,
    heading: (at) => `<h2>Part ${at}</h2>\n`,
  })}`;

function rows(characters: number): string[][] {
  const found: string[][] = [];
  for (const text of paragraphs(characters)) {
    const words = text.split(" ");
    for (let at = 0; at < words.length; at += ROW_CELLS)
      found.push(words.slice(at, at + ROW_CELLS));
  }
  return found;
}

/** `padding`: bytes of a picture that nothing shrinks. */
function docx(characters: number, padding = 0, change = (text: string) => text): Uint8Array {
  const body = joined(characters, {
    paragraph: (text) => `<w:p><w:r><w:t>${escaped(change(text))}</w:t></w:r></w:p>`,
    heading: (at) =>
      `<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:t>Part ${at}</w:t></w:r></w:p>`,
  });
  return office.docx(body, {}, { "word/media/picture.png": noise(padding) });
}

function xlsx(characters: number): Uint8Array {
  const cells = (row: string[]) =>
    row.map((cell) => `<c t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`).join("");
  const data = rows(characters).map((row) => `<row>${cells(row)}</row>`);
  return office.xlsx(data.join(""));
}

function sharedXlsx(characters: number): Uint8Array {
  const all = rows(characters);
  const strings = all.flat().map((cell, at) => `<si><t>${escaped(cell)} ${at}</t></si>`);
  let next = 0;
  const data = all.map(
    (row) => `<row>${row.map(() => `<c t="s"><v>${next++}</v></c>`).join("")}</row>`,
  );
  return office.xlsx(data.join(""), { strings: strings.join("") });
}

const pptx = (characters: number) =>
  office.pptx(
    [...paragraphs(characters)].map(
      (text) =>
        `<p:sp><p:txBody><a:p><a:r><a:t>${escaped(text)}</a:t></a:r></a:p></p:txBody></p:sp>`,
    ),
  );

const odt = (characters: number) =>
  office.odf(
    "text",
    joined(characters, {
      paragraph: (text) => `<text:p>${escaped(text)}</text:p>`,
      heading: (at) => `<text:h text:outline-level="2">Part ${at}</text:h>`,
    }),
  );

function epub(characters: number): Uint8Array {
  const chapters = 20;
  const names = Array.from({ length: chapters }, (_unused, at) => `c${at}.xhtml`);
  const chapter = html(characters / chapters);
  return office.epub({
    items: names.map((name, at) => `<item id="i${at}" href="${name}"/>`).join(""),
    spine: names.map((_name, at) => `<itemref idref="i${at}"/>`).join(""),
    parts: Object.fromEntries(names.map((name) => [`o/${name}`, chapter])),
  });
}

function rtf(characters: number): string {
  const text = joined(characters, {
    paragraph: (each) =>
      `\\pard ${each.replace(/[^\0-\u007f]/g, (c) => `\\u${c.charCodeAt(0)}?`)}\\par\n`,
    heading: (at) => `{\\outlinelevel1 Part ${at}\\par}\n`,
  });
  return `{\\rtf1\\ansi ${text}}`;
}

export type LargeDocument = {
  label: string;
  name: string;
  /** Collecting garbage all the time would take too long. */
  hasManyPages?: boolean;
  make: () => Uint8Array;
};

/** Files made to break their reader: most are small, and end as an error. */
const HOSTILE_DOCUMENTS: LargeDocument[] = HOSTILE_FILES.map(([name, bytes]) => ({
  label: `hostile: ${name}`,
  name,
  make: () => bytes,
}));

/** Of 25 MiB. One emoji makes a string of a text two bytes a character. */
const LARGE_MAILS: LargeDocument[] = [
  ["EML, base64", () => cut(eml(markdown(18.5 * MIB)), 25 * MIB)],
  ["EML, quoted-printable", () => cut(quotedPrintable(EMOJI + markdown(25 * MIB)), 25 * MIB)],
  ["EML, HTML, an emoji", () => cut(emlHead("8bit", "html") + EMOJI + html(25 * MIB), 25 * MIB)],
  ["EML, within three mails", () => forwarded(emlHead("8bit") + EMOJI + markdown(22.5 * MIB), 3)],
  [
    "EML with three DOCX",
    () =>
      emlWith({
        "a.docx": docx(12 * MIB),
        "b.docx": docx(6 * MIB),
        "c.docx": docx(3 * MIB, 10 * MIB),
      }),
  ],
  [
    "EML with three workbooks",
    () =>
      emlWith({
        "a.xlsx": xlsx(12 * MIB),
        "b.xlsx": xlsx(6 * MIB),
        "c.xlsx": sharedXlsx(5 * MIB),
      }),
  ],
].map(([label, make]) => ({ label, name: "large.eml", make }) as LargeDocument);

/** Documents of 25 MiB where the type allows it, or of as much text as is taken. */
export const LARGE_DOCUMENTS: LargeDocument[] = [
  { label: "text, 25 MiB", name: "large.txt", make: () => cut(markdown(26 * MIB), 25 * MIB) },
  { label: "Markdown, 25 MiB", name: "large.md", make: () => cut(markdown(26 * MIB), 25 * MIB) },
  { label: "HTML, 25 MiB", name: "large.html", make: () => cut(html(26 * MIB), 25 * MIB) },
  {
    label: "JSON, 25 MiB",
    name: "large.json",
    make: () =>
      utf8.encode(JSON.stringify([...paragraphs(22.5 * MIB)].map((text, id) => ({ id, text })))),
  },
  {
    label: "XML, 25 MiB",
    name: "large.xml",
    make: () =>
      utf8.encode(
        `<records>${[...paragraphs(22.5 * MIB)].map((text) => `<record>${escaped(text)}</record>`).join("")}</records>`,
      ),
  },
  {
    label: "CSV, 25 MiB",
    name: "large.csv",
    make: () =>
      cut(
        rows(26 * MIB)
          .map((row) => row.map((cell) => `"${cell}"`).join(","))
          .join("\n"),
        25 * MIB,
      ),
  },
  {
    label: "DOCX, 25 MiB with pictures",
    name: "large.docx",
    make: () => docx(4.5 * MIB, 23 * MIB),
  },
  { label: "DOCX, text only", name: "text.docx", make: () => docx(24 * MIB) },
  { label: "ODT, text only", name: "text.odt", make: () => odt(24 * MIB) },
  { label: "EPUB, text only", name: "text.epub", make: () => epub(24 * MIB) },
  { label: "PPTX, text only", name: "text.pptx", make: () => pptx(8 * MIB) },
  { label: "XLSX, text only", name: "text.xlsx", make: () => xlsx(18 * MIB) },
  { label: "XLSX, shared strings", name: "shared.xlsx", make: () => sharedXlsx(9 * MIB) },
  { label: "RTF, 25 MiB", name: "large.rtf", make: () => cut(rtf(24.8 * MIB), 25 * MIB) },
  ...LARGE_MAILS,
  {
    label: "PDF, 25 MiB with pictures, 500 pages",
    name: "large.pdf",
    make: () => pdf(2.2 * MIB, 23 * MIB),
  },
  { label: "PDF, text only", name: "text.pdf", hasManyPages: true, make: () => pdf(24 * MIB) },
  {
    label: "text, a hidden character in nine",
    name: "hidden.txt",
    make: () => cut(withHidden(markdown(20 * MIB)), 25 * MIB),
  },
  {
    label: "DOCX, a hidden character in nine",
    name: "hidden.docx",
    make: () => docx(22 * MIB, 0, withHidden),
  },
  {
    label: "EML with three PDFs",
    name: "large.eml",
    hasManyPages: true,
    make: () =>
      emlWith({ "a.pdf": pdf(8 * MIB), "b.pdf": pdf(8 * MIB), "c.pdf": pdf(8 * MIB, 5 * MIB) }),
  },
  ...HOSTILE_DOCUMENTS,
];
