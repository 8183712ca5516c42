import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { runToEnd } from "../../../../../src/core/work/cooperative.ts";
import { extractDocument } from "../../../../../src/documents/extract-document.ts";
import { UnmappedFonts } from "../../../../../src/documents/formats/pdf/fonts/unmapped-fonts.ts";
import { textOf } from "../../../../../src/documents/formats/pdf/layout/page-blocks.ts";
import { segmentsOf } from "../../../../../src/documents/formats/pdf/layout/page-segments.ts";
import { structureOf } from "../../../../../src/documents/formats/pdf/structure/structure-tree.ts";
import {
  isPageCovered,
  partsOfStructure,
} from "../../../../../src/documents/formats/pdf/structure/tagged-parts.ts";
import { lineOf, pagesOf } from "../../../../support/pdf-of.ts";

const FOLDER = join(import.meta.dirname, "../../../../fixtures/documents");

const fixtureBytes = (name: string) => new Uint8Array(readFileSync(join(FOLDER, name)));
const extract = (name: string) =>
  extractDocument({ name, mimeType: null, bytes: fixtureBytes(name) });

describe("a tagged PDF", () => {
  it.each(["chromium", "libreoffice"])("%s: rows of narrow columns and empty cells", async (by) => {
    const { markdown } = await extract(`${by}-ledger.pdf`);
    const rows = markdown.split("\n").filter((line) => line.startsWith("|"));
    expect(rows.slice(0, 7)).toEqual([
      "| Lot | Owner | What it is and how it is to be handled | Store |",
      "| --- | --- | --- | --- |",
      "| Q-1 | Brothers Halvorsen & Sons, Saltholm | Forty barrels of salted herring, to be kept in the shade and turned every second day until the carrier comes for them. | Shed 3 |",
      "| Q-2 |  | A ship's bell without a name; found in the narrows. |  |",
      "| Q-3 | Widow Ekström |  | Cold store behind the old weigh house |",
      "| Lots that nobody claims are sold in May. |  |  | — |",
      "| Q-4 | Mole Committee | Eleven oak piles. | Yard |",
    ]);
    expect(rows.slice(7)).toEqual([
      "| Year | Wharfage | Cranage |",
      "| --- | --- | --- |",
      "| 2023 | 12 | 9 |",
      "| 2024 | 14 | 11 |",
    ]);
    expect(markdown).toMatch(/^### How lots are called$/m);
    expect(markdown).toMatch(/^> What lies on the quay for a year and a day/m);
    expect(markdown).toMatch(/^Wharfage is due on Friday\.\n\nCranage is due at once\.$/m);
  });

  it("keeps lists within lists", async () => {
    expect((await extract("chromium-ledger.pdf")).markdown).toContain(
      "2. Bids are made aloud:\n   - in whole crowns, and\n      - never below the reserve;\n   - by one person",
    );
  });

  it("shows what its tree omits in place, and what is in no part at the end", () => {
    const tree = {
      role: "Root",
      children: ["P", "LI", "H2"].map((role, at) => ({
        role: role === "LI" ? "L" : role,
        children:
          role === "LI"
            ? [{ role, children: [{ role: "Lbl", children: [{ type: "content", id: "1" }] }] }]
            : [{ type: "content", id: String(at) }],
      })),
    };
    const texts = ["First", "•", "forgotten", "Last"];
    const marks = ["0", "1", undefined, "2"];
    const items = texts.map((str, at) => {
      const transform = [10, 0, 0, 10, 50, 700 - 40 * at];
      return { str, mark: marks[at], fontName: "f", transform, width: 9, height: 10 };
    });
    const structure = structureOf(tree);
    const segments = runToEnd(segmentsOf(items, [1, 0, 0, -1, 0, 800], structure.blockOf));
    const contents = runToEnd(partsOfStructure(segments, structure)).map((part) =>
      part.kind === "text" ? textOf(part.block) : part,
    );
    expect(contents).toEqual(["First", "forgotten", "Last", "•"]);
    expect(isPageCovered(structure, items)).toBe(false);
  });
});

describe("a PDF whose fonts have no map from glyphs to characters", () => {
  const unmapped = (name: string) => extract(`../unmapped-fonts/${name}`);

  it("is an error, not mojibake", async () => {
    await expect(unmapped("no-maps.pdf")).rejects.toThrow(
      "PDF's fonts do not say which characters they show",
    );
  });

  it("leaves out what is in such a font, says so, and keeps the rest", async () => {
    const { markdown, notes } = await unmapped("one-unmapped.pdf");
    expect(markdown.trim().split("\n\n")).toEqual([
      "The lock gates open at 6:15 and close at 21:40 from May to September; the keeper rings twice.",
      "Two boats may pass together when neither is longer than 12.5 m.",
    ]);
    expect(notes).toEqual(["text in fonts without a map to characters left out"]);
  });

  it("leaves it out even when all of its codes look like letters", async () => {
    const { markdown, notes } = await unmapped("glyph-numbers-of-letters.pdf");
    expect(markdown.trim().split("\n\n")).toEqual([
      "The lock gates open at 6:15 and close at 21:40 from May to September.",
      "Two boats may pass together when neither is longer than 12.5 m.",
    ]);
    expect(notes).toEqual(["text in fonts without a map to characters left out"]);
  });

  it("is an error where most of the text is in such a font", async () => {
    await expect(unmapped("mostly-glyph-numbers-of-letters.pdf")).rejects.toThrow(
      "PDF's fonts do not say which characters they show",
    );
  });

  it("keeps Type 3 fonts whose numbered glyphs have the codes of their characters", async () => {
    const { markdown, notes } = await unmapped("plain-type-3.pdf");
    expect(markdown).toContain("The keeper rings the bell when boats wait below the gates");
    expect(notes).toEqual([]);
  });

  it("is not taken for one whose map forgets nothing but the space", () => {
    const fonts = new UnmappedFonts({ unmapped: 0, mapped: 1 });
    const item = { str: "a\u0003b\u0003c", fontName: "f", transform: [], width: 1, height: 1 };
    expect(runToEnd(fonts.withoutUnreadable([item]))).toEqual([item]);
    expect(fonts.isMost).toBe(false);
  });
});

/** Two pages, with a table of objects; `at`: where the table says that the second's content is. */
function twoPages({ at, holdsContent }: { at: number; holdsContent: boolean }): Uint8Array {
  const contents = ["The harbour opens at six.", "The ferry leaves at nine."];
  const whole = Buffer.from(pagesOf(contents.map((text, y) => lineOf(700 - y, `[(${text})]`))));
  const [before = "", second = ""] = whole.toString("latin1").split("7 0 obj");
  const body = before + (holdsContent ? `7 0 obj${second}` : "").replace(/trailer[^]*/, "");
  const entries = [1, 2, 3, 4, 5, 6].map((number) => body.indexOf(`\n${number} 0 obj`) + 1);
  const table = [0, ...entries, holdsContent ? before.length + at : 0].map(
    (offset, number) =>
      `${String(offset).padStart(10, "0")} 00000 ${number > 0 && offset > 0 ? "n" : "f"} \n`,
  );
  const xref = `xref\n0 ${table.length}\n${table.join("")}`;
  const trailer = `trailer\n<< /Root 1 0 R /Size ${table.length} >>\n`;
  return new TextEncoder().encode(`${body}${xref}${trailer}startxref\n${body.length}\n%%EOF`);
}

it.each([
  ["whole", { at: 0, holdsContent: true }, /leaves/, []],
  ["with a wrong offset", { at: 9, holdsContent: true }, /six/, ["page 2 could not be read"]],
  [
    "without the content of a page",
    { at: 0, holdsContent: false },
    /six/,
    ["a part of the pages' content is not in the file: text may be missing"],
  ],
])("says what a PDF lacks: %s", async (_what, content, pattern, expectedNotes) => {
  const file = { name: "a.pdf", mimeType: null, bytes: twoPages(content) };
  const { markdown, notes } = await extractDocument(file);
  expect(markdown).toMatch(pattern);
  expect(notes).toEqual(expectedNotes);
});
