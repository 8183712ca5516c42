import "../core/input/plain-issues.ts";

import type { Context } from "hono";
import type { z } from "zod";

import { invalid, problemText, type FieldProblem, type QuarryError } from "../core/errors.ts";
import { pathText } from "../core/input/field-path.ts";
import { unknownFields } from "./unknown-fields.ts";

type Issue = z.core.$ZodIssue;

const NOT_KNOWN = "is not known";

/** Whether the value is not even of the type that a branch of a union wants. */
const isOfOtherType = (issues: readonly Issue[]) =>
  issues.some(({ code, path }) => code === "invalid_type" && path.length === 0);

/** The closest branch of a union, first one of the value's type; unknown keys one by one. */
function leaves(issue: Issue): Issue[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      return { code: "custom", path: [...issue.path, key], message: NOT_KNOWN };
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
const MAX_ISSUES = 20;

/**
 * The error that names the failing fields, each once: "topK must be at most 100; semanticSearch is
 * required". `others`: problems that no schema tells. `whole`: what has no path.
 */
export function refusalOf(
  { issues }: { issues: readonly Issue[] },
  { whole = "body", others = [] }: { whole?: string; others?: FieldProblem[] } = {},
): QuarryError {
  const byField = new Map<string, FieldProblem>();
  const first = issues
    .slice(0, MAX_ISSUES)
    .flatMap(leaves)
    .map(({ path, message }) => ({ field: pathText(path, whole), problem: message }));
  for (const problem of first) if (!byField.has(problem.field)) byField.set(problem.field, problem);
  for (const problem of others) byField.set(problem.field, problem);
  const problems = [...byField.values()];
  const untold = issues.length - MAX_ISSUES;
  const rest = untold > 0 ? [`and ${untold} more`] : [];
  return invalid([...problems.map(problemText), ...rest].join("; "), problems);
}

export type Validation =
  | { success: true }
  | { success: false; error: z.core.$ZodError; data?: unknown };

/**
 * The `defaultHook` of every OpenAPIHono: a request that does not fit its schema is a 400 that
 * names all failing fields.
 * @throws QuarryError `invalid`.
 */
export function validationHook(result: Validation & { target: string }, _context?: Context): void {
  if (result.success) return;
  const whole = result.target === "json" ? "body" : result.target;
  throw refusalOf(result.error, { whole });
}

/** Parses with the same errors as a route's own schema. @throws QuarryError `invalid`. */
export function parseOrRefuse<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  whole = "body",
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw refusalOf(parsed.error, { whole });
}

const MAX_UNKNOWN = 20;

/** Unknown fields are refused as well. @throws QuarryError `invalid` that names what was meant */
export function parseKnownOrRefuse<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  const unknown = unknownFields(schema, input, MAX_UNKNOWN);
  if (parsed.success && unknown.length === 0) return parsed.data;
  const fields = unknown.map(({ field, closest }) => {
    const name = closest();
    return { field, problem: name === null ? NOT_KNOWN : `${NOT_KNOWN} (did you mean ${name}?)` };
  });
  throw refusalOf({ issues: parsed.error?.issues ?? [] }, { others: fields });
}
