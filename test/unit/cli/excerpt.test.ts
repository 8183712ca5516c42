import { expect, test } from "vitest";

import { excerpt } from "../../../src/cli/demo/show-answers.ts";

const FILLER = "nothing of interest stands here. ".repeat(10);

test("the part that the query is about is shown, not the beginning", () => {
  const text = `# Heading\n\n${FILLER}**Otters** eat crayfish at night.\n\n${FILLER}`;
  const result = excerpt(text, ["Do otters eat crayfish?"], 80);
  expect(result).toContain("Otters eat crayfish");
  expect(result.startsWith("… ") && result.endsWith(" …")).toBe(true);
});

test("a short passage is shown whole, without marks", () => {
  expect(excerpt("## Prices\n\n| a | b |\n| --- | --- |\n| 1 | **2** |", ["x"])).toBe(
    "Prices | a | b | | 1 | 2 |",
  );
});

test("links and badges are shown as their words", () => {
  const badge = "[![Build](https://ci.example/a.svg)](https://ci.example)";
  expect(excerpt(`${badge} See [the setup](setup.md).`, ["x"])).toBe("Build See the setup.");
});

test("without a word of the query the beginning is shown", () => {
  expect(excerpt(FILLER, ["zebra"], 30)).toBe("nothing of interest stands …");
});
