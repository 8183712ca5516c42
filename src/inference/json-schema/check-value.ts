import { format as formats } from "@cfworker/json-schema";

import { type Budget, BudgetSpent } from "../../core/work/step-budget.ts";
import { jsonKey, isJsonObject, type JsonObject } from "./json-values.ts";
import { escapePointer } from "./keywords.ts";
import type { SchemaIndex } from "./schema-index.ts";

/** Limit for nested schemas under evaluation: each takes some of the stack. */
const MAX_DEPTH = 1_000;
/** Steps for checking one value by one schema. */
const STEPS_PER_SCHEMA = 8;
const MAX_FINDINGS = 20;
const MAX_PLACE_LENGTH = 200;
/** Characters of a finding, and of a text quoted in one. */
const MAX_FINDING_LENGTH = 500;

/** One finding a line, the first 20; empty for a valid value. @throws BudgetSpent */
export function checkValue(
  index: SchemaIndex,
  root: unknown,
  value: unknown,
  budget: Budget,
): string[] {
  const checker = new Checker(index, budget);
  checker.follows(root, value, "#");
  return checker.findings;
}

/** One schema object and the value that it is applied to. `at`: the value's JSON pointer. */
type ValueAt<Value> = { schema: JsonObject; value: Value; at: string };

class Checker {
  readonly findings: string[] = [];
  /** Findings so far, those beyond the limit included. */
  #count = 0;
  #depth = 0;
  /** The options of each `enum` seen so far, in canonical form and as messages show them. */
  readonly #options = new Map<unknown, { known: Set<string>; told: string }>();
  readonly #index: SchemaIndex;
  readonly #budget: Budget;

  constructor(index: SchemaIndex, budget: Budget) {
    this.#index = index;
    this.#budget = budget;
  }

  follows(schema: unknown, value: unknown, at: string): boolean {
    const before = this.#count;
    this.#budget.spend(STEPS_PER_SCHEMA);
    if (schema === false) this.#addFinding(at, "must not be there");
    if (!isJsonObject(schema)) return this.#count === before;
    if (this.#depth >= MAX_DEPTH) throw new BudgetSpent();
    this.#depth += 1;
    this.#check({ schema, value, at });
    this.#depth -= 1;
    return this.#count === before;
  }

  #addFinding(at: string, finding: string): void {
    this.#count += 1;
    if (this.findings.length === MAX_FINDINGS) return;
    this.findings.push(`${at}: ${finding.slice(0, MAX_FINDING_LENGTH)}`);
  }

  /** Runs a check; its findings are dropped if its outcome is one of these. */
  #dropFindings(check: () => boolean, dropped: boolean[]): boolean {
    const [{ length }, count] = [this.findings, this.#count];
    const outcome = check();
    if (!dropped.includes(outcome)) return outcome;
    this.findings.length = length;
    this.#count = count;
    return outcome;
  }

  #check(judged: ValueAt<unknown>): void {
    const { schema, value, at } = judged;
    if (schema["$ref"] !== undefined) this.follows(this.#index.targetOf(schema), value, at);
    this.#checkKind(judged);
    this.#checkBranches(judged);
    if (typeof value === "string") this.#checkString({ schema, value, at });
    else if (typeof value === "number") this.#checkNumber({ schema, value, at });
    else if (Array.isArray(value)) this.#checkArray({ schema, value, at });
    else if (isJsonObject(value)) this.#checkObject({ schema, value, at });
  }

