import { expect, it } from "vitest";
import { pageOf } from "../../../../support/pdf-of.ts";
import { readPdf } from "../../../../support/read-document.ts";

it("reads text once that is drawn twice with a small shift, to look bold", async () => {
  const draw = (x: number) => `BT /F1 10 Tf ${x} 700 Td (Harbour till) Tj ET\n`;
  expect((await readPdf(pageOf(draw(50) + draw(50.3)))).markdown).toBe("Harbour till");
});

it("reads each line with a bullet or a number as one item of a list", async () => {
  const items = ["\\225 Salt, per barrel", "\\225 Wool, per bale", "1. Candles", "2. Oil"];
  const draw = (text: string, at: number) =>
    `BT /F1 12 Tf 50 ${700 - at * 40} Td (${text}) Tj ET\n`;
  expect((await readPdf(pageOf(items.map(draw).join("")))).markdown).toBe(
    "- Salt, per barrel\n- Wool, per bale\n1. Candles\n2. Oil",
  );
});
