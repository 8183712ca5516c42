import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const MAX_TITLE_LENGTH = 79;
/** `test("…"`, `it.each(…)("…"` and `describe("…"`: the text after the opening quote. */
const TITLE = /^\s*(?:test|it|describe)(?:\.\w+)*(?:\([^"`]*\))?\(\s*(["`])(.*?)\1/gm;

test("a test's title has fewer than 80 characters", () => {
  const paths = globSync("test/**/*.test.ts", { exclude: ["**/node_modules"] });
  const titles = paths.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(TITLE)].map(([, , title = ""]) => ({ path, title })),
  );
  expect(titles.length).toBeGreaterThan(1_000);
  expect(titles.filter(({ title }) => title.length > MAX_TITLE_LENGTH)).toEqual([]);
});
