import { runCooperatively, type YieldToOthers } from "../../../src/core/work/cooperative.ts";
import { chunkCooperatively } from "../../../src/documents/chunking/chunk-document.ts";
import { extractDocument } from "../../../src/documents/extract-document.ts";
import type { ExtractedDocument } from "../../../src/documents/extracted-document.ts";
import { docx, odf, pptx, xlsx } from "../office-files.ts";
import { lineOf, pageOf, pagesOf } from "../pdf-of.ts";
import { bytesOf, type Content } from "../read-document.ts";

const PROSE = "Leave is thirty days a year for all who work here, and ten more after five years. ";
const FROM = "From: a@b\n";
const MIXED = `${FROM}Content-Type: multipart/mixed; boundary=b\n\n`;

type Make = (size: number) => Content;

const fill =
  (unit: string, before = "", after = ""): Make =>
  (size) =>
    before + unit.repeat(Math.ceil(size / unit.length)) + after;
const latin1 =
  (make: Make): Make =>
  (size) =>
    Uint8Array.from(Buffer.from(String(make(size)), "latin1"));
const within =
  (file: (text: string) => Content, unit: string, before = "", after = ""): Make =>
  (size) =>
    file(String(fill(unit, before, after)(size)));
const page = (unit: string, start: string) =>
  within((text) => pageOf(`BT /F1 9 Tf ${start} Td ${text} ET`), unit);

const utf16: Make = (size) => new Uint8Array(Buffer.from(String(fill(PROSE)(size / 2)), "utf16le"));
const numbered = (of: (at: number) => string, length: number) => (size: number) =>
  Array.from({ length: size / length }, (_unused, at) => of(at)).join("");
const linesOfPages: Make = (size) => {
  const lines = Array.from({ length: 50 }, (_line, at) => lineOf(800 - at * 14, `[(${PROSE})]`));
  const content = lines.join("");
  return pagesOf(Array.from({ length: Math.ceil(size / content.length) }, () => content));
};

