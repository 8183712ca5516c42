import { expect, it } from "vitest";

import { HELVETICA, lineOf, pageOf } from "../../../../support/pdf-of.ts";
import { readPdf } from "../../../../support/read-document.ts";

it("reads text once that is drawn twice with a small shift, to look bold", async () => {
  const draw = (x: number) => `BT /F1 10 Tf ${x} 700 Td (Harbour till) Tj ET\n`;
  expect((await readPdf(pageOf(draw(50) + draw(50.3)))).markdown).toBe("Harbour till");
});

it("joins the lines of double-spaced prose, but no other paragraph or item", async () => {
  const prose = [
    "The harbour office keeps a list of all the boats that have lain",
    "at its quay, which each skipper signs on arrival, as the port of",
    "Saltholm asks of those who lie there by night, and before de-",
    "parture.",
  ];
  const otherParagraphs = [
    "Who stays longer than a week pays half for the days after it.",
    "salt and wool for all of the boats from the north",
    "tar",
  ];
  const draw = (text: string, at: number) =>
    `BT /F1 12 Tf 50 ${700 - at * 25} Td (${text}) Tj ET\n`;
  const lines = ["Rules of the harbour", ...prose, ...otherParagraphs];
  const paragraph = prose.join(" ").replace("de- parture", "departure");
  expect((await readPdf(pageOf(lines.map(draw).join("")))).markdown).toBe(
    [lines[0], paragraph, ...otherParagraphs].join("\n\n"),
  );
});

it("reads lines with a wide gap between two sentences as text, not as a table", async () => {
  const lines = [
    "[(approximations must be used.) -1100 (Also, estimates of errors are)]",
    "[(themselves subject to change.) -1100 (Thus, the users should be care-)]",
  ];
  const drawn = lines.map((text, at) => lineOf(700 - at * 12, text));
  expect((await readPdf(pageOf(drawn.join("")))).markdown).toMatch(
    /^approx.* used. Also, .* are themselves .* change. Thus, the users should be care-$/,
  );
});

it("keeps the columns of a page apart where a sentence ends beside another", async () => {
  const leftColumn = [
    "list of boats at the quay,",
    "and pays for each of them.",
    "Those who stay for a week",
  ];
  const rightColumn = [
    "pay half of it at the gate.",
    "Salt is weighed in the hall",
    "until noon, and not after.",
  ];
  const column = (texts: string[], x: number) =>
    texts.map((text, at) => `BT /F1 10 Tf ${x} ${700 - at * 12} Td (${text}) Tj ET\n`).join("");
  const { markdown } = await readPdf(pageOf(column(leftColumn, 50) + column(rightColumn, 180)));
  expect(markdown).not.toMatch(/them\. Salt/);
});

it("reads a title that ends with a full stop as a heading", async () => {
  const title = ["Salt and tar on the hulls of", "boats: a study of ten years."];
  const large = title.map((text, at) => `BT /F1 18 Tf 50 ${700 - at * 22} Td (${text}) Tj ET\n`);
  const text = lineOf(
    640,
    "[(The harbour office keeps a list of all boats that lie at its quay.)]",
  );
  expect((await readPdf(pageOf([...large, text].join("")))).title).toBe(title.join(" "));
});

it("reads sentences that are larger than most text as no headings", async () => {
  const small = (text: string, at: number) =>
    `BT /F1 9 Tf 50 ${600 - at * 12} Td (${text}) Tj 200 0 Td (${at}) Tj ET\n`;
  const rows = Array.from({ length: 20 }, (_, at) => small("Salt and wool from the north", at));
  const prose = ["All fees are stated for a night at", "the quay and are to be paid there."];
  const large = prose.map((text, at) => `BT /F1 14 Tf 50 ${700 - at * 17} Td (${text}) Tj ET\n`);
  const { markdown } = await readPdf(pageOf([...large, ...rows].join("")));
  expect(markdown).toMatch(/^All fees are stated .* paid there\.\n\n\|/);
});

it("reads each line with a bullet or a number as one item of a list", async () => {
  const items = ["\\225 Salt, per barrel", "\\225 Wool, per bale", "1. Candles", "2. Oil"];
  const draw = (text: string, at: number) =>
    `BT /F1 12 Tf 50 ${700 - at * 40} Td (${text}) Tj ET\n`;
  expect((await readPdf(pageOf(items.map(draw).join("")))).markdown).toBe(
    "- Salt, per barrel\n- Wool, per bale\n1. Candles\n2. Oil",
  );
});

