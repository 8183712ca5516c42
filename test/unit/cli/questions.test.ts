import { expect, test } from "vitest";

import { headingIn } from "../../../src/cli/demo/questions.ts";

test("the first heading of a Markdown file, without its marks", () => {
  expect(headingIn("text\n\n## **Road** salt `now` ##\n\n# Later")).toBe("Road salt now");
});

test("the first heading of an HTML page, without tags", () => {
  expect(headingIn("<html><title>T</title><h2 class='x'>Fen\n <b>Mat</b></h2>")).toBe("Fen Mat");
});

test("a page without headings has its title, a text without anything has none", () => {
  expect(headingIn("<title>Only this</title><p>text")).toBe("Only this");
  expect(headingIn("#hashtag and text")).toBeNull();
});
