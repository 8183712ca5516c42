import { describe, expect, it } from "vitest";

import { extract, reads } from "../../../../support/read-document.ts";

/** Codes above 127 as bytes. */
const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** Text whose letters are the bytes of this text in UTF-8. */
const bytesAsText = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

const rtf = (body: string, head = "") =>
  bytesOf(String.raw`{\rtf1\ansi\ansicpg1252${head}${body}}`);

reads("a.rtf", {
  "reads what follows a \\* that does not begin its group": [
    rtf(String.raw`{Open \*\harbour the gates}{\*\harbour Left out} at six.`),
    "Open the gates at six.",
  ],
  "leaves out what follows the end of the document": [
    rtf("The gates open at six.}\0\0 trailing bytes {\\b more"),
    "The gates open at six.",
  ],
});

describe("lists and headings", () => {
  const STYLES = String.raw`{\stylesheet{\s0 Normal;}{\s1\sbasedon9\outlinelevel0 \'dcberschrift;}{\s2\sbasedon1\outlinelevel1 Zweite;}{\s3\sbasedon2 Dritte;}{\s9\sbasedon0 Vorlage;}{\s5 Title;}{\s6 Source Code;}{\s7 Quotations;}}`;
  const item = (label: string, level: number, text: string, more = "") =>
    String.raw`\pard\plain${more}{\listtext\pard\plain ${label}\tab}\ilvl${level}\ls1 ${text}\par`;

  const bullet = String.raw`{\listtext\pard\plain \'95\tab}\ls1 `;

  reads("a.rtf", {
    "keeps numbers, letters and levels as the writer drew them": [
      rtf(
        item("1.", 0, "Tenant") +
          item("1.1", 1, "Rent") +
          item("(a)", 2, "by transfer") +
          item(String.raw`\'95`, 0, "Bullet") +
          item("o", 1, "Courier's bullet"),
      ),
      "1. Tenant\n   - 1.1 Rent\n      - (a) by transfer\n- Bullet\n   - Courier's bullet",
    ],
    "keeps numbers that stand before their paragraph's properties": [
      rtf(
        String.raw`{\listtext\pard\plain 1.\tab}\pard\ls1 Rent\par{\pntext\f0 2.\tab}\pard{\*\pn\pndec{\pntxta .}}Notice\par\pard Text\par`,
      ),
      "1. Rent\n2. Notice\n\nText",
    ],
    "leaves out what readers without nested tables would show, and keeps numbers in cells": [
      rtf(
        String.raw`\trowd\pard\intbl\itap2 Deep A\nestcell Deep B\nestcell{\*\nesttableprops\trowd\nestrow}{\nonesttables Not for us\par}\pard\intbl{\listtext 4.\tab}Outer\par\cell\pard\intbl Next\cell\row\pard After\par`,
      ),
      "| Deep A Deep B 4. Outer | Next |\n| --- | --- |\n\nAfter",
    ],
    "a table within a cell keeps its rows": [
      rtf(
        String.raw`\trowd\pard\intbl\itap2 Part\nestcell Price\nestcell{\*\nesttableprops\trowd\nestrow}\pard\intbl\itap2 Nut\nestcell 5\nestcell{\*\nesttableprops\trowd\nestrow}\pard\intbl Until May\cell\row\pard After\par`,
      ),
      "| Part | Price |\n| --- | --- |\n| Nut | 5 |\n\nUntil May\n\nAfter",
    ],
    "reads numbered headings as headings, whatever their styles are called": [
      rtf(
        item("Artikel 1", 0, "Umfang", String.raw`\s1 `) +
          item("", 1, "Pflichten", String.raw`\s2 `) +
          String.raw`\pard\s3 Sorgfalt\par\pard Text\par`,
        STYLES,
      ),
      "# Artikel 1 Umfang\n\n## Pflichten\n\n## Sorgfalt\n\nText",
    ],
    "knows titles, code and quotations by their styles": [
      rtf(
        String.raw`\pard\s5 Lease\par\pard\s6 a = 1\par\pard\s6   b = 2\par\pard\s7 Said so\par`,
        STYLES,
      ),
      "# Lease\n\n```\na = 1\n  b = 2\n```\n\n> Said so",
    ],
    "keeps a list that stands in a cell in its cell": [
      rtf(
        String.raw`\trowd\pard\intbl Month\cell\pard\intbl Catch\cell\row\pard\intbl May\cell\pard\intbl${bullet}herring\par\pard\intbl${bullet}cod\cell\row\pard After\par`,
      ),
      "| Month | Catch |\n| --- | --- |\n| May | herring cod |\n\nAfter",
    ],
  });
});

