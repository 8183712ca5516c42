import type { LightResult } from "../../db/evaluation/result-store.ts";
import type { RunSummary, Spent } from "../../db/schema/evaluation.ts";
import { percentile } from "./percentile.ts";
import { ndcgAt10, recallAt, reciprocalRank } from "./rank-measures.ts";
import { together } from "../runs/spent-on.ts";

/** What is measured of each question, 0 to 1; null: the question does not ask for it. */
const MEASURES = {
  "recall@1": ofRanks((ranks) => recallAt(1, ranks)),
  "recall@3": ofRanks((ranks) => recallAt(3, ranks)),
  "recall@5": ofRanks((ranks) => recallAt(5, ranks)),
  "recall@10": ofRanks((ranks) => recallAt(10, ranks)),
  "ndcg@10": ofRanks(ndcgAt10),
  mrr: ofRanks(reciprocalRank),
  answers: ({ isRight }: LightResult) => (isRight === null ? null : Number(isRight)),
} as const;

export type MeasureName = keyof typeof MEASURES;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the constant above
export const MEASURE_NAMES = Object.keys(MEASURES) as MeasureName[];

function ofRanks(measure: (ranks: readonly (number | null)[]) => number) {
  return ({ ranks }: LightResult) => (ranks.length === 0 ? null : measure(ranks));
}

export const measureOf = (name: MeasureName, result: LightResult): number | null =>
  MEASURES[name](result);

/** The mean over the questions that have the measure; null where none has it. */
function meanOf(name: MeasureName, results: readonly LightResult[]): number | null {
  const values = results.flatMap((result) => measureOf(name, result) ?? []);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The figures of a run. Cost is null where nothing has a price or prices have two currencies. */
export function summarise(results: readonly LightResult[]): RunSummary {
  const latencies = results.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const sum = (of: (result: LightResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const judged = results.flatMap(({ judge }) => judge ?? []);
  return {
    questions: results.length,
    errors: results.filter(({ error }) => error !== null).length,
    measures: Object.fromEntries(MEASURE_NAMES.map((name) => [name, meanOf(name, results)])),
    degradedShare: results.length === 0 ? 0 : sum((one) => Number(one.isDegraded)) / results.length,
    p50Ms: percentile(latencies, 0.5),
    p95Ms: percentile(latencies, 0.95),
    ...inAll(results),
    judge: judged.length === 0 ? null : inAll(judged),
  };
}

function inAll(all: readonly Spent[]) {
  const { inputTokens, outputTokens, cost: amount, currency } = together(all);
  const cost = amount === null || currency === null ? null : { amount, currency };
  return { inputTokens, outputTokens, cost };
}
