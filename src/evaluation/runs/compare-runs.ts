import { unprocessable } from "../../core/errors.ts";
import { commonQuestions, lightResults } from "../../db/evaluation/result-store.ts";
import type { LightResult } from "../../db/evaluation/result-store.ts";
import type { EvaluationRun } from "../../db/evaluation/run-store.ts";
import type { Services } from "../../services.ts";
import { isMoreThanChance, bootstrapInterval } from "../measures/bootstrap.ts";
import {
  isWithin,
  MEASURE_NAMES,
  measureOf,
  summarise,
  type MeasureName,
} from "../measures/summarise.ts";
import { depthOf } from "./subject-of-run.ts";

/** Compares question by question. @throws QuarryError `unprocessable` while one is not done */
export async function compareRuns(
  { db }: Pick<Services, "db">,
  first: EvaluationRun,
  second: EvaluationRun,
) {
  if (first.status !== "done" || second.status !== "done") {
    throw unprocessable("Only finished runs can be compared");
  }
  const [common, ofFirst, ofSecond] = await Promise.all([
    commonQuestions(db, first.id, second.id),
    lightResults(db, first.id),
    lightResults(db, second.id),
  ]);
  const questionIds = new Set<string>(common.map(({ questionId }) => questionId));
  const keepCommon = (results: LightResult[]) =>
    results.filter(({ questionId }) => questionIds.has(questionId));
  const [firstAlike, secondAlike] = [keepCommon(ofFirst), keepCommon(ofSecond)];
  const depths = [depthOf(first.facts), depthOf(second.facts)] as const;
  const measures = MEASURE_NAMES.filter((name) => isWithin(Math.min(...depths), name));
  return {
    /** Questions that both runs asked alike; all figures are of these. */
    questions: questionIds.size,
    first: summarise(firstAlike, depths[0]),
    second: summarise(secondAlike, depths[1]),
    measures: measures.flatMap((measure) => compareMeasure(measure, firstAlike, secondAlike) ?? []),
  };
}

export type RunComparison = Awaited<ReturnType<typeof compareRuns>>;

function compareMeasure(measure: MeasureName, first: LightResult[], second: LightResult[]) {
  const after = new Map(second.map((result) => [result.questionId, measureOf(measure, result)]));
  const pairs = first.flatMap((result) => {
    const before = measureOf(measure, result);
    const later = after.get(result.questionId) ?? null;
    return before === null || later === null ? [] : [{ before, later }];
  });
  const differences = pairs.map(({ before, later }) => later - before);
  const difference = bootstrapInterval(differences);
  if (difference === null) return null;
  const mean = (valueOf: (pair: (typeof pairs)[number]) => number) =>
    pairs.reduce((sum, pair) => sum + valueOf(pair), 0) / pairs.length;
  return {
    measure,
    questions: pairs.length,
    first: mean(({ before }) => before),
    second: mean(({ later }) => later),
    /** Second minus first. */
    difference,
    /** Whether the difference is more than chance. */
    isClear: isMoreThanChance(differences, difference),
  };
}