/** Documents that are long in one way each, of about `size` bytes, by the name of their file. */
export const LONG_INPUTS: Record<string, [name: string, make: Make]> = {
  "text of prose": ["a.txt", fill(PROSE)],
  "text of lines": ["a.txt", fill("a\n")],
  "text of one line": ["a.txt", fill("a")],
  "text of line ends of two": ["a.txt", fill("a\r\n")],
  "text of form feeds": ["a.txt", fill(`${PROSE}\f`)],
  "text of Han": ["a.txt", fill("\u6f22\u5b57")],
  "text of Thai": ["a.txt", fill("\u0e01\u0e02\u0e04 ")],
  "text of combining marks": ["a.txt", fill("e\u0301\u0316 ")],
  "text of invisible characters": ["a.txt", fill("a\u200d\u200b")],
  "text of an old encoding": ["a.txt", latin1(fill("caf\xe9 "))],
  "text of Cyrillic in an old encoding": ["a.txt", latin1(fill("\xcf\xf0\xe8\xe2\xe5\xf2 "))],
  "text of Japanese in an old encoding": [
    "a.txt",
    latin1(fill("\x93\xfa\x96\x7b\x8c\xea\x82\xcc")),
  ],
  "text of Chinese in an old encoding": ["a.txt", latin1(fill("\xd6\xd0\xb9\xfa\xb5\xc4 "))],
  "text without letters": ["a.txt", fill(". ")],
  "text of UTF-16": ["a.txt", utf16],
  "damaged text": ["a.txt", latin1(fill("caf\xc3\xa9 ", "", "\xe9 \n"))],
  "text of damaged characters": ["a.txt", latin1(fill(`\xe9 ${"\xc3\xa9".repeat(60)}`))],
  "text of unknown bytes": ["a.txt", latin1(fill("\x80\xe9\xe2\x82 "))],
  "Markdown of prose": ["a.md", fill(`# Leave\n\n${PROSE}\n\n`)],
  "Markdown of headings": ["a.md", fill("a\n=\n")],
  "Markdown of items": ["a.md", fill("- a\n")],
  "Markdown of rows": ["a.md", fill("| a | b |\n", "| a | b |\n| - | - |\n")],
  "Markdown of one row": ["a.md", fill("a | ", "| a | b |\n| - | - |\n")],
  "Markdown of sentences": ["a.md", fill("A. ")],
  "Markdown of comments": ["a.md", fill("<!-- a -->b")],
  "Markdown with a comment": ["a.md", fill(`${PROSE}\n\n`, "<!-- a -->\n\n")],
  "Markdown of quotations": ["a.md", fill("> a\n\n")],
  "Markdown of fences": ["a.md", fill("```\na\n```\n")],
  "Markdown of code": ["a.md", fill("a\n", "```\n")],
  "Markdown of blank lines": ["a.md", fill("\n", "a", "b")],
  "page of prose": ["a.html", fill(`<p>${PROSE}</p>`)],
  "page of paragraphs": ["a.html", fill("<p>x")],
  "page of one paragraph": ["a.html", (size) => String(fill("x<br>", "<p>")(Math.min(size, 9e6)))],
  "page of links": ["a.html", fill("<a href=http://a.b/c>x</a> ")],
  "page of cells": ["a.html", fill("<td>x", "<table><tr>")],
  "page of rows": ["a.html", fill("<tr><td>x<td>y", "<table>")],
  "page of entities": ["a.html", fill("&amp;x ")],
  "page of nested elements": ["a.html", fill(`${"<div>".repeat(200)}x${"</div>".repeat(200)}`)],
  "page of code": ["a.html", (size) => String(fill("x\n", "<pre>")(Math.min(size, 4e6)))],
  "page of a comment": ["a.html", fill("x ", "<p>x<!--")],
  "page of an attribute": ["a.html", fill("x ", '<p title="')],
  "page of scripts": ["a.html", fill("<script>x</script>x")],
  "XML of records": ["a.xml", fill("<a b='c'><d>x</d></a>", "<r>", "</r>")],
  "XML of empty elements": ["a.xml", fill("<a/>", "<r>", "</r>")],
  feed: [
    "a.rss",
    fill("<item><title>x</title><description>&lt;p&gt;y</description></item>", "<rss><channel>"),
  ],
  "CSV of rows": ["a.csv", fill("a,b,c\n")],
  "CSV of one row": ["a.csv", fill("a,")],
  "CSV of wide rows": ["a.csv", fill(`${"a,".repeat(1_500)}\n`)],
  "CSV of quotes": ["a.csv", fill('"a ""b""",c\n')],
  "CSV of empty lines": ["a.csv", fill("\n", "a,b\n", "c,d")],
  "JSON of objects": ["a.json", fill('{"a":1,"b":"x"},', "[", "{}]")],
  "JSON of keys": ["a.json", (size) => `{${numbered((at) => `"k${at}":1,`, 12)(size)}"z":1}`],
  "JSON of one text": ["a.json", fill("Leave. ", '["', '"]')],
  "JSON that is none": ["a.json", fill("{a: 1}\n")],
  "notebook of cells": [
    "a.ipynb",
    fill('{"cell_type":"markdown","source":["# a\\n","b"]},', '{"nbformat":4,"cells":[', "{}]}"),
  ],
  "notebook of one cell": [
    "a.ipynb",
    fill("b\\n", '{"nbformat":4,"cells":[{"cell_type":"markdown","source":["', '"]}]}'),
  ],
  "notebook of outputs": [
    "a.ipynb",
    fill(
      '{"output_type":"stream","text":["a"]},',
      '{"nbformat":4,"cells":[{"cell_type":"code","source":"a","outputs":[',
      "{}]}]}",
    ),
  ],
  code: ["a.ts", fill("function fooBar(aB) { return aB + 1; }\n")],
  "code of lines": ["a.ts", fill("a\n")],
  "code of fences": ["a.ts", fill("```\n")],
  YAML: ["a.yaml", fill("a: b\n")],
  "RTF of paragraphs": ["a.rtf", fill("x\\par ", "{\\rtf1 ")],
  "RTF of one paragraph": [
    "a.rtf",
    (size) => String(fill("x\\line ", "{\\rtf1 ")(Math.min(size, 7e6))),
  ],
  "RTF of cells": ["a.rtf", fill("\\intbl x\\cell\\row ", "{\\rtf1 ")],
  "RTF of groups": ["a.rtf", fill("{x}", "{\\rtf1 ")],
  "RTF of a picture": ["a.rtf", fill("0a", "{\\rtf1 x{\\pict ", "}}")],
  "RTF of characters": ["a.rtf", fill("\\u8364?", "{\\rtf1 ")],
  "mail of quotations": ["a.eml", fill("> a\nb\n\n", `${FROM}\n`)],
  "mail of lines": ["a.eml", fill("a\n", `${FROM}\n`)],
  "mail of parts": ["a.eml", fill(`--b\nContent-Type: text/plain\n\n${"x ".repeat(100)}\n`, MIXED)],
  "mail of parts of unknown bytes": [
    "a.eml",
    (size) =>
      latin1(fill(`--b\n\n${"\x80\xe9\xe2\x82 ".repeat(200)}\n`, MIXED))(Math.min(size, 4e6)),
  ],
  "mail of one part of unknown bytes": ["a.eml", latin1(fill("\x80\xe9\xe2\x82 ", `${FROM}\n`))],
  "mail of heads of unknown bytes": [
    "a.eml",
    (size) => latin1(fill("--b\nX-A: \x80\xe9\xe2\x82\n\nx\n", MIXED))(Math.min(size, 2e5)),
  ],
  "mail of headers": ["a.eml", fill("X-A: b\n", "", "\nbody")],
  "mail of recipients": ["a.eml", fill("a <a@b>, ", `${FROM}To: `, "\n\nx")],
  "mail of base64": ["a.eml", fill("YWFh\n", `${FROM}Content-Transfer-Encoding: base64\n\n`)],
  "mail of quoted characters": [
    "a.eml",
    fill(
      "=C3=A9=\n",
      `${FROM}Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n`,
    ),
  ],
  "mail of a page": ["a.eml", fill("<p>x</p>", `${FROM}Content-Type: text/html\n\n`)],
  "mail with a calendar": [
    "a.eml",
    fill(
      "BEGIN:VEVENT\nSUMMARY:a\nDTSTART:20260101\nEND:VEVENT\n",
      `${FROM}Content-Type: text/calendar\n\nBEGIN:VCALENDAR\n`,
    ),
  ],
  "mail with a calendar of one line": [
    "a.eml",
    fill(
      "\n a",
      `${FROM}Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nBEGIN:VEVENT\nDESCRIPTION:a`,
    ),
  ],
  mailbox: [
    "a.mbox",
    (size) =>
      String(
        fill(`From a@b Mon Jan  1 00:00:00 2026\n${FROM}Subject: x\n\n${"y ".repeat(600)}\n\n`)(
          size,
        ),
      ),
  ],
  "mailbox of one message": [
    "a.mbox",
    fill(`${PROSE}\n`, `From a@b Mon Jan  1 00:00:00 2026\n${FROM}\n`),
  ],
  "manual page": ["a.man", fill(".B a\n", ".TH A 1\n.SH NAME\n")],
  "manual page of escapes": ["a.man", fill("\\fBa\\fR b\n", ".TH A 1\n.SH NAME\n")],
  "Word of paragraphs": ["a.docx", within(docx, "<w:p><w:r><w:t>x</w:t></w:r></w:p>")],
  "Word of prose": ["a.docx", within(docx, `<w:p><w:r><w:t>${PROSE}</w:t></w:r></w:p>`)],
  "Word of cells": [
    "a.docx",
    within(
      docx,
      "<w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr>",
      "<w:tbl>",
      "</w:tbl>",
    ),
  ],
  "Word of runs": ["a.docx", within(docx, "<w:r><w:t>x</w:t></w:r>", "<w:p>", "</w:p>")],
  "Excel of rows": ["a.xlsx", within(xlsx, "<row><c><v>1</v></c><c><v>2</v></c></row>")],
  "Excel of one row": ["a.xlsx", within(xlsx, "<c><v>1</v></c>", "<row>", "</row>")],
  "Excel of shared texts": [
    "a.xlsx",
    within((text) => xlsx("<row><c><v>1</v></c></row>", { strings: text }), "<si><t>x</t></si>"),
  ],
  "PowerPoint of shapes": [
    "a.pptx",
    within(
      (text) => pptx([text]),
      "<p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>",
    ),
  ],
  "OpenDocument text": ["a.odt", within((text) => odf("text", text), "<text:p>x</text:p>")],
  "OpenDocument sheet": [
    "a.ods",
    within(
      (text) => odf("spreadsheet", `<table:table>${text}</table:table>`),
      "<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>",
    ),
  ],
  "PDF of lines": ["a.pdf", page("0 -14 Td (hello) Tj\n", "9 900000")],
  "PDF of one line": ["a.pdf", page("50 0 Td (x) Tj\n", "9 9")],
  "PDF of one text": ["a.pdf", page("(hello ) Tj\n", "9 9")],
  "PDF of lines upwards": ["a.pdf", page("0 14 Td (hello) Tj\n", "9 9")],
  "PDF of columns": [
    "a.pdf",
    (size) =>
      pageOf(
        `BT /F1 9 Tf ${Array.from(
          { length: Math.ceil(size / 5e5) },
          (_row, at) => `1 0 0 1 9 ${900_000 - at * 14} Tm\n${"50 0 Td (x) Tj\n".repeat(33_000)}`,
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
    (size) => pageOf(`%${"x".repeat(size)}\nBT /F1 9 Tf 9 9 Td (x) Tj ET`),
  ],
};

/** Steps of some work by name, in their order, each measured by itself. */
export type Steps = Record<string, (yieldToOthers: YieldToOthers) => Promise<unknown>>;

/** How the Worker reads and cuts a long input. */
export function stepsOf(what: string, size: number): Steps {
  const [name, make] = LONG_INPUTS[what] ?? ["", fill("")];
  const file = { name, mimeType: null, bytes: bytesOf(make(size)).slice() };
  let document: ExtractedDocument | null = null;
  return {
    read: async (yieldToOthers) => {
      document = await extractDocument(file, { yieldToOthers, discardsBytes: true });
    },
    cut: async (yieldToOthers) => {
      if (document === null) return;
      const settings = { chunkSize: 512, chunkOverlap: 64, tokenizer: "unknown" as const };
      const cutting = chunkCooperatively(document, { ...settings, fileName: name });
      await runCooperatively(cutting, yieldToOthers);
    },
  };
}
