import { NO_POINT_IN_TIME } from "../../core/input/input-fields.ts";
import { isObject } from "../../core/is-object.ts";
import type { FileComparison, FileCondition } from "../../ports/file-condition.ts";
import { storedFormsOf } from "../../sources/file-names.ts";
import { isOneOf, metadataField, timeOf } from "../file-fields.ts";
import { refuse } from "./errors.ts";

/* See https://platform.openai.com/docs/guides/retrieval#attribute-filtering */

const DEPTH_LIMIT = 8;
const FILTERS_LIMIT = 50;
/** Conditions that look at the metadata of every file. */
const ORDERS_LIMIT = 20;
const VALUES_LIMIT = 1_000;
const MAX_KEY_LENGTH = 200;
const MAX_VALUE_LENGTH = 10_000;

const RELATIONS = new Map<unknown, "<" | "<=" | ">" | ">=">([
  ["gt", ">"],
  ["gte", ">="],
  ["lt", "<"],
  ["lte", "<="],
]);

type Budget = { left: number; orders: number };

/** Undefined: no filters. @throws OpenAiRefusal for what cannot be held exactly */
export function readFilters(filters: unknown): FileCondition | undefined {
  if (filters === undefined || filters === null) return undefined;
  return conditionOf(filters, "filters", 1, { left: FILTERS_LIMIT, orders: ORDERS_LIMIT });
}

function conditionOf(filter: unknown, at: string, depth: number, budget: Budget): FileCondition {
  budget.left -= 1;
  if (budget.left < 0) throw refuse("filters", `must have at most ${FILTERS_LIMIT} filters in all`);
  if (depth > DEPTH_LIMIT) throw refuse("filters", `must be at most ${DEPTH_LIMIT} filters deep`);
  if (!isObject(filter)) throw refuse(at, "must be an object");
  const { type } = filter;
  if (type !== "and" && type !== "or") return comparisonOf(filter, at, budget);
  const { filters } = filter;
  if (!Array.isArray(filters)) throw refuse(`${at}.filters`, "must be an array");
  const inner = filters.map((filter: unknown, index) =>
    conditionOf(filter, `${at}.filters[${index}]`, depth + 1, budget),
  );
  return type === "and" ? { all: inner } : { any: inner };
}

function comparisonOf(filter: Record<string, unknown>, at: string, budget: Budget): FileCondition {
  const { type, key, value } = filter;
  if (typeof key !== "string" || key === "" || key.length > MAX_KEY_LENGTH) {
    throw refuse(`${at}.key`, `must be a text of 1 to ${MAX_KEY_LENGTH} characters`);
  }
  switch (type) {
    case "eq":
      return oneOf(key, [value], () => `${at}.value`);
    case "ne":
      return { not: oneOf(key, [value], () => `${at}.value`) };
    case "in":
      return oneOf(key, listIn(value, at), (place) => `${at}.value[${place}]`);
    case "nin":
      return { not: oneOf(key, listIn(value, at), (place) => `${at}.value[${place}]`) };
    default:
      return { compare: orderOf(filter, at, budget) };
  }
}

function oneOf(key: string, values: unknown[], paramAt: (place: number) => string): FileCondition {
  const text = (value: unknown, place: number) => scalarIn(value, paramAt(place));
  const time = (value: unknown, place: number) => timeIn(value, paramAt(place));
  if (key !== "folder") return isOneOf(key, values, { text, time });
  const folders = values.map(text);
  const unnamed = folders.findIndex((folder) => /^\/*$/.test(folder));
  if (unnamed !== -1) throw refuse(paramAt(unnamed), "must be a folder");
  return { any: folders.flatMap(storedFormsOf).map((folder) => ({ folder })) };
}

function orderOf(
  { type, key, value }: Record<string, unknown>,
  at: string,
  budget: Budget,
): FileComparison {
  const relation = RELATIONS.get(type);
  if (relation === undefined) {
    throw refuse(`${at}.type`, "must be one of eq, ne, in, nin, gt, gte, lt, lte, and, or");
  }
  budget.orders -= 1;
  if (budget.orders < 0) throw refuse("filters", `must have at most ${ORDERS_LIMIT} comparisons`);
  const field = metadataField(String(key));
  if (field === "path" || field === "folder")
    throw refuse(`${at}.type`, `must be eq, ne, in or nin for ${field}`);
  if (field === "modifiedAt") {
    const ms = timeIn(value, `${at}.value`);
    return { of: field, test: "order", kind: "time", relation, value: ms };
  }
  if (typeof value !== "number") throw refuse(`${at}.value`, "must be a number");
  return { of: { field }, test: "order", kind: "number", relation, value };
}

function timeIn(value: unknown, at: string): number {
  const ms = timeOf(value);
  if (ms === null) throw refuse(at, NO_POINT_IN_TIME);
  return ms;
}

function scalarIn(value: unknown, at: string): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string" && value.length <= MAX_VALUE_LENGTH) return value.toWellFormed();
  throw refuse(
    at,
    `must be a number, a boolean or a text of at most ${MAX_VALUE_LENGTH} characters`,
  );
}

function listIn(value: unknown, at: string): unknown[] {
  if (Array.isArray(value) && value.length <= VALUES_LIMIT) return value;
  throw refuse(`${at}.value`, `must be an array of at most ${VALUES_LIMIT} values`);
}
