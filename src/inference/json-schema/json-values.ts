import type { Budget } from "../../core/work/step-budget.ts";

export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Checking and writing recurse; beyond this depth a caller could exhaust the stack. */
const MAX_DEPTH = 200;

/** Whether the recursion over a value would be too deep; found level by level. */
export function isTooDeep(root: unknown): boolean {
  let level: unknown[] = [root];
  let depth = 0;
  while (level.length > 0 && depth <= MAX_DEPTH) {
    const below: unknown[] = [];
    for (const node of level) {
      if (typeof node !== "object" || node === null) continue;
      for (const inner of Object.values(node)) below.push(inner);
    }
    level = below;
    depth += 1;
  }
  return depth > MAX_DEPTH;
}

/** A text that two values share if they are equal as JSON values. @throws BudgetSpent */
export function jsonKey(value: unknown, budget: Budget): string {
  budget.spend(2);
  if (Array.isArray(value)) return `[${value.map((item) => jsonKey(item, budget)).join(",")}]`;
  if (!isJsonObject(value)) {
    if (typeof value === "string") budget.spend(value.length >>> 5);
    return JSON.stringify(value);
  }
  const names = Object.keys(value).sort();
  budget.spend(names.length);
  const members = names.map((name) => `${JSON.stringify(name)}:${jsonKey(value[name], budget)}`);
  return `{${members.join(",")}}`;
}
