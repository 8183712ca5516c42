import { unzipSync, zipSync } from "fflate";

import { docx, epub, odf, pptx, xlsx } from "../office-files.ts";
import { largePageOf, lineOf, pagesOf } from "../pdf-of.ts";
import type { Content } from "../read-document.ts";
import { fill, PROSE, type Make } from "./filled.ts";

const within =
  (file: (text: string) => Content, unit: string, before = "", after = ""): Make =>
  (size) =>
    file(String(fill(unit, before, after)(size)));
/** Not deflated: what expands a thousandfold is refused before it is read. */
const inPackage =
  (file: (text: string) => Uint8Array, unit: string, before = "", after = ""): Make =>
  (size) =>
    zipSync(unzipSync(file(String(fill(unit, before, after)(size)))), { level: 0 });
const page = (unit: string, start: string) =>
  within((text) => largePageOf(`BT /F1 9 Tf ${start} Td ${text} ET`), unit);
const linesOfPages: Make = (size) => {
  const lines = Array.from({ length: 50 }, (_line, at) => lineOf(800 - at * 14, `[(${PROSE})]`));
  const content = lines.join("");
  return pagesOf(Array.from({ length: Math.ceil(size / content.length) }, () => content));
};
const chapter = (text: string) =>
  epub({
    items: '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>',
    spine: '<itemref idref="a"/>',
    parts: { "o/a.xhtml": `<html><body>${text}` },
  });
const document = (unit: string, before = "", after = ""): [string, Make] => [
  "a.docx",
  inPackage(docx, unit, before, after),
];
const X = "<w:p><w:r><w:t>x</w:t></w:r></w:p>";

