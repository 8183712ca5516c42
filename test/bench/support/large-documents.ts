import { zipSync, zlibSync } from "fflate";
import type { Zippable } from "fflate";
import { cut, escaped, joined, numbers, paragraphs, SEED, utf8 } from "./large-texts.ts";

const MIB = 1 << 20;
const LINES_A_PAGE = 50;
const LINE_CHARACTERS = 95;
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

const rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const relationships = (entries: string[]) =>
  utf8.encode(
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries.join("")}</Relationships>`,
  );
const related = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${rel}/${type}" Target="${target}"/>`;

function officeZip(main: string, parts: Zippable): Uint8Array {
  return zipSync({
    "[Content_Types].xml": utf8.encode(
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    ),
    "_rels/.rels": relationships([related("r1", "officeDocument", main)]),
    ...parts,
  });
}

/** `padding`: bytes of a picture that nothing shrinks. */
function docx(characters: number, padding = 0): Uint8Array {
  const body = joined(characters, {
    paragraph: (text) => `<w:p><w:r><w:t>${escaped(text)}</w:t></w:r></w:p>`,
    heading: (at) =>
      `<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:t>Part ${at}</w:t></w:r></w:p>`,
  });
  const random = numbers(SEED);
  const picture = Uint8Array.from({ length: padding }, () => random() * 256);
  return officeZip("word/document.xml", {
    "word/document.xml": utf8.encode(
      `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    ),
    "word/media/picture.png": [picture, { level: 0 }],
  });
}

function xlsx(characters: number): Uint8Array {
  const cells = (row: string[]) =>
    row.map((cell) => `<c t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`).join("");
  const data = rows(characters).map((row) => `<row>${cells(row)}</row>`);
  return officeZip("xl/workbook.xml", {
    "xl/workbook.xml": utf8.encode(
      `<workbook xmlns:r="${rel}"><sheets><sheet name="Data" sheetId="1" r:id="s1"/></sheets></workbook>`,
    ),
    "xl/_rels/workbook.xml.rels": relationships([
      related("s1", "worksheet", "worksheets/sheet1.xml"),
    ]),
    "xl/worksheets/sheet1.xml": utf8.encode(
      `<worksheet><sheetData>${data.join("")}</sheetData></worksheet>`,
    ),
  });
}

function sharedXlsx(characters: number): Uint8Array {
  const all = rows(characters);
  const strings = all.flat().map((cell, at) => `<si><t>${escaped(cell)} ${at}</t></si>`);
  let next = 0;
  const data = all.map(
    (row) => `<row>${row.map(() => `<c t="s"><v>${next++}</v></c>`).join("")}</row>`,
  );
  return officeZip("xl/workbook.xml", {
    "xl/workbook.xml": utf8.encode(
      `<workbook xmlns:r="${rel}"><sheets><sheet name="Data" sheetId="1" r:id="s1"/></sheets></workbook>`,
    ),
    "xl/_rels/workbook.xml.rels": relationships([
      related("s1", "worksheet", "worksheets/sheet1.xml"),
      related("s2", "sharedStrings", "sharedStrings.xml"),
    ]),
    "xl/sharedStrings.xml": utf8.encode(`<sst>${strings.join("")}</sst>`),
    "xl/worksheets/sheet1.xml": utf8.encode(
      `<worksheet><sheetData>${data.join("")}</sheetData></worksheet>`,
    ),
  });
}

function pptx(characters: number): Uint8Array {
  const slides = [...paragraphs(characters)].map(
    (text) =>
      `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:txBody><a:p><a:r><a:t>${escaped(text)}</a:t></a:r></a:p></p:txBody></p:sp></p:sld>`,
  );
  const parts: Zippable = {};
  for (const [at, slide] of slides.entries())
    parts[`ppt/slides/slide${at}.xml`] = utf8.encode(slide);
  return officeZip("ppt/presentation.xml", {
    "ppt/presentation.xml": utf8.encode(
      `<p:presentation xmlns:r="${rel}"><p:sldIdLst>${slides.map((_slide, at) => `<p:sldId r:id="s${at}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    ),
    "ppt/_rels/presentation.xml.rels": relationships(
      slides.map((_slide, at) => related(`s${at}`, "slide", `slides/slide${at}.xml`)),
    ),
    ...parts,
  });
}

function odt(characters: number): Uint8Array {
  const body = joined(characters, {
    paragraph: (text) => `<text:p>${escaped(text)}</text:p>`,
    heading: (at) => `<text:h text:outline-level="2">Part ${at}</text:h>`,
  });
  return zipSync({
    mimetype: [utf8.encode("application/vnd.oasis.opendocument.text"), { level: 0 }],
    "content.xml": utf8.encode(
      `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    ),
  });
}

function epub(characters: number): Uint8Array {
  const chapters = 20;
  const names = Array.from({ length: chapters }, (_unused, at) => `c${at}.xhtml`);
  const chapter = utf8.encode(html(characters / chapters));
  const parts: Zippable = {};
  for (const name of names) parts[name] = chapter;
  return zipSync({
    mimetype: [utf8.encode("application/epub+zip"), { level: 0 }],
    "META-INF/container.xml": utf8.encode(
      `<container><rootfiles><rootfile full-path="content.opf"/></rootfiles></container>`,
    ),
    "content.opf": utf8.encode(
      `<package><manifest>${names.map((name, at) => `<item id="i${at}" href="${name}"/>`).join("")}</manifest><spine>${names.map((_name, at) => `<itemref idref="i${at}"/>`).join("")}</spine></package>`,
    ),
    ...parts,
  });
}

function rtf(characters: number): string {
  const text = joined(characters, {
    paragraph: (each) => `${each.replace(/[^\0-\u007f]/g, (c) => `\\u${c.charCodeAt(0)}?`)}\\par\n`,
    heading: (at) => `{\\outlinelevel1 Part ${at}\\par}\n`,
  });
  return `{\\rtf1\\ansi ${text}}`;
}

function eml(characters: number): string {
  const body = Buffer.from(markdown(characters)).toString("base64").replace(/.{76}/g, "$&\r\n");
  return `${emlHead("base64")}${body}\r\n`;
}

const emlHead = (encoding: string) =>
  `From: a@example.com\r\nSubject: Large\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;

/** A page per fifty lines of text, in one font; the content streams are deflated. */
function pdf(characters: number, padding = 0): Uint8Array {
  const pieces: Uint8Array[] = [];
  const offsets: number[] = [];
  let length = 0;
  const push = (part: Uint8Array | string) => {
    const bytes = typeof part === "string" ? Buffer.from(part, "latin1") : part;
    pieces.push(bytes);
    length += bytes.length;
  };
  const object = (number: number, ...parts: (Uint8Array | string)[]) => {
    offsets[number] = length;
    for (const part of [`${number} 0 obj\n`, ...parts, "\nendobj\n"]) push(part);
  };
  push("%PDF-1.7\n");
  const lines = [...paragraphs(characters)].flatMap(
    (text) =>
      text.replace(/[“”]/g, "").match(new RegExp(`.{1,${LINE_CHARACTERS}}( |$)`, "g")) ?? [],
  );
  const kids: string[] = [];
  let next = 4;
  for (let at = 0; at < lines.length; at += LINES_A_PAGE) {
    const shown = lines
      .slice(at, at + LINES_A_PAGE)
      .map((line) => `(${line.replace(/[^\0-\u007f]|[()\\]/g, "e")}) Tj T*`);
    const stream = zlibSync(Buffer.from(`BT /F1 10 Tf 14 TL 50 780 Td\n${shown.join("\n")}\nET`));
    object(
      next,
      `<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`,
      stream,
      "\nendstream",
    );
    object(
      next + 1,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${next} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    );
    kids.push(`${next + 1} 0 R`);
    next += 2;
  }
  object(1, "<< /Type /Catalog /Pages 2 0 R >>");
  object(2, `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(" ")}] >>`);
  object(3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  if (padding > 0) {
    const random = numbers(SEED);
    const picture = Uint8Array.from({ length: padding }, () => random() * 256);
    object(
      next++,
      `<< /Subtype /Image /Width 1 /Height 1 /Length ${padding} >>\nstream\n`,
      picture,
      "\nendstream",
    );
  }
  const table = offsets.slice(1).map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  const start = length;
  push(
    `xref\n0 ${offsets.length}\n0000000000 65535 f \n${table.join("")}trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
  );
  return Buffer.concat(pieces);
}

export type LargeDocument = { label: string; name: string; make: () => Uint8Array };

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
  { label: "EML, 18 MiB", name: "large.eml", make: () => cut(eml(13.5 * MIB), 18 * MIB) },
  {
    label: "EML, 18 MiB unencoded",
    name: "large.eml",
    make: () => cut(emlHead("8bit") + markdown(18 * MIB), 18 * MIB),
  },
  {
    label: "PDF, 25 MiB with pictures, 500 pages",
    name: "large.pdf",
    make: () => pdf(2.2 * MIB, 23 * MIB),
  },
  { label: "PDF, text only", name: "text.pdf", make: () => pdf(24 * MIB) },
];
