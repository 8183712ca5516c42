import { type Budget, BudgetSpent } from "../../core/work/step-budget.ts";
import { checkObject } from "./check-object.ts";
import { checkNumber, checkString } from "./check-scalars.ts";
import {
  below,
  type Checking,
  type Judged,
  MAX_FINDING_LENGTH,
  quietly,
  wrong,
} from "./checking.ts";
import { canonical, isJsonObject } from "./json-values.ts";
import type { SchemaIndex } from "./schema-index.ts";

/** Limit for nested schemas under evaluation: each takes some of the stack. */
const MAX_DEPTH = 1_000;
/** Steps for checking one value by one schema. */
const STEPS_PER_SCHEMA = 8;

/** One finding a line, the first 20; empty for a valid value. @throws BudgetSpent */
export function checkValue(
  index: SchemaIndex,
  root: unknown,
  value: unknown,
  budget: Budget,
): string[] {
  let depth = 0;
  const findings: string[] = [];
  const checking: Checking = {
    index,
    budget,
    findings,
    options: new Map(),
    follows: (schema, inner, at) => {
      budget.spend(STEPS_PER_SCHEMA);
      if (schema === false) return wrong(checking, at, "must not be there");
      if (!isJsonObject(schema)) return true;
      if (depth >= MAX_DEPTH) throw new BudgetSpent();
      depth += 1;
      const isGood = checkAll(checking, { schema, value: inner, at });
      depth -= 1;
      return isGood;
    },
  };
  return checking.follows(root, value, "#") ? [] : findings;
}

function checkAll(checking: Checking, judged: Judged<unknown>): boolean {
  const { schema, value, at } = judged;
  let isGood = true;
  if (schema["$ref"] !== undefined) {
    isGood = checking.follows(checking.index.targetOf(schema), value, at);
  }
  const checks = [checkKind, checkBranches, checkContent];
  for (const check of checks) isGood = check(checking, judged) && isGood;
  return isGood;
}

function checkContent(checking: Checking, { schema, value, at }: Judged<unknown>): boolean {
  if (typeof value === "string") return checkString(checking, { schema, value, at });
  if (typeof value === "number") return checkNumber(checking, { schema, value, at });
  if (Array.isArray(value)) return checkArray(checking, { schema, value, at });
  return !isJsonObject(value) || checkObject(checking, { schema, value, at });
}

const typeNameOf = (value: unknown) =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

function checkKind(checking: Checking, { schema, value, at }: Judged<unknown>): boolean {
  const { type, enum: options } = schema;
  let isGood = true;
  if (type !== undefined) {
    const types: unknown[] = Array.isArray(type) ? type : [type];
    const fits =
      types.includes(typeNameOf(value)) || (types.includes("integer") && Number.isInteger(value));
    if (!fits) isGood = wrong(checking, at, `must be of type ${types.join(" or ")}`);
  }
  if ("const" in schema) {
    isGood = checkOptions(checking, schema, [schema["const"]], { value, at }) && isGood;
  }
  if (Array.isArray(options)) {
    isGood = checkOptions(checking, options, options, { value, at }) && isGood;
  }
  return isGood;
}

/** `key` identifies the options: their canonical form is computed once. */
function checkOptions(
  checking: Checking,
  key: unknown,
  options: unknown[],
  { value, at }: { value: unknown; at: string },
): boolean {
  const { budget } = checking;
  let found = checking.options.get(key);
  if (found === undefined) {
    const known = new Set(options.map((option) => canonical(option, budget)));
    const told = [...known].join(", ").slice(0, MAX_FINDING_LENGTH);
    found = { known, told };
    checking.options.set(key, found);
  }
  if (found.known.has(canonical(value, budget))) return true;
  return wrong(checking, at, `must be ${options.length === 1 ? "" : "one of "}${found.told}`);
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function checkBranches(checking: Checking, judged: Judged<unknown>): boolean {
  const { schema, value, at } = judged;
  const { not, if: condition } = schema;
  const follows = (inner: unknown) => checking.follows(inner, value, at);
  let isGood = true;
  for (const inner of listOf(schema["allOf"])) isGood = follows(inner) && isGood;
  isGood = checkChoice(checking, judged, "anyOf") && isGood;
  isGood = checkChoice(checking, judged, "oneOf") && isGood;
  if (not !== undefined && quietly(checking, () => checking.follows(not, value, at))) {
    isGood = wrong(checking, at, 'must not follow what "not" says');
  }
  if (condition !== undefined) {
    const branch = quietly(checking, () => follows(condition)) ? schema["then"] : schema["else"];
    if (branch !== undefined) isGood = follows(branch) && isGood;
  }
  return isGood;
}

function checkChoice(
  checking: Checking,
  { schema, value, at }: Judged<unknown>,
  keyword: "anyOf" | "oneOf",
): boolean {
  const branches = listOf(schema[keyword]);
  if (branches.length === 0) return true;
  let followed = 0;
  const choose = () => {
    for (const branch of branches) {
      if (checking.follows(branch, value, at)) followed += 1;
      if (followed > 0 && keyword === "anyOf") break;
    }
    return keyword === "anyOf" ? followed > 0 : followed === 1;
  };
  if (quietly(checking, choose, true)) return true;
  const which = keyword === "anyOf" ? "at least one" : "exactly one";
  return wrong(checking, at, `must follow ${which} of "${keyword}", and follows ${followed}`);
}

function checkArray(checking: Checking, judged: Judged<unknown[]>): boolean {
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
