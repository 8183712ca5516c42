import { expect, test } from "vitest";

import type { QuestionId } from "../../../src/core/ids.ts";
import type { LightResult } from "../../../src/db/evaluation/result-store.ts";
import { isMoreThanChance, bootstrapInterval } from "../../../src/evaluation/measures/bootstrap.ts";
import { isRightAnswer } from "../../../src/evaluation/measures/check-answer.ts";
import { ranksOf } from "../../../src/evaluation/measures/match-passages.ts";
import {
  ndcgAt10,
  recallAt,
  reciprocalRank,
  summarise,
} from "../../../src/evaluation/measures/summarise.ts";

test("recall, reciprocal rank and nDCG are what their definitions give", () => {
  expect(recallAt(1, [1, null])).toBe(0.5);
  expect(recallAt(5, [6, 5])).toBe(0.5);
  expect(recallAt(10, [null])).toBe(0);
  expect(reciprocalRank([4, 2, null])).toBe(0.5);
  expect(reciprocalRank([null])).toBe(0);
  expect(ndcgAt10([1])).toBe(1);
  expect(ndcgAt10([3])).toBeCloseTo(0.5, 10);
  expect(ndcgAt10([11])).toBe(0);
  // (1 / log2(3) + 1 / log2(4)) / (1 / log2(2) + 1 / log2(3))
  expect(ndcgAt10([2, 3])).toBeCloseTo(0.693426, 6);
  expect(ndcgAt10([1, 1])).toBe(1);
});

/** The exact bootstrap distribution of few differences: every way to draw them. */
function everyMean(differences: number[]): number[] {
  const all = differences.reduce<number[]>(
    (sums) => sums.flatMap((sum) => differences.map((difference) => sum + difference)),
    [0],
  );
  return all.map((sum) => sum / differences.length).sort((a, b) => a - b);
}

test("the interval is that of the exact bootstrap distribution", () => {
  const differences = [1, 0, 0, -1, 1, 0.5];
  const exact = everyMean(differences);
  const interval = bootstrapInterval(differences, { resamples: 50_000 });
  expect(interval?.mean).toBeCloseTo(0.25, 10);
  // Means lie a twelfth apart.
  expect(interval?.low).toBeCloseTo(exact[Math.ceil(0.025 * exact.length) - 1] ?? 9, 1);
  expect(interval?.high).toBeCloseTo(exact[Math.ceil(0.975 * exact.length) - 1] ?? 9, 1);
});

test("of many questions the interval is the normal one, and the same each time", () => {
  // 30 better, 10 worse, 60 alike: mean 0.2, standard error 0.06.
  const differences = Array.from({ length: 100 }, (_, at) => (at < 30 ? 1 : at < 40 ? -1 : 0));
  const interval = bootstrapInterval(differences);
  expect(interval?.mean).toBeCloseTo(0.2, 10);
  expect(Math.abs((interval?.low ?? 9) - (0.2 - 1.96 * 0.06))).toBeLessThan(0.02);
  expect(Math.abs((interval?.high ?? 9) - (0.2 + 1.96 * 0.06))).toBeLessThan(0.02);
  expect(bootstrapInterval(differences)).toEqual(interval);
  expect(bootstrapInterval(differences, { seed: 1 })).not.toEqual(interval);
  expect(bootstrapInterval([0.5, 0.5])).toEqual({ mean: 0.5, low: 0.5, high: 0.5 });
  expect(bootstrapInterval([])).toBeNull();
});

const SIX = [1, 1, 1, 1, 1, 1];
test.each([
  ["one question", [1], false],
  ["five better", [1, 1, 1, 1, 1], false],
  ["five better, many alike", [1, 1, 1, 1, 1, ...Array.from({ length: 95 }, () => 0)], false],
  ["six better", SIX, true],
  ["six worse, as much each", SIX.map((difference) => -difference / 2), true],
  ["six better, many alike", [...SIX, ...Array.from({ length: 94 }, () => 0)], true],
  ["six better, five worse", [...SIX, -1, -1, -1, -1, -1], false],
] as const)("more than chance, or not: %s", (_, differences, isClear) => {
  const interval = bootstrapInterval(differences) ?? { mean: 9, low: 9, high: 9 };
  expect(isMoreThanChance(differences, interval)).toBe(isClear);
});

