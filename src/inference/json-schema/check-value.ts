import { BudgetSpent } from "../../core/work/step-budget.ts";
import type { Budget } from "../../core/work/step-budget.ts";
import { checkArray, checkUnevaluatedItems } from "./check-array.ts";
import { checkObject, checkUnevaluatedProperties } from "./check-object.ts";
import { checkNumber, checkString } from "./check-scalars.ts";
import { MAX_FINDING_LENGTH, quietly, wrong } from "./checking.ts";
import type { Checking, Evaluated, Judged } from "./checking.ts";
import { switchesOff } from "./drafts.ts";
import { canonical, isJsonObject } from "./json-values.ts";
import type { JsonObject } from "./json-values.ts";
import type { SchemaIndex } from "./schema-index.ts";

/** Limit for nested schemas under evaluation: each takes some of the stack. */
const DEEPEST = 1_000;
/** Steps for checking one value by one schema. */
const STEPS_PER_SCHEMA = 8;

/**
 * The findings for a value, one per line, the first 20; empty when it follows the schema.
 * @throws BudgetSpent
 */
export function checkValue(
  index: SchemaIndex,
  root: unknown,
  tracks: boolean,
  value: unknown,
  budget: Budget,
): string[] {
  let depth = 0;
  // The outermost schema under evaluation that has `$recursiveAnchor`.
  let anchored: JsonObject | null = null;
  const findings: string[] = [];
  const checking: Checking = {
    index,
    budget,
    findings,
    tracks,
    options: new Map(),
    follows: (schema, inner, at, into) => {
      budget.spend(STEPS_PER_SCHEMA);
      if (schema === false) return wrong(checking, at, "must not be there");
      if (!isJsonObject(schema)) return true;
      if (depth >= DEEPEST) throw new BudgetSpent();
      const outer = anchored;
      const resource = index.resourceOf(schema);
      if (resource?.["$recursiveAnchor"] === true) anchored ??= resource;
      depth += 1;
      const own = tracks ? { names: new Set<string>(), items: new Set<number>() } : null;
      const isGood = checkAll(checking, { schema, value: inner, at, own }, anchored);
      if (isGood && own !== null && into !== null) merge(own, into, budget);
      depth -= 1;
      anchored = outer;
      return isGood;
    },
  };
  return checking.follows(root, value, "#", null) ? [] : findings;
}

function merge(own: Evaluated, into: Evaluated, budget: Budget): void {
  budget.spend(own.names.size + own.items.size);
  for (const name of own.names) into.names.add(name);
  for (const item of own.items) into.items.add(item);
}

function checkAll(
  checking: Checking,
  judged: Judged<unknown>,
  anchored: JsonObject | null,
): boolean {
  const { schema } = judged;
  let isGood = true;
  if (schema["$ref"] !== undefined || schema["$recursiveRef"] === "#") {
    isGood = checkReferences(checking, judged, anchored);
    if (schema["$ref"] !== undefined && switchesOff(checking.index.draft)) return isGood;
  }
  const checks = [checkKind, checkBranches, checkContent, checkUnevaluated];
  for (const check of checks) isGood = check(checking, judged) && isGood;
  return isGood;
}

function checkReferences(
  { index, follows }: Checking,
  { schema, value, at, own }: Judged<unknown>,
  anchored: JsonObject | null,
): boolean {
  let isGood = true;
  if (schema["$ref"] !== undefined) isGood = follows(index.targetOf(schema), value, at, own);
  if (schema["$recursiveRef"] === "#") {
    const resource = index.resourceOf(schema);
    const isDynamic = resource?.["$recursiveAnchor"] === true;
    isGood = follows(isDynamic ? anchored : resource, value, at, own) && isGood;
  }
  return isGood;
}

/** Runs last: it needs what all other keywords have evaluated. */
function checkUnevaluated(checking: Checking, judged: Judged<unknown>): boolean {
  const { value } = judged;
  if (Array.isArray(value)) return checkUnevaluatedItems(checking, { ...judged, value });
  return !isJsonObject(value) || checkUnevaluatedProperties(checking, { ...judged, value });
}

function checkContent(checking: Checking, { schema, value, at, own }: Judged<unknown>): boolean {
  if (typeof value === "string") return checkString(checking, { schema, value, at, own });
  if (typeof value === "number") return checkNumber(checking, { schema, value, at, own });
  if (Array.isArray(value)) return checkArray(checking, { schema, value, at, own });
  return !isJsonObject(value) || checkObject(checking, { schema, value, at, own });
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
  const { schema, value, at, own } = judged;
  const { not, if: condition } = schema;
  const follows = (inner: unknown) => checking.follows(inner, value, at, own);
  let isGood = true;
  for (const inner of listOf(schema["allOf"])) isGood = follows(inner) && isGood;
  isGood = checkChoice(checking, judged, "anyOf") && isGood;
  isGood = checkChoice(checking, judged, "oneOf") && isGood;
  if (not !== undefined && quietly(checking, () => checking.follows(not, value, at, null))) {
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
  { schema, value, at, own }: Judged<unknown>,
  keyword: "anyOf" | "oneOf",
): boolean {
  const branches = listOf(schema[keyword]);
  if (branches.length === 0) return true;
  let followed = 0;
  const choose = () => {
    for (const branch of branches) {
      if (checking.follows(branch, value, at, own)) followed += 1;
      // What the other branches evaluate matters only if it is tracked.
      if (followed > 0 && keyword === "anyOf" && own === null) break;
    }
    return keyword === "anyOf" ? followed > 0 : followed === 1;
  };
  if (quietly(checking, choose, true)) return true;
  const which = keyword === "anyOf" ? "at least one" : "exactly one";
  return wrong(checking, at, `must follow ${which} of "${keyword}", and follows ${followed}`);
}
