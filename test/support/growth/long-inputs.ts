import { runCooperatively, type YieldToOthers } from "../../../src/core/work/cooperative.ts";
import { chunkCooperatively } from "../../../src/documents/chunking/chunk-document.ts";
import { extractDocument } from "../../../src/documents/extract-document.ts";
import type { ExtractedDocument } from "../../../src/documents/extracted-document.ts";
import { bytesOf } from "../read-document.ts";
import { fill, PROSE, type Make } from "./filled.ts";
import { LONG_PACKAGES } from "./long-packages.ts";

const FROM = "From: a@b\n";
const MIXED = `${FROM}Content-Type: multipart/mixed; boundary=b\n\n`;

const latin1 =
  (make: Make): Make =>
  (size) =>
    Uint8Array.from(Buffer.from(String(make(size)), "latin1"));
const utf16: Make = (size) => new Uint8Array(Buffer.from(String(fill(PROSE)(size / 2)), "utf16le"));
const numbered = (itemAt: (at: number) => string, length: number) => (size: number) =>
  Array.from({ length: size / length }, (_unused, at) => itemAt(at)).join("");

/** Documents that are long in one way each, of about `size` bytes, by the name of their file. */
export const LONG_INPUTS: Record<string, [name: string, make: Make]> = {
  "text of prose": ["a.txt", fill(PROSE)],
  "text of zero bytes": ["a.txt", fill(`${PROSE}\0`)],
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
  "page of one word": ["a.html", fill("x", "<p>")],
  "page of inline elements": ["a.html", fill("<b>x</b>", "<p>")],
  "page of items": ["a.html", fill("<li>x", "<ul>")],
  "page of formulas": ["a.html", fill("<math><mi>x</mi></math>")],
  "page of one cell": ["a.html", fill("x ", "<table><tr><td>")],
  "page of spanning cells": ["a.html", fill("<tr><td colspan=9 rowspan=9>x", "<table>")],
  "page of an old encoding": ["a.html", latin1(fill("<p>caf\xe9 "))],
  "page of a comment": ["a.html", fill("x ", "<p>x<!--")],
  "page of an attribute": ["a.html", fill("x ", '<p title="')],
  "page of scripts": ["a.html", fill("<script>x</script>x")],
  "XML of records": ["a.xml", fill("<a b='c'><d>x</d></a>", "<r>", "</r>")],
  "XML of entities": ["a.xml", fill("&e; ", '<!DOCTYPE r [<!ENTITY e "x">]><r>', "</r>")],
  "XML of empty elements": ["a.xml", fill("<a/>", "<r>", "</r>")],
  "XML of one text": ["a.xml", fill("x ", "<r>", "</r>")],
  "XML of an attribute": ["a.xml", fill("x ", '<r><a b="', '"/></r>')],
  "XML of a section": ["a.xml", fill("x ", "<r><![CDATA[", "]]></r>")],
  "XML of a table": [
    "a.xml",
    fill("<row><entry>x</entry><entry>y</entry></row>", "<topic><body><table>"),
  ],
  feed: [
    "a.rss",
    fill("<item><title>x</title><description>&lt;p&gt;y</description></item>", "<rss><channel>"),
  ],
  "CSV of rows": ["a.csv", fill("a,b,c\n")],
  "CSV of one row": ["a.csv", fill("a,")],
  "CSV of wide rows": ["a.csv", fill(`${"a,".repeat(1_500)}\n`)],
  "CSV of quotes": ["a.csv", fill('"a ""b""",c\n')],
  "CSV of empty lines": ["a.csv", fill("\n", "a,b\n", "c,d")],
  "CSV of one cell": ["a.csv", fill("a ", 'a,b\n"', '",c\n')],
  "CSV of stray quotes": ["a.csv", fill('"a\n')],
  "JSON of objects": ["a.json", fill('{"a":1,"b":"x"},', "[", "{}]")],
  "JSON of keys": ["a.json", (size) => `{${numbered((at) => `"k${at}":1,`, 12)(size)}"z":1}`],
  "JSON of one text": ["a.json", fill("Leave. ", '["', '"]')],
  "JSON of numbers": ["a.json", fill("1,", "[", "1]")],
  "JSON of brackets": ["a.json", (size) => "[".repeat(size / 2) + "]".repeat(size / 2)],
  "JSON of escapes": ["a.json", fill("\\u00e9", '["', '"]')],
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
  "RTF of blank cells": ["a.rtf", fill(" ", "{\\rtf1 \\intbl", "\\par\\pard x")],
  "RTF of open groups": [
    "a.rtf",
    (size) => `{\\rtf1 x${"{".repeat(size / 2)}${"}".repeat(size / 2)}`,
  ],
  "RTF of bytes": ["a.rtf", fill("\\'e9", "{\\rtf1 ")],
  "RTF of fonts": ["a.rtf", fill("{\\f0 a;}", "{\\rtf1 {\\fonttbl", "}x}")],
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
  "mail of a header": ["a.eml", fill(" a\n", "X-A: b\n", "\nbody")],
  "mail of a subject": ["a.eml", fill(" =?utf-8?B?YQ==?=\n", `${FROM}Subject: a\n`, "\nbody")],
  "mail of one line": ["a.eml", fill("a ", `${FROM}\n`)],
  "mail of attachments": [
    "a.eml",
    fill(
      `--b\nContent-Disposition: attachment; filename=a.csv\n\n${"a,b\n".repeat(50_000)}\n`,
      MIXED,
    ),
  ],
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
  ...LONG_PACKAGES,
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
