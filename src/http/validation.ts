import type { Context } from "hono";
import type { z } from "zod";

import { invalid, problemText, type FieldProblem } from "../core/errors.ts";
import { pathText } from "../core/field-path.ts";
import { sentenceOf } from "../core/issue-sentence.ts";
import { meantBy, pathOf, unknownFields, type UnknownField } from "./unknown-fields.ts";

type Issue = z.core.$ZodIssue;

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined,
    input,
  );
}

/** Whether the value is not even of the type that a branch of a union wants. */
const isOfOtherType = (issues: readonly Issue[]) =>
  issues.some(({ code, path }) => code === "invalid_type" && path.length === 0);

/**
 * A union fails as a whole: the closest branch is reported, first one of the value's type; unknown
 * keys are reported one by one.
 */
function leaves(issue: Issue): Issue[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      return { code: "custom", path: [...issue.path, key], message: "is not known" };
    });
  }
  if (issue.code !== "invalid_union") return [issue];
  const [closest] = [...issue.errors].sort(
    (a, b) => Number(isOfOtherType(a)) - Number(isOfOtherType(b)) || a.length - b.length,
  );
  // A union by a named field says itself that none has its value.
  if (closest === undefined) return [issue];
  const inner = closest.flatMap(leaves);
  return inner.map((leaf) => Object.assign({}, leaf, { path: [...issue.path, ...leaf.path] }));
}

/** Failing fields that one message names. */
const ISSUES_TOLD = 20;

/** The failing fields, each once: "topK must be at most 100; semanticSearch is required". */
export function describeIssues(
  error: { issues: readonly Issue[] },
  input: unknown,
  whole = "body",
  unknown: UnknownField[] = [],
): string {
  const untold = Math.max(0, error.issues.length - ISSUES_TOLD);
  const rest = untold > 0 ? [`and ${untold} more`] : [];
  const problems = problemsIn(error, input, whole, unknown).map(problemText);
  return [...problems, ...rest].join("; ");
}

export function problemsIn(
  error: { issues: readonly Issue[] },
  input: unknown,
  whole = "body",
  unknown: UnknownField[] = [],
): FieldProblem[] {
  const byField = new Map(unknown.map((field) => [pathOf(field), unknownText(field)]));
  for (const issue of error.issues.slice(0, ISSUES_TOLD).flatMap(leaves)) {
    const field = pathText(issue.path, whole);
    if (!byField.has(field))
      byField.set(field, problemOf(issue, valueAt(input, issue.path), whole));
  }
  return [...byField].map(([field, problem]) => ({ field, problem }));
}

function problemOf(issue: Issue, value: unknown, whole: string): string {
  if (issue.code !== "custom" && value === undefined) return "is required";
  const isRepeated = whole === "query" && issue.code === "invalid_type" && Array.isArray(value);
  return isRepeated ? "must be given once" : sentenceOf(issue);
}

function unknownText(field: UnknownField): string {
  const meant = meantBy(field);
  return meant === null ? "is not known" : `: did you mean ${meant}?`;
}

export type Validated =
  | { success: true }
  | { success: false; error: z.core.$ZodError; data?: unknown };

/**
 * The `defaultHook` of every OpenAPIHono: a request that does not fit its schema is a 400 that
 * names all failing fields.
 * @throws QuarryError `invalid`.
 */
export function validationHook(result: Validated & { target: string }, _context?: Context): void {
  if (result.success) return;
  const whole = result.target === "json" ? "body" : result.target;
  const { error, data } = result;
  throw invalid(describeIssues(error, data, whole), problemsIn(error, data, whole));
}

/** Parses with the same errors as a route's own schema. @throws QuarryError `invalid`. */
export function parseOrRefuse<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalid(describeIssues(parsed.error, input), problemsIn(parsed.error, input));
}

const UNKNOWN_TOLD = 20;

/**
 * The same, but unknown fields are refused, for requests that configure something.
 * @throws QuarryError `invalid`: "chunksize: did you mean chunkSize?".
 */
export function parseKnownOrRefuse<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  const unknown = unknownFields(schema, input, UNKNOWN_TOLD);
  if (parsed.success && unknown.length === 0) return parsed.data;
  const issues = parsed.success ? [] : parsed.error.issues;
  throw invalid(
    describeIssues({ issues }, input, "body", unknown),
    problemsIn({ issues }, input, "body", unknown),
  );
}
