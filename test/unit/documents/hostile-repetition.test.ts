import { describe, expect, it } from "vitest";

import { xlsx } from "../../support/office-files.ts";
import { extract, type Content } from "../../support/read-document.ts";

const MIB = 1 << 20;
/** So often that about a mebibyte comes of it. */
const many = (part: string) => part.repeat(Math.ceil(MIB / part.length));

/** Multiparts that open in each other. */
const parts = Array.from(
  { length: 49 },
  (_unused, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
).join("");

/** Each took minutes to years where a pattern was tried again from each place that it may begin at. */
const ENDING: Record<string, Record<string, Content>> = {
  "a.md": {
    "comments that never end": `needle ${"<!--".repeat(200_000)}`,
    "Markdown that ends in backticks": `needle <!-- a -->\n${many("`")}`,
    "Markdown that ends in tildes": `needle <!-- a -->\n${many("~")}`,
    "Markdown with a heading of spaces": `# needle${" ".repeat(40_000)}x\n`,
    "Markdown after many comments": `${"<!-- licence -->\n".repeat(200)}needle`,
    "Markdown of hidden blocks": `needle <!-- a -->\n${many("<div hidden>\n\n")}`,
    "Markdown of marks of items": `needle <!-- a -->\n${many("- ")}`,
    "Markdown of items before tags": `needle <!-- a -->\n${many("- <p>\n")}`,
    "Markdown of spaces before tags": `needle <!-- a -->\n${" ".repeat(MIB)}${many("<p>")}`,
    "Markdown of indented fences": `needle <!-- a -->\n${many("  ```a `\n  ```\n ~~~\n")}`,
  },
  "a.html": {
    "spaces within code": `<pre>${" ".repeat(300_000)}needle</pre>`,
    "a web page's paragraph of a hundred thousand links": `<p>${'<a href="https://a.example/b">c</a> '.repeat(100_000)}needle</p>`,
    "a table of many rows": `<table>${"<tr><td>a<td>b".repeat(20_000)}<tr><td>needle`,
    "HTML with a style sheet of at-rules": `<style>${many("@a")}</style><p>needle`,
    "HTML with one long at-rule": `<style>@${many("a")}</style><p>needle`,
    "HTML with unclosed style comments": `<style>${many("/*")}</style><p>needle`,
    "HTML with unclosed style rules": `<style>${many("@a{")}</style><p>needle`,
    "HTML with a style sheet of words": `<style>${many("a ")}</style><p>needle`,
    "HTML with a long tag": `<p>needle</p><${many("a")}`,
    "HTML with a script of twelve megabytes that compares": `<script>if (a<b) c = [${"12345.67,".repeat(1_333_333)}]</script><p>needle`,
    "HTML of quotes within tags": `<p>needle</p>${many('<a "')}`,
    "HTML of single quotes within tags": `<p>needle</p>${many("<a '\"")}`,
    "HTML tables of cells that span hundreds of rows and columns": `<p>needle</p><table>${many("<tr><td rowspan=200 colspan=200>a")}`,
  },
  "a.xml": {
    "a paragraph of a hundred thousand links": `<d><p>${'<link href="https://a.example/b">c</link> '.repeat(100_000)}needle</p></d>`,
    "XML of links in each other around a long text": `<article><para>needle ${'<link href="https://x.test">'.repeat(450)}${many("word ")}${"</link>".repeat(450)}</para></article>`,
    "XML of values that lie hundreds deep": `<a>needle${"<a>".repeat(480)}${many("<b>1</b>")}${"</a>".repeat(481)}`,
    "XML of unclosed brackets": `<a>needle${many(" ]")}</a>`,
  },
  "a.eml": {
    "mail of lines that are nearly boundaries": `From: a@b.c\nMIME-Version: 1.0\n${parts}\n${"--b\n--b77\n".repeat(200_000)}needle`,
    "mail that flows on and on": `From: a@b.c\nMIME-Version: 1.0\nContent-Type: text/plain; format=flowed\n\n${"a \n".repeat(500_000)}needle`,
    "mail with parentheses in its headers": `From: a@b.c\nMIME-Version: 1.0\nContent-Type: text/plain ${"(".repeat(500_000)}\nSubject: ${"=?".repeat(200_000)}\n\nneedle`,
  },
  "a.json": {
    "one long JSON string": JSON.stringify({ text: "needle ".repeat(1_000_000) }),
    "JSON of numbers that lie a thousand deep": `["needle",${"[".repeat(990)}${many("1,")}${"]".repeat(991)}`,
  },
  "a.csv": {
    "a row of a million cells": `${"a,".repeat(1_000_000)}needle`,
    "CSV of quotes": `needle,b\n${many('""')}`,
  },
  "a.txt": {
    "text of dots": `needle ${many(".")}x`,
    "text after many comments": `${"<!-- licence -->\n".repeat(200)}needle`,
  },
  "a.py": {
    "code of fences": `needle\n${many("```\n")}`,
  },
  "a.rtf": {
    "RTF of links in one paragraph": `{\\rtf1 needle ${many('{\\field{\\*\\fldinst HYPERLINK "https://x.test"}{\\fldrslt b }}')}}`,
    "RTF of a paragraph that is in fewer tables than none": String.raw`{\rtf1 \itap-2000000000 a\par\pard needle}`,
    "RTF of spaces": `{\\rtf1 needle${many(" ")}}`,
  },
  "a.xlsx": {
    "a spreadsheet whose number formats are brackets": xlsx(
      '<row><c t="inlineStr"><is><t>needle</t></is></c></row>',
      {
        styles: `<numFmts><numFmt numFmtId="200" formatCode="${many("[")}"/></numFmts><cellXfs>${'<xf numFmtId="200"/>'.repeat(2_000)}</cellXfs>`,
      },
    ),
  },
};

describe.each(Object.entries(ENDING))("%s comes to an end", (name, contents) => {
  it.each(Object.entries(contents))("%s", async (_what, content) => {
    expect((await extract(name, content)).markdown).toContain("needle");
  });
});

it.each(["<div></b>", "<li><option>", "<sup>a ", "<ol type=i><li value=3999>", "<ruby>a<rt>b "])(
  "refuses HTML of %s in each other",
  async (part) => {
    await expect(extract("a.html", many(part))).rejects.toThrow("HTML nests too deeply");
  },
);
