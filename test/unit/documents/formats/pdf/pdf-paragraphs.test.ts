import { expect, it } from "vitest";
import { pageOf } from "../../../../support/pdf-of.ts";
import { readPdf } from "../../../../support/read-document.ts";

it("reads text once that is drawn twice with a small shift, to look bold", async () => {
  const draw = (x: number) => `BT /F1 10 Tf ${x} 700 Td (Harbour till) Tj ET\n`;
  expect((await readPdf(pageOf(draw(50) + draw(50.3)))).markdown).toBe("Harbour till");
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
  expect((await readPdf(pageOf(content))).markdown.split("\n\n")).toEqual([
    first.join(" "),
    second.join(" "),
    ...items,
  ]);
});

it("reads each line with a bullet or a number as one item of a list", async () => {
  const items = ["\\225 Salt, per barrel", "\\225 Wool, per bale", "1. Candles", "2. Oil"];
  const draw = (text: string, at: number) =>
    `BT /F1 12 Tf 50 ${700 - at * 40} Td (${text}) Tj ET\n`;
  expect((await readPdf(pageOf(items.map(draw).join("")))).markdown).toBe(
    "- Salt, per barrel\n- Wool, per bale\n1. Candles\n2. Oil",
  );
});
