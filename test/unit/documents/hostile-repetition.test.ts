import { expect, it } from "vitest";
import { xlsx } from "../../support/office-files.ts";
import { read } from "../../support/read-document.ts";

const MIB = 1 << 20;
/** So often that about a mebibyte comes of it. */
const many = (part: string) => part.repeat(Math.ceil(MIB / part.length));

/** Multiparts that open in each other. */
const parts = Array.from(
  { length: 49 },
  (_unused, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
).join("");

/** Each took minutes to years where a pattern was tried again from each place that it may begin at. */
const ENDING: [what: string, name: string, content: string | Uint8Array][] = [
  ["comments that never end", "a.md", `needle ${"<!--".repeat(200_000)}`],
  ["spaces within code", "a.html", `<pre>${" ".repeat(300_000)}needle</pre>`],
  [
    "a paragraph of a hundred thousand links",
    "a.xml",
    `<d><p>${'<link href="https://a.example/b">c</link> '.repeat(100_000)}needle</p></d>`,
  ],
  [
    "a web page's paragraph of a hundred thousand links",
    "a.html",
    `<p>${'<a href="https://a.example/b">c</a> '.repeat(100_000)}needle</p>`,
  ],
  [
    "mail of lines that are nearly boundaries",
    "a.eml",
    `From: a@b.c\nMIME-Version: 1.0\n${parts}\n${"--b\n--b77\n".repeat(200_000)}needle`,
  ],
  [
    "mail that flows on and on",
    "a.eml",
    `From: a@b.c\nMIME-Version: 1.0\nContent-Type: text/plain; format=flowed\n\n${"a \n".repeat(500_000)}needle`,
  ],
  [
    "mail with parentheses in its headers",
    "a.eml",
    `From: a@b.c\nMIME-Version: 1.0\nContent-Type: text/plain ${"(".repeat(500_000)}\nSubject: ${"=?".repeat(200_000)}\n\nneedle`,
  ],
  ["one long JSON string", "a.json", JSON.stringify({ text: "needle ".repeat(1_000_000) })],
  ["a row of a million cells", "a.csv", `${"a,".repeat(1_000_000)}needle`],
  ["a table of many rows", "a.html", `<table>${"<tr><td>a<td>b".repeat(20_000)}<tr><td>needle`],
  ["text of dots", "a.txt", `needle ${many(".")}x`],
  ["Markdown that ends in backticks", "a.md", `needle <!-- a -->\n${many("`")}`],
  ["Markdown that ends in tildes", "a.md", `needle <!-- a -->\n${many("~")}`],
  ["Markdown with a heading of spaces", "a.md", `# needle${" ".repeat(40_000)}x\n`],
  ["Markdown after many comments", "a.md", `${"<!-- licence -->\n".repeat(200)}needle`],
  ["Markdown of hidden blocks", "a.md", `needle <!-- a -->\n${many("<div hidden>\n\n")}`],
  ["Markdown of marks of items", "a.md", `needle <!-- a -->\n${many("- ")}`],
  ["Markdown of items before tags", "a.md", `needle <!-- a -->\n${many("- <p>\n")}`],
  ["Markdown of spaces before tags", "a.md", `needle <!-- a -->\n${" ".repeat(MIB)}${many("<p>")}`],
  ["Markdown of indented fences", "a.md", `needle <!-- a -->\n${many("  ```a `\n  ```\n ~~~\n")}`],
  ["text after many comments", "a.txt", `${"<!-- licence -->\n".repeat(200)}needle`],
  [
    "JSON of numbers that lie a thousand deep",
    "a.json",
    `["needle",${"[".repeat(990)}${many("1,")}${"]".repeat(991)}`,
  ],
  ["HTML with a style sheet of at-rules", "a.html", `<style>${many("@a")}</style><p>needle`],
  ["HTML with one long at-rule", "a.html", `<style>@${many("a")}</style><p>needle`],
  ["HTML with unclosed style comments", "a.html", `<style>${many("/*")}</style><p>needle`],
  ["HTML with unclosed style rules", "a.html", `<style>${many("@a{")}</style><p>needle`],
  ["HTML with a style sheet of words", "a.html", `<style>${many("a ")}</style><p>needle`],
  ["HTML with a long tag", "a.html", `<p>needle</p><${many("a")}`],
  [
    "HTML with a script of twelve megabytes that compares",
    "a.html",
    `<script>if (a<b) c = [${"12345.67,".repeat(1_333_333)}]</script><p>needle`,
  ],
  ["HTML of quotes within tags", "a.html", `<p>needle</p>${many('<a "')}`],
  ["HTML of single quotes within tags", "a.html", `<p>needle</p>${many("<a '\"")}`],
  [
    "HTML tables of cells that span hundreds of rows and columns",
    "a.html",
    `<p>needle</p><table>${many("<tr><td rowspan=200 colspan=200>a")}`,
  ],
  [
    "XML of links in each other around a long text",
    "a.xml",
    `<article><para>needle ${'<link href="https://x.test">'.repeat(450)}${many("word ")}${"</link>".repeat(450)}</para></article>`,
  ],
  ["code of fences", "a.py", `needle\n${many("```\n")}`],
  [
    "XML of values that lie hundreds deep",
    "a.xml",
    `<a>needle${"<a>".repeat(480)}${many("<b>1</b>")}${"</a>".repeat(481)}`,
  ],
  ["XML of unclosed brackets", "a.xml", `<a>needle${many(" ]")}</a>`],
  ["CSV of quotes", "a.csv", `needle,b\n${many('""')}`],
  [
    "RTF of links in one paragraph",
    "a.rtf",
    `{\\rtf1 needle ${many('{\\field{\\*\\fldinst HYPERLINK "https://x.test"}{\\fldrslt b }}')}}`,
  ],
  ["RTF of spaces", "a.rtf", `{\\rtf1 needle${many(" ")}}`],
  [
    "a spreadsheet whose number formats are brackets",
    "a.xlsx",
    xlsx('<row><c t="inlineStr"><is><t>needle</t></is></c></row>', {
      styles: `<numFmts><numFmt numFmtId="200" formatCode="${many("[")}"/></numFmts><cellXfs>${'<xf numFmtId="200"/>'.repeat(2_000)}</cellXfs>`,
    }),
  ],
];

it.each(ENDING)("comes to an end: %s", async (_what, name, content) => {
  expect((await read(name, content)).markdown).toContain("needle");
});

it.each(["<div></b>", "<li><option>", "<sup>a ", "<ol type=i><li value=3999>", "<ruby>a<rt>b "])(
  "refuses HTML of %s in each other",
  async (part) => {
    await expect(read("a.html", many(part))).rejects.toThrow("HTML nests too deeply");
  },
);