/** Packages and PDFs that are long in one way each, by the name of their file. */
export const LONG_PACKAGES: Record<string, [name: string, make: Make]> = {
  "EPUB of prose": ["a.epub", inPackage(chapter, `<p>${PROSE}</p>`)],
  "EPUB of paragraphs": ["a.epub", inPackage(chapter, "<p>x</p>")],
  "EPUB of chapters": [
    "a.epub",
    (size) => {
      const names = Array.from({ length: Math.min(9_000, size / 300) }, (_chapter, at) => `c${at}`);
      return epub({
        items: names
          .map((name) => `<item id="${name}" href="${name}" media-type="application/xhtml+xml"/>`)
          .join(""),
        spine: names.map((name) => `<itemref idref="${name}"/>`).join(""),
        parts: Object.fromEntries(names.map((name) => [`o/${name}`, `<p>${name}</p>`])),
      });
    },
  ],
  "EPUB of items": [
    "a.epub",
    inPackage(
      (text) => epub({ items: text, spine: "", parts: { "o/a.xhtml": "<p>x</p>" } }),
      '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>',
    ),
  ],
  "Word of one text": document("x ", "<w:p><w:r><w:t>", "</w:t></w:r></w:p>"),
  "Word of page breaks": document('<w:r><w:br w:type="page"/></w:r>', "<w:p>", "</w:p>"),
  "Word of one cell": document(X, "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"),
  "Word of one row": document(`<w:tc>${X}</w:tc>`, "<w:tbl><w:tr>", "</w:tr></w:tbl>"),
  "Word of formulas": document("<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>", "<w:p>", "</w:p>"),
  "Word of one formula": document("<m:r><m:t>x</m:t></m:r>", "<w:p><m:oMath>", "</m:oMath></w:p>"),
  "Word of links": document(
    '<w:hyperlink r:id="a"><w:r><w:t>x</w:t></w:r></w:hyperlink>',
    "<w:p>",
    "</w:p>",
  ),
  "Word of code": [
    "a.docx",
    inPackage(
      (text) =>
        docx(text, {
          s: [
            "styles",
            '<w:styles><w:style w:styleId="c"><w:name w:val="Code"/></w:style></w:styles>',
          ],
        }),
      '<w:p><w:pPr><w:pStyle w:val="c"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>',
    ),
  ],
  "Word of styles": [
    "a.docx",
    inPackage(
      (text) => docx(X, { s: ["styles", `<w:styles>${text}</w:styles>`] }),
      '<w:style w:styleId="a"><w:basedOn w:val="b"/></w:style>',
    ),
  ],
  "Word of relationships": [
    "a.docx",
    inPackage(
      (text) => docx(X, {}, { "word/_rels/m.xml.rels": `<r>${text}</r>` }),
      '<Relationship Id="a" Type="x/image" Target="../b"/>',
    ),
  ],
  "Excel of one text": [
    "a.xlsx",
    inPackage(xlsx, "x ", '<row><c t="inlineStr"><is><t>', "</t></is></c></row>"),
  ],
  "Excel of texts": [
    "a.xlsx",
    inPackage(xlsx, '<row><c t="inlineStr"><is><t>x</t></is></c><c t="s"><v>0</v></c></row>'),
  ],
  "Excel of wide rows": [
    "a.xlsx",
    inPackage(xlsx, `<row>${"<c><v>1</v></c>".repeat(1_500)}</row>`),
  ],
  "Excel of far cells": [
    "a.xlsx",
    inPackage(xlsx, '<row><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>'),
  ],
  "Excel of formats": [
    "a.xlsx",
    inPackage(
      (text) => xlsx("<row><c><v>1</v></c></row>", { styles: text }),
      '<numFmt numFmtId="200" formatCode="0.00"/>',
      "<numFmts>",
      '</numFmts><cellXfs><xf numFmtId="200"/></cellXfs>',
    ),
  ],
  "Excel of styles": [
    "a.xlsx",
    inPackage(
      (text) => xlsx("<row><c><v>1</v></c></row>", { styles: text }),
      '<xf numFmtId="9"/>',
      "<cellXfs>",
      "</cellXfs>",
    ),
  ],
  "PowerPoint of one text": [
    "a.pptx",
    inPackage(
      (text) => pptx([text]),
      "x ",
      "<p:sp><p:txBody><a:p><a:r><a:t>",
      "</a:t></a:r></a:p></p:txBody></p:sp>",
    ),
  ],
  "PowerPoint of one shape": [
    "a.pptx",
    inPackage(
      (text) => pptx([text]),
      "<a:p><a:r><a:t>x</a:t></a:r></a:p>",
      "<p:sp><p:txBody>",
      "</p:txBody></p:sp>",
    ),
  ],
  "PowerPoint of rows": [
    "a.pptx",
    inPackage(
      (text) => pptx([text]),
      "<a:tr><a:tc><a:p><a:r><a:t>x</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>x</a:t></a:r></a:p></a:tc></a:tr>",
      "<p:graphicFrame><a:tbl>",
      "</a:tbl></p:graphicFrame>",
    ),
  ],
  "PowerPoint of slides": [
    "a.pptx",
    (size) =>
      pptx(
        Array.from(
          { length: Math.min(5_000, size / 300) },
          () => "<p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>",
        ),
      ),
  ],
  "OpenDocument text of spans": [
    "a.odt",
    inPackage((text) => odf("text", text), "<text:span>x</text:span>", "<text:p>", "</text:p>"),
  ],
  "OpenDocument text of one cell": [
    "a.odt",
    inPackage(
      (text) => odf("text", text),
      "<text:p>x</text:p>",
      "<table:table><table:table-row><table:table-cell>",
      "</table:table-cell></table:table-row></table:table>",
    ),
  ],
  "OpenDocument text of notes": [
    "a.odt",
    inPackage(
      (text) => odf("text", text),
      "<text:note><text:note-body><text:p>x</text:p></text:note-body></text:note>",
      "<text:p>",
      "</text:p>",
    ),
  ],
  "OpenDocument sheet of one row": [
    "a.ods",
    inPackage(
      (text) => odf("spreadsheet", text),
      "<table:table-cell><text:p>x</text:p></table:table-cell>",
      "<table:table><table:table-row>",
      "</table:table-row></table:table>",
    ),
  ],
  "OpenDocument sheet of repeated rows": [
    "a.ods",
    inPackage(
      (text) => odf("spreadsheet", `<table:table>${text}</table:table>`),
      '<table:table-row table:number-rows-repeated="999"><table:table-cell table:number-columns-repeated="999"><text:p>x</text:p></table:table-cell></table:table-row>',
    ),
  ],
  "PDF of turned lines": ["a.pdf", page("0 1 -1 0 50 50 Tm (r) Tj 0 -14 Td (hello) Tj\n", "9 9")],
  "PDF of rows": ["a.pdf", page("0 -14 Td (hello) Tj 200 0 Td (x) Tj -200 0 Td\n", "9 80000000")],
  "PDF of columns of lines": [
    "a.pdf",
    page(
      `0 -14 Td (${PROSE.slice(0, 40)}) Tj 300 0 Td (${PROSE.slice(0, 40)}) Tj -300 0 Td\n`,
      "9 80000000",
    ),
  ],
  "PDF of marks": ["a.pdf", page("/P <</MCID 1>> BDC EMC\n", "9 9")],
  "Word of paragraphs": ["a.docx", inPackage(docx, "<w:p><w:r><w:t>x</w:t></w:r></w:p>")],
  "Word of prose": ["a.docx", inPackage(docx, `<w:p><w:r><w:t>${PROSE}</w:t></w:r></w:p>`)],
  "Word of cells": [
    "a.docx",
    inPackage(
      docx,
      "<w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr>",
      "<w:tbl>",
      "</w:tbl>",
    ),
  ],
  "Word of runs": ["a.docx", inPackage(docx, "<w:r><w:t>x</w:t></w:r>", "<w:p>", "</w:p>")],
  "Excel of rows": ["a.xlsx", inPackage(xlsx, "<row><c><v>1</v></c><c><v>2</v></c></row>")],
  "Excel of one row": ["a.xlsx", inPackage(xlsx, "<c><v>1</v></c>", "<row>", "</row>")],
  "Excel of shared texts": [
    "a.xlsx",
    inPackage((text) => xlsx("<row><c><v>1</v></c></row>", { strings: text }), "<si><t>x</t></si>"),
  ],
  "Excel of merged cells": [
    "a.xlsx",
    inPackage(
      (text) => xlsx('<row><c r="A1"><v>1</v></c></row>', { tail: text }),
      '<mergeCell ref="A1:A1048576"/>',
    ),
  ],
  "PowerPoint of shapes": [
    "a.pptx",
    inPackage(
      (text) => pptx([text]),
      "<p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>",
    ),
  ],
  "OpenDocument text": ["a.odt", inPackage((text) => odf("text", text), "<text:p>x</text:p>")],
  "OpenDocument sheet": [
    "a.ods",
    inPackage(
      (text) => odf("spreadsheet", `<table:table>${text}</table:table>`),
      "<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>",
    ),
  ],
  "PDF of lines": ["a.pdf", page("0 -14 Td (hello) Tj\n", "9 80000000")],
  "PDF of one line": ["a.pdf", page("50 0 Td (x) Tj\n", "9 9")],
  "PDF of one text": ["a.pdf", page("(hello ) Tj\n", "9 9")],
  "PDF of lines upwards": ["a.pdf", page("0 14 Td (hello) Tj\n", "9 9")],
  "PDF of columns": [
    "a.pdf",
    (size) =>
      largePageOf(
        `BT /F1 9 Tf ${Array.from(
          { length: Math.ceil(size / 5e5) },
          (_row, at) =>
            `1 0 0 1 9 ${80_000_000 - at * 14} Tm\n${"50 0 Td (x) Tj\n".repeat(33_000)}`,
        ).join("")} ET`,
      ),
  ],
  "PDF of pages": ["a.pdf", linesOfPages],
  "PDF of small pages": [
    "a.pdf",
    (size) =>
      pagesOf(Array.from({ length: Math.min(9_000, size / 500) }, () => lineOf(50, "[(hello)]"))),
  ],
  "PDF of drawings": ["a.pdf", page("0 0 m 1 1 l S\n", "9 9")],
  "text that names a PDF": ["a.txt", fill("a ", "%PDF-1.7 ")],
  "PDF of a comment": [
    "a.pdf",
    (size) => largePageOf(`%${"x".repeat(size)}\nBT /F1 9 Tf 9 9 Td (x) Tj ET`),
  ],
};
