import { below, wrong, type Checking, type Judged } from "./checking.ts";
import { canonical } from "./json-values.ts";

export function checkArray(checking: Checking, judged: Judged<unknown[]>): boolean {
  const { schema, value, at } = judged;
  const { minItems, maxItems } = schema;
  checking.budget.spend(value.length);
  let isGood = true;
  if (typeof minItems === "number" && value.length < minItems) {
    isGood = wrong(checking, at, `must have at least ${minItems} items`);
  }
  if (typeof maxItems === "number" && value.length > maxItems) {
    isGood = wrong(checking, at, `must have at most ${maxItems} items`);
  }
  isGood = checkItems(checking, judged) && isGood;
  if (schema["uniqueItems"] === true) isGood = checkUnique(checking, judged) && isGood;
  return isGood;
}

/** Checks each item by the schema of its position, the others by the schema for the rest. */
function checkItems(checking: Checking, judged: Judged<unknown[]>): boolean {
  const { schema, value, at } = judged;
  const { prefixItems, items, additionalItems } = schema;
  const fixed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const rest: unknown = Array.isArray(items) ? additionalItems : items;
  let isGood = true;
  for (const [place, item] of value.entries()) {
    const inner: unknown = place < fixed.length ? fixed[place] : rest;
    if (inner === undefined) break;
    isGood = checking.follows(inner, item, below(at, place)) && isGood;
  }
  return isGood;
}

function checkUnique(checking: Checking, { value, at }: Judged<unknown[]>): boolean {
  const seen = new Set<string>();
  for (const [place, item] of value.entries()) {
    const key = canonical(item, checking.budget);
    if (seen.has(key)) return wrong(checking, below(at, place), "must not occur twice");
    seen.add(key);
  }
  return true;
}
