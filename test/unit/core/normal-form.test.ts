import { expect, test } from "vitest";

import { normalForm } from "../../../src/core/normal-form.ts";

test.each([
  ["NFC", "e\u0301 \u212b A", "\u00e9 \u00c5 A"],
  ["NFD", "\u00e9", "e\u0301"],
  ["NFKC", "\ufb01 \uff76\uff9e", "fi \u30ac"],
  ["NFKD", "\u1e69\u0323", "s\u0323\u0323\u0307"],
] as const)("%s of %j", (form, text, expected) => {
  expect(normalForm(text, form)).toBe(expected);
});

test("thirty marks stand in order after one character, and more are dropped", () => {
  const fifteen = "\u0301\u0316".repeat(15);
  const ordered = `a${"\u0316".repeat(15)}${"\u0301".repeat(15)}b`;
  expect(normalForm(`a${fifteen}b`, "NFD")).toBe(ordered);
  expect(normalForm(`a${fifteen}${"\u0301\u0316\uff9e".repeat(100_000)}b`, "NFD")).toBe(ordered);
});