/** Each letter from where the letter before it ends, with a gap; spaces are wider gaps. */
const spaced = (text: string, gap: number, word: number) =>
  `[${Array.from(text, (letter) => (letter === " " ? -word * 1_000 : `(${letter}) ${-gap * 1_000}`)).join(" ")}]`;
const LETTER = 0.6;
const drawnApart = (text: string, gap: number) =>
  Array.from(text, (letter, at) =>
    letter === " "
      ? ""
      : `BT /F1 10 Tf ${50 + at * (LETTER + gap) * 10} 700 Td (${letter}) Tj ET\n`,
  ).join("");

it.each([
  ["capitals with spaces", "[(S U M M A R Y)]", "SUMMARY"],
  ["two words with spaces", "[(C h a p t e r  1)]", "Chapter 1"],
  ["words far apart", "[(T A B L E   O F   T I D E S)]", "TABLE OF TIDES"],
  ["gaps", spaced("Summary of results", 0.2, 0.3), "Summary of results"],
  ["wide gaps", spaced("SUMMARY OF RESULTS", 0.5, 1), "SUMMARY OF RESULTS"],
  ["a word in a sentence", "[(The word  W A R N I N G  is red.)]", "The word WARNING is red."],
  [
    "letters within a sentence",
    "[(The gates A B E G I are shut.)]",
    "The gates A B E G I are shut.",
  ],
  ["three letters", "[(A B C)]", "A B C"],
  ["the alphabet", "[(A B C D E F G)]", "A B C D E F G"],
  ["answers", "[(B A D C A B E D)]", "B A D C A B E D"],
  ["yes and no", "[(Y N Y Y N Y N)]", "Y N Y Y N Y N"],
  ["variables", "[(f x = a b c + d e y)]", "f x = a b c + d e y"],
  ["figures", "[(1 2 3 4 5 6 7)]", "1 2 3 4 5 6 7"],
])("reads letters that are set apart as words: %s", async (_what, text, expected) => {
  expect((await readPdf(pageOf(lineOf(700, text)))).markdown).toBe(expected);
});

it("reads letters that are drawn apart as words, and a narrow gap as none", async () => {
  const courier = HELVETICA.replace("Helvetica", "Courier");
  const apart = pageOf(drawnApart("HARBOUR NEWS", 0.25), courier);
  expect((await readPdf(apart)).markdown).toBe("HARBOUR NEWS");
  expect(
    (await readPdf(pageOf(lineOf(700, "[(netw) -105 (ork) -278 (hours) -278 (of) -278 (locks)]"))))
      .markdown,
  ).toBe("network hours of locks");
});

it("keeps a line in its paragraph where a sign of it is larger", async () => {
  const lines = ["The harbour keeps a list of", "boats at 12 ", "g a litre of salt in all water."];
  const drawn =
    `BT /F1 9 Tf 50 700 Td (${lines[0]}) Tj 0 -11 Td (${lines[1]}) Tj ` +
    `/F1 10.3 Tf (u) Tj /F1 9 Tf (${lines[2]}) Tj ET\n`;
  expect((await readPdf(pageOf(drawn))).markdown).toBe(
    "The harbour keeps a list of boats at 12 ug a litre of salt in all water.",
  );
});

it("joins the lines of a scan, whose words are read in sizes of their own", async () => {
  const words = "/F1 10 Tf 50 700 Td (The harbour keeps a list of the) Tj /F1 11.5 Tf ( boats) Tj";
  const drawn = `BT ${words} 0 -13 Td (that lie at its quay by night.) Tj ET\n`;
  expect((await readPdf(pageOf(drawn))).markdown).toBe(
    "The harbour keeps a list of the boats that lie at its quay by night.",
  );
});

it("goes on in a narrow paragraph whose first words have a font of their own", async () => {
  const wide = lineOf(
    740,
    "[(The rules of the harbour are as wide as the page, and so are its fees.)]",
  );
  const note = `BT /F2 10 Tf 50 700 Td (Note: ) Tj /F1 10 Tf (ask at the quay of) Tj`;
  const drawn = `${wide}${note} 0 -12 Td (Saltholm for salt.) Tj ET\n`;
  const bold = HELVETICA.replace("/Helvetica", "/Helvetica-Bold");
  expect((await readPdf(pageOf(drawn, HELVETICA, bold))).markdown).toMatch(
    /^Note: ask at the quay of Saltholm for salt\.$/m,
  );
});
