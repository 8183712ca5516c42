import { format as formats } from "@cfworker/json-schema";

import { wrong, type Checking, type Judged } from "./checking.ts";

const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);

export function checkNumber(checking: Checking, judged: Judged<number>): boolean {
  const { schema, value, at } = judged;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const rules: [figure: unknown, words: string, isKept: (figure: number) => boolean][] = [
    [minimum, "at least", (figure) => value >= figure],
    [maximum, "at most", (figure) => value <= figure],
    [exclusiveMinimum, "above", (figure) => value > figure],
    [exclusiveMaximum, "below", (figure) => value < figure],
    [multipleOf, "a multiple of", (figure) => isMultiple(value, figure)],
  ];
  let isGood = true;
  for (const [figure, words, isKept] of rules) {
    if (typeof figure !== "number" || isKept(figure)) continue;
    isGood = wrong(checking, at, `must be ${words} ${figure}`);
  }
  return isGood;
}

/** 0.0075 / 0.0001 is 75.00000000000001. */
const ROUNDING = 4 * Number.EPSILON;

function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  if (!Number.isFinite(times)) return value % step === 0;
  return Math.abs(times - Math.round(times)) <= ROUNDING * Math.abs(times);
}

export function checkString(checking: Checking, judged: Judged<string>): boolean {
  const { schema, value, at } = judged;
  const { budget, index } = checking;
  const { minLength, maxLength, pattern, format } = schema;
  budget.spend(value.length >>> 5);
  let isGood = true;
  if (minLength !== undefined || maxLength !== undefined) {
    const length = codePointsIn(value);
    if (length < (numberOf(minLength) ?? 0)) {
      isGood = wrong(checking, at, `must have at least ${String(minLength)} characters`);
    }
    if (length > (numberOf(maxLength) ?? Infinity)) {
      isGood = wrong(checking, at, `must have at most ${String(maxLength)} characters`);
    }
  }
  if (typeof pattern === "string" && index.patterns.get(pattern)?.(value, budget) === false) {
    isGood = wrong(checking, at, `must match the pattern ${pattern}`);
  }
  if (typeof format === "string" && !hasFormat(value, format)) {
    isGood = wrong(checking, at, `must have the format ${format}`);
  }
  return isGood;
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
