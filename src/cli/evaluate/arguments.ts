import { settingShape } from "../../db/schema/evaluation.ts";
import type { EvaluationRun, RunSummary } from "../api/clients.ts";
import { CommandFailure } from "../failure.ts";

const NAMES = Object.keys(settingShape.shape);

/**
 * A setting as it is written on the command line: `topK=20,reranker=embedded/lexical`; `default` is
 * the resource as it is.
 * @throws CommandFailure
 */
export function settingIn(text: string): EvaluationRun["setting"] {
  if (text.trim() === "" || text.trim() === "default") return {};
  const pairs = text.split(",").map((part) => {
    const [wished, value] = pairIn(part);
    const name = NAMES.find((known) => known === wished);
    if (value === undefined || name === undefined) {
      const known = NAMES.join(", ");
      throw new CommandFailure(
        `"${part.trim()}" is not a setting: write NAME=VALUE with ${known}.`,
      );
    }
    return [name, valueOf(value)] as const;
  });
  const parsed = settingShape.safeParse(Object.fromEntries(pairs));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no field is undefined
  if (parsed.success) return parsed.data as EvaluationRun["setting"];
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new CommandFailure(`${wrong.join("; ")}.`);
}

function pairIn(text: string): [name: string, value: string | undefined] {
  const [name = "", ...rest] = text.split("=");
  return [name.trim(), rest.length === 0 ? undefined : rest.join("=").trim()];
}

const NAMED: Record<string, unknown> = { true: true, false: false, none: null, null: null };

function valueOf(text: string): unknown {
  if (Object.hasOwn(NAMED, text)) return NAMED[text];
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

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
  const [name, written] = pairIn(text);
  const measure = MEASURES.find((known) => known === name.toLowerCase());
  const least = Number(written);
  if (written === undefined || measure === undefined) {
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
    if (value === null) return [`${measure} was not measured: no question tests it`];
    const is = `${measure} is ${value.toFixed(3)}`;
    if (value < least) return [`${is}, below ${least}`];
    // Answers that could not be judged are not in the figure, and may all be wrong.
    const lowest = measure === "answers" ? value * (1 - errors / questions) : value;
    if (lowest >= least) return [];
    return [`${is}, but ${errors} of ${questions} questions failed: ${least} may not be reached`];
  });
}
