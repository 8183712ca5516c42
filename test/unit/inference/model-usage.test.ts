import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";
import { expect, test } from "vitest";

import { StreamedUsage } from "../../../src/inference/model-usage.ts";
import type { Meter } from "../../../src/inference/record-usage.ts";

const NO_TOKENS = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
const meterOf = (): Meter => ({ ...NO_TOKENS, calls: 0, modelMs: 0, uses: [] });
const prompt: LanguageModelV4Prompt = [
  { role: "user", content: [{ type: "text", text: "What is the answer to all of it?" }] },
];

/** The input that is counted while the parts come. */
function inputOf(parts: string[]): number {
  const meter = meterOf();
  const usage = new StreamedUsage(meter, "unknown");
  for (const part of parts) usage.addText(part, prompt);
  return meter.inputTokens;
}

test("a prompt is counted once, also where an answer begins with blanks", () => {
  expect(inputOf(["It is."])).toBeGreaterThan(5);
  expect(inputOf([" ", "\n", "", " ", "It is."])).toBe(inputOf(["It is."]));
});

test("what the provider tells at the end replaces the estimates", () => {
  const meter = meterOf();
  const usage = new StreamedUsage(meter, "unknown");
  for (const part of ["\n", "It", " is."]) usage.addText(part, prompt);
  const report = { inputTokens: { total: 100, cacheRead: 64 }, outputTokens: { total: 20 } };
  usage.finish(report as LanguageModelV4Usage);
  expect(meter).toMatchObject({ inputTokens: 100, cachedTokens: 64, outputTokens: 20 });
});
