import { Budget, BudgetSpent } from "../../core/work/step-budget.ts";
import { jsonKey } from "../../inference/json-schema/json-values.ts";
import { foldText } from "./match-passages.ts";

const COMPARING_STEPS = 200_000;

/** The checks that need no model. */
export type PlainCheck = "contains" | "equals" | "json";

/**
 * Whether an answer is right. `contains`: each line of `expected` stands somewhere in it; `equals`:
 * the same text; both whatever case and white space. `json`: the same JSON value, whatever the
 * order of names; a code fence around it does not matter.
 */
export function isRightAnswer(check: PlainCheck, expected: string, answer: string): boolean {
  if (check === "json") return isSameJson(expected, answer);
  const folded = foldText(answer);
  if (check === "equals") return folded === foldText(expected);
  const lines = expected.split("\n").map(foldText);
  return lines.every((line) => folded.includes(line));
}

function isSameJson(expected: string, answer: string): boolean {
  try {
    const budget = new Budget(COMPARING_STEPS);
    return jsonKey(JSON.parse(expected), budget) === jsonKey(JSON.parse(dropFence(answer)), budget);
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof BudgetSpent) return false;
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}

const FENCE = "```";

/** Removes the code fence that models like to put around JSON. */
function dropFence(answer: string): string {
  const text = answer.trim();
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE)) return text;
  const inside = text.slice(FENCE.length, -FENCE.length);
  const end = inside.indexOf("\n");
  return end === -1 ? inside : inside.slice(end + 1);
}
