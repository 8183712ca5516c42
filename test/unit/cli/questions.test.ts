import { expect, test } from "vitest";

import { headingIn } from "../../../src/cli/demo/subject.ts";

test.each([
  ["text\n\n## **Road** salt `now` ##\n\n# Later", "Road salt now"],
  ["<html><title>T</title><h2 class='x'>Fen\n <b>Mat</b></h2>", "Fen Mat"],
  ["<title>Only this</title><p>text", "Only this"],
  [
    "# colors [![Downloads](https://a.example/d.svg?style=flat)](https://b.example/c) [![N](x)](y)",
    "colors",
  ],
  ["# Use [the tool](tool.md) well", "Use the tool well"],
  ["#hashtag and text", null],
])("the first heading of %j, without marks and tags", (text, heading) => {
  expect(headingIn(text)).toBe(heading);
});
