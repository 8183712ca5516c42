import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { estimateTokens } from "../../../src/ingestion/chunking/estimate-tokens.ts";

/** Texts of this project's own, with the tokens that o200k_base counted. */
type Sample = { name: string; text: string; tokens: number };
const path = join(import.meta.dirname, "../../fixtures/tokens/samples.json");
const samples = JSON.parse(readFileSync(path, "utf8")) as Sample[];

const LARGEST_ERROR = 0.15;

it.each(samples)("comes within 15 % of a real tokenizer: $name", ({ text, tokens }) => {
  expect(Math.abs(estimateTokens(text) / tokens - 1)).toBeLessThanOrEqual(LARGEST_ERROR);
});

it("counts nothing for nothing, and something for anything", () => {
  expect(estimateTokens("")).toBe(0);
  expect(estimateTokens(" \n\t")).toBe(0);
  expect(estimateTokens("a")).toBe(1);
});

it("never counts less for the parts of a text than for the whole", () => {
  const text = samples.map((sample) => sample.text).join("\n");
  const whole = estimateTokens(text);
  for (let at = 1; at < text.length; at += 97) {
    expect(
      estimateTokens(text.slice(0, at)) + estimateTokens(text.slice(at)),
    ).toBeGreaterThanOrEqual(whole);
  }
});
