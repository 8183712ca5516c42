import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Budget, BudgetSpent } from "../../../src/core/work/step-budget.ts";
import { linearPattern } from "../../../src/text/linear-pattern/linear-pattern.ts";

const STEPS = 1_000_000;

const isFound = (source: string, text: string) =>
  linearPattern(source).test(text, new Budget(STEPS));

const PATTERNS = [
  "^(a+)+$",
  "a|b|",
  "^(?:a|ab)(?:c|bcd)$",
  String.raw`^\d{4}-\d{2}-\d{2}$`,
  String.raw`^[A-Z]{2}\d{2}[ ]?(?:\w{4}[ ]?){2,7}\w{1,4}$`,
  String.raw`\bfoo\B`,
  String.raw`^\p{Lu}\p{L}*$`,
  String.raw`^\p{Script=Greek}+$`,
  "^.$",
  "^[^a-c]$",
  String.raw`^\s+$`,
  String.raw`^\u{1F600}|[\u{1F600}-\u{1F64F}]$`,
  "^(?:a?){3}a{3}$",
  "^(?:a*)*$",
  "^(?:){4000000000}a(?:|b){0,3}$",
  "^(?<name>a){0,2}$",
  "",
  "$^",
  String.raw`^[\w.+-]+@[\w-]+\.[a-z]{2,}$`,
];

test.each(PATTERNS)("/%s/u means what it means to V8", (source) => {
  const native = new RegExp(source, "u");
  const characters = [..."aabbcdABz059-_.@ \n\r\u00a0\u2028é", "α", "Ω", "😀", "\ud800", "foo"];
  const texts = fc.array(fc.constantFrom(...characters), { maxLength: 12 });
  fc.assert(
    fc.property(texts, (pieces) => {
      const text = pieces.join("");
      return isFound(source, text) === native.test(text);
    }),
    { numRuns: 300, seed: 20_260_131 },
  );
});

test("a long search is stopped by the budget", () => {
  const pattern = linearPattern("(x+x+)+y");
  const search = () => pattern.test("x".repeat(50_000), new Budget(STEPS / 100));
  expect(search).toThrow(BudgetSpent);
});

test.each([
  ["(", "is not a regular expression"],
  [String.raw`(a)\1`, "refers back"],
  ["(?=.*y)x$", "looks ahead or behind"],
  ["(?<!a)x", "looks ahead or behind"],
  ["(?:a{1000}){1000}", "too large"],
  ["(?:a{0,5000000000})", "too large"],
  [`${"(".repeat(5_000)}a${")".repeat(5_000)}`, "nested too deeply"],
])("a pattern that cannot be had is refused (%#)", (source, reason) => {
  expect(() => linearPattern(source)).toThrow(reason);
});