test("a passage is found whatever its case, white space and cut", () => {
  const results = [
    { text: "Other words", source: { filePath: "a.md" } },
    { text: "Thirty  days\nof Leave.", source: { filePath: "b.md" } },
    { text: "", source: { filePath: "c.md" } },
  ];
  const rank = (file: string, passage: string | null) => ranksOf([{ file, passage }], results)[0];
  expect(rank("b.md", "thirty days")).toBe(2);
  expect(rank("b.md", null)).toBe(2);
  expect(rank("b.md", "before. Thirty days of leave. after")).toBe(2);
  expect(rank("a.md", "thirty days")).toBeNull();
  expect(rank("c.md", "thirty days")).toBeNull();
  expect(rank("d.md", null)).toBeNull();
  const composed = [{ text: "Caf\u00e9 hours", source: { filePath: "caf\u00e9.md" } }];
  expect(ranksOf([{ file: "cafe\u0301.md", passage: "cafe\u0301" }], composed)).toEqual([1]);
});

test("answers are held against what was expected", () => {
  expect(isRightAnswer("contains", "26 days\nleave", "Leave: you get 26  DAYS.")).toBe(true);
  expect(isRightAnswer("contains", "26 days\nsick", "Leave: you get 26 days.")).toBe(false);
  expect(isRightAnswer("equals", "26", " 26\n")).toBe(true);
  expect(isRightAnswer("equals", "26", "26 days")).toBe(false);
  expect(isRightAnswer("json", '{"a":1,"b":[2]}', '```json\n{"b":[2],"a":1}\n```')).toBe(true);
  expect(isRightAnswer("json", '{"a":1}', '{"a":2}')).toBe(false);
  expect(isRightAnswer("json", '{"a":1}', "none")).toBe(false);
  expect(isRightAnswer("json", "[]", `${"[".repeat(50_000)}${"]".repeat(50_000)}`)).toBe(false);
});

test("a summary leaves out what no question asks for", () => {
  const firstResult: LightResult = {
    questionId: "1" as QuestionId,
    ranks: [2],
    isRight: null,
    isDegraded: false,
    error: null,
    latencyMs: 10,
    inputTokens: 5,
    outputTokens: 1,
    cost: 0.5,
    currency: "EUR",
    judge: null,
  };
  const secondResult = {
    ...firstResult,
    ranks: [],
    isRight: true,
    isDegraded: true,
    latencyMs: 30,
  };
  const summary = summarise(
    [firstResult, secondResult, { ...firstResult, ranks: [null], error: "x", cost: null }],
    10,
  );
  expect(summary).toMatchObject({
    questions: 3,
    errors: 1,
    measures: { "recall@1": 0, "recall@3": 0.5, mrr: 0.25, answers: 1 },
    p50Ms: 10,
    p95Ms: 30,
    inputTokens: 15,
    cost: { amount: 1, currency: "EUR" },
  });
  // Where five passages were searched, nothing is known of the first ten.
  const shallow = { "recall@5": 0.5, "recall@10": null, "ndcg@10": null, mrr: 0.25 };
  expect(summarise([firstResult, { ...firstResult, ranks: [null] }], 5)).toMatchObject({
    measures: shallow,
  });
  expect(summary.degradedShare).toBeCloseTo(1 / 3, 10);
  expect(summarise([firstResult, { ...firstResult, currency: "USD" }], 10).cost).toBeNull();
  // The judge's tokens and cost stand apart from those of the answers.
  expect(summary.judge).toBeNull();
  const judge = { inputTokens: 40, outputTokens: 2, cost: 0.25, currency: "USD" };
  const judged = summarise(
    [{ ...firstResult, judge }, firstResult, { ...firstResult, judge: { ...judge, cost: null } }],
    10,
  );
  expect(judged).toMatchObject({
    inputTokens: 15,
    cost: { amount: 1.5, currency: "EUR" },
    judge: { inputTokens: 80, outputTokens: 4, cost: { amount: 0.25, currency: "USD" } },
  });
  expect(summarise([], 10)).toMatchObject({ questions: 0, measures: { mrr: null, answers: null } });
});
