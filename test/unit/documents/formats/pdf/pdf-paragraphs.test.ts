import { describe, expect, it } from "vitest";
import { extractDocument } from "../../../../../src/documents/extract-document.ts";
import { pageOf } from "../../../../support/pdf-of.ts";

const extract = (bytes: Uint8Array) => extractDocument({ name: "a.pdf", mimeType: null, bytes });

describe("text drawn twice with a small shift, to look bold", () => {
  const draw = (text: string, x: number) => `BT /F1 10 Tf ${x} 700 Td (${text}) Tj ET\n`;
  const twice = (text: string, x: number) => draw(text, x) + draw(text, x + 0.3);
  const WIDTHS: Record<string, number> = { H: 7.22, r: 3.33, i: 2.22, l: 2.22, t: 2.78, " ": 2.78 };
  const letters = [...`Harbour till`].map((letter, at, all) => {
    const before = all.slice(0, at).map((each) => WIDTHS[each] ?? 5.56);
    return { letter, x: before.reduce((sum, width) => sum + width, 50) };
  });

  it.each([
    ["line by line", twice("Harbour till", 50)],
    ["word by word", twice("Harbour", 50) + twice("till", 90)],
    ["letter by letter", letters.map(({ letter, x }) => twice(letter, x)).join("")],
    [
      "a line's letters, then their copies",
      [0, 0.3].flatMap((shift) => letters.map(({ letter, x }) => draw(letter, x + shift))).join(""),
    ],
  ])("is read once: %s", async (_what, content) => {
    expect((await extract(pageOf(content))).markdown).toBe("Harbour till");
  });
});

it("joins the lines of double-spaced paragraphs", async () => {
  const first = [
    "The harbour master keeps the gates of the lower lock closed at night because",
    "the tide would otherwise carry the boats that lie at the quay into the basin of",
    "the mill. In spring the gates stay open.",
  ];
  const second = [
    "The winter was long, and the ice was thick enough to hold the carts of all",
    "the merchants from the other side, who came to sell their wool and to buy salt",
    "and candles at the market by the gate.",
  ];
  const items = ["Salt, per barrel", "Candles, per dozen", "Wool, per bale"];
  const draw = (text: string, at: number) =>
    `BT /F1 12 Tf ${text === second[0] ? 86 : 50} ${700 - at * 27.6} Td (${text}) Tj ET\n`;
  const content = [...first, ...second, ...items].map(draw).join("");
  expect((await extract(pageOf(content))).markdown.split("\n\n")).toEqual([
    first.join(" "),
    second.join(" "),
    ...items,
  ]);
});