describe("what else a document holds", () => {
  const shape = String.raw`{\shp{\*\shpinst\shpleft1{\sp{\sn shapeType}{\sv 202}}{\shptxt \pard In the box\par}}{\shprslt\par In the box, drawn\par}}`;
  const field = (code: string, result: string) =>
    String.raw`{\field{\*\fldinst {${code}}}{\fldrslt {\ul ${result}}}}`;
  reads("a.rtf", {
    "reads text boxes, and no properties of shapes": [
      rtf(String.raw`\pard Before ${shape}and after\par`),
      "Before In the box\n\nand after",
    ],
    "keeps links, and reads no codes of fields": [
      rtf(
        String.raw`\pard See ${field(' HYPERLINK "https://example.org/tides" ', "the tides")} on ${field(" PAGE ", "7")}.\par`,
      ),
      "See [the tides](https://example.org/tides) on 7.",
    ],
  });

  it("keeps a link that goes on over paragraphs and cells in each of them", async () => {
    const link = String.raw`{\field{\*\fldinst HYPERLINK "https://example.org/"}{\fldrslt first words\par Second words}}`;
    const file = rtf(
      String.raw`\pard See the ${link} end.\par\trowd\pard\intbl Month\cell Catch\cell\row ${link.replace(String.raw`\par`, String.raw`\cell`)} of all\cell\row`,
    );
    const { markdown } = await extract("a.rtf", file);
    expect(markdown.split("\n\n")).toEqual([
      "See the [first words](https://example.org/)",
      "[Second words](https://example.org/) end.",
      "| Month | Catch |\n| --- | --- |\n| [first words](https://example.org/) | [Second words](https://example.org/) of all |",
    ]);
  });

  const hex = (text: string) => Buffer.from(text).toString("hex");
  const row = String.raw`\trowd\pard\intbl a\cell b\cell\row`;

  reads("a.rtf", {
    "names files and objects of other programs": [
      rtf(
        String.raw`Plan: {\v{\object{\*\objdata 01050000 02000000 08000000 ${hex("Package\0")}${"0".repeat(24)}0200${hex("plan.pdf\0C:\\plan.pdf\0")}${"7f".repeat(2_000_000)}}}}{\object{\*\objdata 010500000200000006000000${hex("Excel\0")}${"0".repeat(24)}d0cf}}\par`,
      ),
      "Plan:",
      "2 embedded files left out: plan.pdf, Excel",
    ],
    "reads what an embedded object shows": [
      rtf(
        String.raw`\pard Sum: {\object\objemb{\*\objclass Excel.Sheet.12}{\*\objdata 00ff}{\result {\rtlch Total 4711}}} tons\par`,
      ),
      "Sum: Total 4711 tons",
      "1 embedded file left out",
    ],
    "ends a paragraph where the next column begins": [
      rtf(String.raw`\pard left\column right\par`),
      "left\n\nright",
    ],
    "keeps what stands in a row after its last cell, and a formula that never ends": [
      rtf(String.raw`${row}\pard\intbl c\cell d\row\pard See {\*\moMath{{\mr x}`),
      "| a | b |\n| --- | --- |\n| c | d |\n\nSee x",
      "the file ends early",
    ],
    "reads the characters of formulas": [
      rtf(
        String.raw`\pard Mean {\mmath{\*\moMath{\mf{\mfPr{\mctrlPr i}}{\mnum{\mr a+b}}{\mden{\mr 2}}}{\mr =}{\mnary{\mnaryPr{\mchr \u8721?}}{\msub{\mr i}}{\msup{\mr n}}{\me{\mr x}}}}}.\par`,
      ),
      "Mean a+b2=∑inx.",
    ],
  });

  it("takes the title and nothing else from what the file says of itself", async () => {
    const file = rtf(
      String.raw`{\info{\title Tide tables}{\author Ines}{\manager Jan}{\category Sea}}\pard Text\par`,
    );
    const document = await extract("a.rtf", file);
    expect(document).toMatchObject({ title: "Tide tables", markdown: "Text" });
  });
});

const run = String.raw`\'93\'8c\'8b\'9e`.repeat(20_000);
reads("a.rtf", {
  "reads UTF-8 that some writers put into it as it is, beside escaped characters": [
    rtf(bytesAsText("\\pard Kieferstraße, Причал, 東京, caf\\'e9\\par")),
    "Kieferstraße, Причал, 東京, café",
  ],
  "reads characters of two bytes wherever a long run of them is cut": [
    rtf(String.raw`\pard\f1 A${run}\par`, String.raw`{\fonttbl{\f1\fcharset128 Mincho;}}`),
    `A${"東京".repeat(20_000)}`,
  ],
  "reads a code page's characters that are not escaped": [
    rtf(String.raw`\pard Kieferstra\u223?e, caf${"\u00e9"} cr${"\u00e8"}me\par`),
    "Kieferstraße, café crème",
  ],
});

describe("fonts", () => {
  const FONTS = String.raw`\deff1{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset2 Symbol;}{\f3\cpg932 Mincho;}}`;

  it.each([
    [
      "the default font's character set where text names none",
      String.raw`\pard\plain \'cf\'f0\'e8\'f7\'e0\'eb\par`,
      "Причал",
    ],
    ["letters of symbol fonts", String.raw`\pard\f2\'61\u-3920?\f0 = 2\par`, "α°= 2"],
    ["a font's code page", String.raw`\pard\f3\'93\'8c\'8b\'9e\par`, "東京"],
  ])("reads %s", async (_what, body, expected) => {
    const { markdown } = await extract("a.rtf", rtf(body, FONTS));
    expect(markdown).toBe(expected);
  });
});
