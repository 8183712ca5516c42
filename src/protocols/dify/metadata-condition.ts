import { z } from "zod";

import { invalidField } from "../../core/errors.ts";
import type { FileComparison, FileCondition } from "../../ports/file-condition.ts";
import { isOneOf, metadataField, timeOf } from "../file-fields.ts";

const CONDITIONS_LIMIT = 30;
/** In all conditions together: a comparison looks at the metadata of every file. */
const NAMES_LIMIT = 30;
const VALUES_LIMIT = 1_000;
const MAX_NAME_LENGTH = 200;
const MAX_VALUE_LENGTH = 10_000;

const Name = z.string().min(1).max(MAX_NAME_LENGTH);
const Text = z.string().max(MAX_VALUE_LENGTH);

export const MetadataCondition = z.object({
  logical_operator: z.enum(["and", "or"]).nullish(),
  conditions: z
    .array(
      z.object({
        // Dify's earlier documents have a list of names.
        name: z.union([Name, z.array(Name).min(1).max(NAMES_LIMIT)]),
        comparison_operator: z.string().max(MAX_NAME_LENGTH),
        value: z.union([Text, z.number(), z.array(Text).max(VALUES_LIMIT)]).nullish(),
      }),
    )
    .max(CONDITIONS_LIMIT),
});

type Condition = z.output<typeof MetadataCondition>["conditions"][number];
type Value = Condition["value"];

/** @throws QuarryError `invalid` for what cannot be held exactly. */
export function conditionOf({
  logical_operator: operator,
  conditions,
}: z.output<typeof MetadataCondition>): FileCondition {
  if (conditions.flatMap(({ name }) => name).length > NAMES_LIMIT) {
    throw invalidField(
      "metadata_condition.conditions",
      `must have at most ${NAMES_LIMIT} names in all`,
    );
  }
  const all = conditions.map((condition, at) => {
    const names = typeof condition.name === "string" ? [condition.name] : condition.name;
    const path = `metadata_condition.conditions[${at}]`;
    return { any: names.map((name) => parseCondition(name, condition, path)) };
  });
  // No condition restricts nothing, whichever way it is joined.
  return operator === "or" && all.length > 0 ? { any: all } : { all };
}

type ConditionOf = (name: string, value: Value, at: string) => FileCondition;

const equals: ConditionOf = (name, value, at) => {
  if (value === null || value === undefined) throw invalidField(`${at}.value`, "is required");
  return isOneOf(name, [value].flat(), {
    text: (value) => String(value).toWellFormed(),
    time: (value) => timeIn(value, at),
  });
};
/** Dify's editor sends the values of a list as one text. */
const isIn: ConditionOf = (name, value, at) => {
  const values = typeof value === "string" ? value.split(",").map((part) => part.trim()) : value;
  return equals(name, values, at);
};
const isPresent: ConditionOf = (name) => compare(name, { test: "present" });
const textTest =
  (test: "contains" | "starts" | "ends"): ConditionOf =>
  (name, value, at) =>
    compare(name, { test, text: textOf(value, at) });
const number =
  (relation: Relation): ConditionOf =>
  (name, value, at) =>
    name === "modifiedAt"
      ? time(relation)(name, value, at)
      : compare(name, { test: "order", kind: "number", relation, value: numberOf(value, at) });
const time =
  (relation: Relation): ConditionOf =>
  (name, value, at) =>
    compare(name, { test: "order", kind: "time", relation, value: timeIn(value, at) });
const negate =
  (making: ConditionOf): ConditionOf =>
  (...args) => ({ not: making(...args) });

const OPERATORS = new Map<string, ConditionOf>([
  ["is", equals],
  ["=", equals],
  ["in", isIn],
  ["is not", negate(equals)],
  ["≠", negate(equals)],
  ["not in", negate(isIn)],
  ["not empty", isPresent],
  ["empty", negate(isPresent)],
  ["contains", textTest("contains")],
  ["not contains", negate(textTest("contains"))],
  ["start with", textTest("starts")],
  ["end with", textTest("ends")],
  [">", number(">")],
  ["<", number("<")],
  ["≥", number(">=")],
  ["≤", number("<=")],
  ["before", time("<")],
  ["after", time(">")],
]);

function parseCondition(name: string, condition: Condition, at: string): FileCondition {
  const making = OPERATORS.get(condition.comparison_operator);
  if (making !== undefined) return making(name, condition.value, at);
  throw invalidField(
    `${at}.comparison_operator`,
    `must be one of ${[...OPERATORS.keys()].join(", ")}`,
  );
}

type Order = Extract<FileComparison, { test: "order" }>;
type Relation = Order["relation"];
type Test =
  | Omit<Extract<FileComparison, { test: "present" }>, "of">
  | Omit<Extract<FileComparison, { test: "contains" | "starts" | "ends" }>, "of">
  | Omit<Order, "of">;

/** `path` and `compareModified` are the file's; `mime_type` and every other name are metadata. */
function compare(name: string, test: Test): FileCondition {
  const isOwn = name === "path" || name === "modifiedAt";
  const place = isOwn ? name : { field: metadataField(name) };
  return { compare: { of: place, ...test } };
}

function textOf(value: Value, at: string): string {
  if (typeof value === "string" && value !== "") return value.toWellFormed();
  throw invalidField(`${at}.value`, "must be a text");
}

function numberOf(value: Value, at: string): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  throw invalidField(`${at}.value`, "must be a number");
}

/** Dify's variables are texts, seconds as well. */
function timeIn(value: unknown, at: string): number {
  const isSeconds = typeof value === "string" && /^\d+$/.test(value);
  const ms = timeOf(isSeconds ? Number(value) : value);
  if (ms !== null) return ms;
  throw invalidField(`${at}.value`, "must be a date, or a date and time, in ISO 8601");
}
