import type { LightResult } from "../../db/evaluation/result-store.ts";
import type { RunSummary, ModelUsage } from "../../db/schema/evaluation.ts";
import { percentile } from "./bootstrap.ts";
import { sumUsage } from "./sum-usage.ts";

/** The rank of each passage to be found, from 1, or null. Measures are 0 to 1, higher is better. */
type Ranks = readonly (number | null)[];

const NDCG_DEPTH = 10;

/** The share of the expected passages among the first `k`. */
export function recallAt(k: number, ranks: Ranks): number {
  if (ranks.length === 0) return 0;
  return ranks.filter((rank) => rank !== null && rank <= k).length / ranks.length;
}

/** 1 divided by the rank of the first expected passage; 0 where none was found. */
export function reciprocalRank(ranks: Ranks): number {
  const ranked = ranks.filter((rank) => rank !== null);
  return ranked.length === 0 ? 0 : 1 / Math.min(...ranked);
}

/** Gains are 0 and 1 (Järvelin, Kekäläinen 2002); passages that share a result gain 1 at most. */
export function ndcgAt10(ranks: Ranks): number {
  if (ranks.length === 0) return 0;
  const gained = ranks.reduce<number>(
    (sum, rank) => sum + (rank === null || rank > NDCG_DEPTH ? 0 : discountAt(rank)),
    0,
  );
  const places = Math.min(NDCG_DEPTH, ranks.length);
  const ideal = Array.from({ length: places }, (_, at) => discountAt(at + 1));
  return Math.min(1, gained / ideal.reduce((sum, gain) => sum + gain, 0));
}

const discountAt = (rank: number) => 1 / Math.log2(rank + 1);

/** Measures of each question, 0 to 1; null: the question does not ask for it. */
const MEASURES = {
  "recall@1": measureRanks((ranks) => recallAt(1, ranks)),
  "recall@3": measureRanks((ranks) => recallAt(3, ranks)),
  "recall@5": measureRanks((ranks) => recallAt(5, ranks)),
  "recall@10": measureRanks((ranks) => recallAt(10, ranks)),
  "ndcg@10": measureRanks(ndcgAt10),
  mrr: measureRanks(reciprocalRank),
  answers: ({ isRight }: LightResult) => (isRight === null ? null : Number(isRight)),
} as const;

export type MeasureName = keyof typeof MEASURES;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the constant above
export const MEASURE_NAMES = Object.keys(MEASURES) as MeasureName[];

function measureRanks(measure: (ranks: readonly (number | null)[]) => number) {
  return ({ ranks }: LightResult) => (ranks.length === 0 ? null : measure(ranks));
}

export const measureOf = (name: MeasureName, result: LightResult): number | null =>
  MEASURES[name](result);

/** Whether so many passages of each question were searched as the measure looks at: `recall@10`. */
export const isWithin = (depth: number, name: MeasureName): boolean =>
  Number(name.split("@")[1] ?? 1) <= depth;

/** The mean over the questions that have the measure; null where none has it. */
function meanOf(name: MeasureName, results: readonly LightResult[]): number | null {
  const values = results.flatMap((result) => measureOf(name, result) ?? []);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The figures of a run. Cost is null where nothing has a price or prices have two currencies.
 * @param depth passages searched for each question; measures that look further are null
 */
export function summarise(results: readonly LightResult[], depth: number): RunSummary {
  const latencies = results.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const sum = (valueOf: (result: LightResult) => number) =>
    results.reduce((total, result) => total + valueOf(result), 0);
  const judged = results.flatMap(({ judge }) => judge ?? []);
  return {
    questions: results.length,
    errors: results.filter(({ error }) => error !== null).length,
    measures: Object.fromEntries(
      MEASURE_NAMES.map((name) => [name, isWithin(depth, name) ? meanOf(name, results) : null]),
    ),
    degradedShare:
      results.length === 0 ? 0 : sum((result) => Number(result.isDegraded)) / results.length,
    p50Ms: percentile(latencies, 0.5),
    p95Ms: percentile(latencies, 0.95),
    ...summariseUsage(results),
    judge: judged.length === 0 ? null : summariseUsage(judged),
  };
}

function summariseUsage(all: readonly ModelUsage[]) {
  const { inputTokens, outputTokens, cost: amount, currency } = sumUsage(all);
  const cost = amount === null || currency === null ? null : { amount, currency };
  return { inputTokens, outputTokens, cost };
}
