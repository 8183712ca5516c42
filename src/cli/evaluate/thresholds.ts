import { CommandFailure } from "../failure.ts";
import type { RunSummary } from "../api/clients.ts";

/** What a measure must reach, 0 to 1. */
export type Threshold = { measure: string; least: number };

const MEASURES = [
  "recall@1",
  "recall@3",
  "recall@5",
  "recall@10",
  "ndcg@10",
  "mrr",
  "answers",
] as const;

/** `recall@5=0.8`. @throws CommandFailure */
export function thresholdIn(text: string): Threshold {
  const at = text.indexOf("=");
  const measure = MEASURES.find((known) => known === text.slice(0, at).trim().toLowerCase());
  const written = text.slice(at + 1).trim();
  const least = Number(written);
  if (at === -1 || measure === undefined) {
    throw new CommandFailure(`--fail-under ${text}: write MEASURE=VALUE, ${MEASURES.join(", ")}.`);
  }
  if (written === "" || !(least >= 0 && least <= 1)) {
    throw new CommandFailure(`--fail-under ${text}: the value must be between 0 and 1.`);
  }
  return { measure, least };
}

type Measured = Pick<RunSummary, "questions" | "errors" | "measures">;

/** A sentence for each threshold that is not reached, or that nothing was measured for. */
export function missedThresholds(
  thresholds: readonly Threshold[],
  { questions, errors, measures }: Measured,
): string[] {
  return thresholds.flatMap(({ measure, least }) => {
    const value = measures[measure] ?? null;
    if (value === null) return [`${measure} was not measured: no question asks for it`];
    const is = `${measure} is ${value.toFixed(3)}`;
    if (value < least) return [`${is}, below ${least}`];
    // Answers that could not be judged are not in the figure, and may all be wrong.
    const lowest = measure === "answers" ? value * (1 - errors / questions) : value;
    if (lowest >= least) return [];
    return [`${is}, but ${errors} of ${questions} questions failed: ${least} is not certain`];
  });
}