  #checkKind({ schema, value, at }: ValueAt<unknown>): void {
    const { type, enum: options } = schema;
    if (type !== undefined) {
      const types: unknown[] = [type].flat();
      const fits =
        types.includes(typeNameOf(value)) || (types.includes("integer") && Number.isInteger(value));
      if (!fits) this.#addFinding(at, `must be of type ${types.join(" or ")}`);
    }
    if ("const" in schema) this.#checkOptions(schema, [schema["const"]], { value, at });
    if (Array.isArray(options)) this.#checkOptions(options, options, { value, at });
  }

  /** `key` identifies the options: their canonical form is computed once. */
  #checkOptions(
    key: unknown,
    options: unknown[],
    { value, at }: { value: unknown; at: string },
  ): void {
    let choice = this.#options.get(key);
    if (choice === undefined) {
      const allowedValues = new Set(options.map((option) => jsonKey(option, this.#budget)));
      choice = {
        known: allowedValues,
        told: [...allowedValues].join(", ").slice(0, MAX_FINDING_LENGTH),
      };
      this.#options.set(key, choice);
    }
    if (choice.known.has(jsonKey(value, this.#budget))) return;
    this.#addFinding(at, `must be ${options.length === 1 ? "" : "one of "}${choice.told}`);
  }

  #checkBranches({ schema, value, at }: ValueAt<unknown>): void {
    const { not, if: condition } = schema;
    const follows = (inner: unknown) => this.follows(inner, value, at);
    const isValid = (inner: unknown) => this.#dropFindings(() => follows(inner), [true, false]);
    for (const inner of listOf(schema["allOf"])) follows(inner);
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = listOf(schema[keyword]);
      let matches = 0;
      const isChosen = () => {
        for (const branch of branches) {
          if (follows(branch)) matches += 1;
          if (matches > 0 && keyword === "anyOf") break;
        }
        return matches === 1;
      };
      if (branches.length === 0 || this.#dropFindings(isChosen, [true])) continue;
      const which = keyword === "anyOf" ? "at least one" : "exactly one";
      this.#addFinding(at, `must follow ${which} of "${keyword}", and follows ${matches}`);
    }
    if (not !== undefined && isValid(not)) this.#addFinding(at, 'must not follow what "not" says');
    if (condition === undefined) return;
    const branch = isValid(condition) ? schema["then"] : schema["else"];
    if (branch !== undefined) follows(branch);
  }

  /** Checks the number of items, characters or properties: `minItems` and `maxItems`, and so on. */
  #checkSize({ schema, at }: ValueAt<unknown>, keyword: string, size: number, what: string): void {
    const [least, most] = [schema[`min${keyword}`], schema[`max${keyword}`]];
    if (typeof least === "number" && size < least) {
      this.#addFinding(at, `must have at least ${least} ${what}`);
    }
    if (typeof most === "number" && size > most) {
      this.#addFinding(at, `must have at most ${most} ${what}`);
    }
  }

  #checkNumber({ schema, value, at }: ValueAt<number>): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    const rules: [figure: unknown, words: string, isKept: (figure: number) => boolean][] = [
      [minimum, "at least", (figure) => value >= figure],
      [maximum, "at most", (figure) => value <= figure],
      [exclusiveMinimum, "above", (figure) => value > figure],
      [exclusiveMaximum, "below", (figure) => value < figure],
      [multipleOf, "a multiple of", (figure) => isMultiple(value, figure)],
    ];
    for (const [figure, words, isKept] of rules) {
      if (typeof figure !== "number" || isKept(figure)) continue;
      this.#addFinding(at, `must be ${words} ${figure}`);
    }
  }

  #checkString(judged: ValueAt<string>): void {
    const { schema, value, at } = judged;
    const { pattern, format } = schema;
    this.#budget.spend(value.length >>> 5);
    if ("minLength" in schema || "maxLength" in schema) {
      this.#checkSize(judged, "Length", codePointsIn(value), "characters");
    }
    if (typeof pattern === "string" && this.#matches(pattern, value) === false) {
      this.#addFinding(at, `must match the pattern ${pattern}`);
    }
    if (typeof format === "string" && !hasFormat(value, format)) {
      this.#addFinding(at, `must have the format ${format}`);
    }
  }

  #matches(pattern: string, text: string): boolean | undefined {
    return this.#index.patterns.get(pattern)?.(text, this.#budget);
  }

  #checkArray(judged: ValueAt<unknown[]>): void {
    const { schema, value, at } = judged;
    this.#budget.spend(value.length);
    this.#checkSize(judged, "Items", value.length, "items");
    this.#checkItems(judged);
    if (schema["uniqueItems"] !== true) return;
    const values = new Set<string>();
    for (const [place, item] of value.entries()) {
      const key = jsonKey(item, this.#budget);
      if (values.has(key)) return this.#addFinding(memberPath(at, place), "must not occur twice");
      values.add(key);
    }
  }

  /** Checks each item by the schema of its position, the others by the schema for the rest. */
  #checkItems({ schema, value, at }: ValueAt<unknown[]>): void {
    const { prefixItems, items, additionalItems } = schema;
    const fixed = Array.isArray(prefixItems) ? prefixItems : listOf(items);
    const rest: unknown = Array.isArray(items) ? additionalItems : items;
    for (const [place, item] of value.entries()) {
      const inner: unknown = place < fixed.length ? fixed[place] : rest;
      if (inner === undefined) break;
      this.follows(inner, item, memberPath(at, place));
    }
  }

  #checkObject(judged: ValueAt<JsonObject>): void {
    const { schema, value, at } = judged;
    const [names, required] = [Object.keys(value), listOf(schema["required"])];
    this.#budget.spend(names.length + required.length);
    this.#checkSize(judged, "Properties", names.length, "properties");
    for (const name of required) {
      if (typeof name !== "string" || Object.hasOwn(value, name)) continue;
      this.#addFinding(at, `must have the property "${name}"`);
    }
    const { propertyNames } = schema;
    for (const name of propertyNames === undefined ? [] : names) {
      this.follows(propertyNames, name, memberPath(at, name));
    }
    this.#checkMembers(judged, names);
  }

  /** Checks each member by its name, by matching patterns, or as an additional one. */
  #checkMembers({ schema, value, at }: ValueAt<JsonObject>, names: string[]): void {
    const { properties, patternProperties, additionalProperties } = schema;
    const byName = isJsonObject(properties) ? properties : {};
    const byPattern = Object.entries(isJsonObject(patternProperties) ? patternProperties : {});
    for (const name of names) {
      const schemas = byPattern
        .filter(([pattern]) => this.#matches(pattern, name))
        .map(([, inner]) => inner);
      if (Object.hasOwn(byName, name)) schemas.push(byName[name]);
      if (schemas.length === 0 && additionalProperties !== undefined) {
        schemas.push(additionalProperties);
      }
      for (const inner of schemas) this.follows(inner, value[name], memberPath(at, name));
    }
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const typeNameOf = (value: unknown) =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/** The location of a member; a long location is not extended, which bounds its cost. */
function memberPath(at: string, name: string | number): string {
  if (at.length > MAX_PLACE_LENGTH) return at;
  return `${at}/${typeof name === "number" ? name : escapePointer(name.slice(0, MAX_PLACE_LENGTH))}`;
}

/** 0.0075 / 0.0001 is 75.00000000000001. */
const ROUNDING = 4 * Number.EPSILON;

function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  if (!Number.isFinite(times)) return value % step === 0;
  return Math.abs(times - Math.round(times)) <= ROUNDING * Math.abs(times);
}

function codePointsIn(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Unknown formats are not checked; the library's pattern for `url` takes exponential time. */
function hasFormat(text: string, name: string): boolean {
  if (name === "url") return /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text);
  return Object.hasOwn(formats, name) ? formats[name]?.(text) === true : true;
}
