import { expect, test } from "vitest";

import { drawTable } from "../../../src/cli/table.ts";

/** Columns that a line takes; the letters of these tables take one, Chinese ones two. */
const widthOf = (line: string) =>
  [...line].reduce((sum, letter) => sum + (/\p{Script=Han}/u.test(letter) ? 2 : 1), 0);

const PATH = "guides/of/the/north/a-file-with-a-very-long-name-that-has-no-blank.md";
const TEXT = "The irrigation valve is closed first, then the tank is drained. ".repeat(8);

test.each([60, 80, 120, 200])("a table fits %i columns and loses nothing", (columns) => {
  const cells = ["0.913", PATH, TEXT.trim()];
  const drawn = drawTable(["score", "file", "passage"], [cells], columns);
  const lines = drawn.split("\n");
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
  const columnText = (at: number) =>
    lines
      .filter((line) => line.startsWith("│"))
      .map((line) => line.split("│")[at + 1]?.trim() ?? "")
      .join("")
      .replaceAll(/\s/g, "");
  expect(columnText(0)).toBe("score0.913");
  expect(columnText(1)).toBe(`file${PATH}`);
  expect(columnText(2)).toBe(`passage${TEXT.replaceAll(/\s/g, "")}`);
});

test("a comparison of evaluations fits 60 columns without a broken word", () => {
  const head = ["measure", "setting", "against", "change", "95 % range", ""];
  const row = ["recall@10", "0.912", "0.856", "-0.056", "-0.113 to -0.021", "may be chance"];
  const drawn = drawTable(head, [row], 60);
  expect(Math.max(...drawn.split("\n").map(widthOf))).toBeLessThanOrEqual(60);
  for (const word of [...head, ...row].join(" ").split(" ")) expect(drawn).toContain(word);
});

test("small tables stay small, and a cap holds", () => {
  const [small = ""] = drawTable(["a", "b"], [["1", "2"]], 200).split("\n");
  expect(small).toBe("┌───┬───┐");
  const [capped = ""] = drawTable(["a"], [["x ".repeat(40)]], 200, [10]).split("\n");
  expect(capped).toHaveLength(14);
});

test("text without blanks is wrapped at the width that its letters take", () => {
  const chinese = "灌溉水的电导率过高时首先关闭阀门".repeat(6);
  const drawn = drawTable(["passage"], [[chinese]], 60);
  expect(Math.max(...drawn.split("\n").map(widthOf))).toBeLessThanOrEqual(60);
  expect(drawn.replaceAll(/[^\p{Script=Han}]/gu, "")).toBe(chinese);
});
