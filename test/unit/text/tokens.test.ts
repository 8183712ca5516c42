import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { cautiousTokens, estimateTokens, type Tokenizer } from "../../../src/text/tokens.ts";

type Known = Exclude<Tokenizer, "unknown">;
const KNOWN: Known[] = ["o200k", "cl100k", "llama-3", "qwen", "xlm-roberta", "bert"];
const ALL: Tokenizer[] = [...KNOWN, "unknown"];

/** Texts of this project's own, with what the real tokenizers count; see the README beside them. */
type Sample = {
  name: string;
  set: "held out" | "fitted";
  text: string;
  tokens: Record<Known, number>;
};
const FIXTURES = join(import.meta.dirname, "../../fixtures/tokens");
const samples = JSON.parse(readFileSync(join(FIXTURES, "samples.json"), "utf8")) as Sample[];

const MAX_ERROR = 0.15;
/**
 * The vocabulary of `bert` is English: words of Thai are unknown to it as a whole, many of Hindi as
 * well, and German, which looks like English with longer words, is cut more finely.
 */
const NOT_ENGLISH = /^(Thai|Hindi|German)/;

const errorOf = ({ text, tokens }: Sample, tokenizer: Tokenizer) =>
  estimateTokens(text, tokenizer) / tokens[tokenizer === "unknown" ? "o200k" : tokenizer] - 1;

describe.each(KNOWN)("the estimate for %s", (tokenizer) => {
  const comparable = samples.filter(({ name }) => tokenizer !== "bert" || !NOT_ENGLISH.test(name));

  it.each(comparable)("is within 15 % of the real count: $name, $set", (sample) => {
    expect(Math.abs(errorOf(sample, tokenizer))).toBeLessThanOrEqual(MAX_ERROR);
  });
});

describe("the estimate for a model of which nothing is known, such as the embedded ones,", () => {
  it.each(samples)(
    "is within 15 % of o200k where the tokenizer is unknown: $name, $set",
    (sample) => {
      expect(Math.abs(errorOf(sample, "unknown"))).toBeLessThanOrEqual(MAX_ERROR);
    },
  );
});

it("is told beside the texts, error by error", async () => {
  await expect(tableOf(samples)).toMatchFileSnapshot(join(FIXTURES, "errors.md"));
});

function tableOf(rows: Sample[]): string {
  const signed = (error: number) => `${error < 0 ? "−" : "+"}${Math.abs(error * 100).toFixed(0)} %`;
  const lines = rows.map((sample) => {
    const cells = KNOWN.map(
      (tokenizer) => `${sample.tokens[tokenizer]} (${signed(errorOf(sample, tokenizer))})`,
    );
    const unknown = signed(errorOf(sample, "unknown"));
    return `| ${[sample.name, sample.set, ...cells, unknown].join(" | ")} |`;
  });
  const columns = [...KNOWN, "unknown, against o200k"];
  const head = `| text | set | ${columns.join(" | ")} |`;
  const rule = `| --- | --- | ${columns.map(() => "---:").join(" | ")} |`;
  return [head, rule, ...lines, ""].join("\n");
}

describe.each(ALL)("any estimate, such as that for %s,", (tokenizer) => {
  it("counts nothing for nothing, and something for anything", () => {
    expect(estimateTokens("", tokenizer)).toBe(0);
    expect(estimateTokens(" \n\t", tokenizer)).toBe(0);
    expect(estimateTokens("a", tokenizer)).toBeGreaterThanOrEqual(1);
  });

  it("never counts less for the parts of a text than for the whole", () => {
    const text = samples.map((sample) => sample.text.slice(0, 600)).join("\n");
    const whole = estimateTokens(text, tokenizer);
    for (let at = 1; at < text.length; at += 97) {
      const first = estimateTokens(text.slice(0, at), tokenizer);
      expect(first + estimateTokens(text.slice(at), tokenizer)).toBeGreaterThanOrEqual(whole);
    }
  });

  it("counts a text without any space, too", () => {
    for (const letter of ["x", "o", "Z", "7", "-", "ж", "ا", "中", "가", "🚒"]) {
      expect(estimateTokens(letter.repeat(2_000), tokenizer)).toBeGreaterThanOrEqual(100);
    }
  });
});

it("is cautious where a model would refuse more than its window", () => {
  for (const sample of samples) {
    for (const tokenizer of KNOWN) {
      // No chat model has that vocabulary.
      if (tokenizer === "bert") continue;
      expect(cautiousTokens(sample.text, tokenizer)).toBeGreaterThanOrEqual(
        sample.tokens[tokenizer],
      );
    }
    expect(cautiousTokens(sample.text, "unknown")).toBeGreaterThanOrEqual(sample.tokens.o200k);
  }
});
