import { Validator, dereference } from "@cfworker/json-schema";
import type { OutputUnit, Schema, SchemaDraft } from "@cfworker/json-schema";

import { schemaOfSchemas } from "./schema-of-schemas.ts";

export type JsonObject = Record<string, unknown>;

/** The caller's JSON Schema, read and found usable. */
export type ResponseSchema = {
  schema: JsonObject | true;
  /** What is wrong with a value, one finding a line; empty when it follows the schema. */
  findings: (value: unknown) => string[];
};

export type ReadSchema = { ok: true; schema: ResponseSchema } | { ok: false; reason: string };

const wrong = (reason: string): ReadSchema => ({ ok: false, reason });

/**
 * Reads `jsonSchema`. The reason says what is wrong: no JSON, no schema, something that is not
 * supported, or a root that admits neither an object nor an array.
 */
export function readResponseSchema(text: string): ReadSchema {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return wrong("must be a JSON Schema serialised as a string: it is not JSON");
  }
  if (parsed !== true && !isJsonObject(parsed)) {
    return wrong("must be a JSON Schema: an object, serialised as a string");
  }
  if (depthOf(parsed, DEEPEST_SCHEMA) > DEEPEST_SCHEMA) return wrong("is nested too deeply");
  const problem = problemOf(parsed);
  if (problem !== null) return wrong(problem);
  const roots = rootsOf(parsed, parsed, 0);
  if (!roots.has("object") && !roots.has("array")) {
    return wrong("must admit an object or an array at its root");
  }
  return { ok: true, schema: { schema: parsed, findings: validatorOf(parsed) } };
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Checking a schema recurses; beyond this depth a caller could exhaust the stack. */
const DEEPEST_SCHEMA = 200;

/** Levels of nesting, level by level and no deeper than one beyond `enough`. */
function depthOf(root: unknown, enough: number): number {
  let level: unknown[] = [root];
  let depth = 0;
  while (level.length > 0 && depth <= enough) {
    level = level.flatMap((node) =>
      typeof node === "object" && node !== null ? Object.values(node) : [],
    );
    depth += 1;
  }
  return depth;
}

/** Ill-formed, or beyond what the validator knows; null when it is neither. */
function problemOf(schema: JsonObject | true): string | null {
  if (schema === true) return null;
  // Every keyword of the vocabulary is checked: what the validator would misread is refused.
  const { valid, errors } = new Validator(schemaOfSchemas as Schema, "2020-12").validate(schema);
  if (!valid) {
    const place = (errors.at(-1)?.instanceLocation ?? "#").slice(0, LONGEST_PLACE);
    return `must be a JSON Schema: what stands at ${place} is not as the specification has it`;
  }
  return unresolvedReference(schema);
}

const LONGEST_PLACE = 200;

function unresolvedReference(schema: JsonObject): string | null {
  try {
    const copy = structuredClone(schema) as Schema;
    const known = dereference(copy);
    for (const one of Object.values(known)) {
      if (typeof one === "boolean") continue;
      if ("$dynamicRef" in one) return "must not use $dynamicRef, which is not supported";
      const { $ref, __absolute_ref__: absolute } = one;
      if ($ref === undefined || absolute === undefined) continue;
      if (known[absolute] === undefined && known[decodeURI(absolute)] === undefined) {
        return `refers to ${$ref.slice(0, LONGEST_PLACE)}, which is not in it`;
      }
    }
    return null;
  } catch {
    return "must be a JSON Schema: an identifier or reference in it cannot be read";
  }
}

const DRAFTS: [mark: string, draft: SchemaDraft][] = [
  ["draft-04", "4"],
  ["draft-06", "7"],
  ["draft-07", "7"],
  ["2019-09", "2019-09"],
];

function validatorOf(schema: JsonObject | true): (value: unknown) => string[] {
  const named = schema === true ? undefined : schema["$schema"];
  const said = typeof named === "string" ? named : "";
  const draft = DRAFTS.find(([mark]) => said.includes(mark))?.[1] ?? "2020-12";
  // The validator writes into what it is given.
  const validator = new Validator(structuredClone(schema), draft, false);
  return (value) => {
    if (typeof value !== "object" || value === null) return ["# must be an object or an array"];
    try {
      return validator.validate(value).errors.slice(-MOST_FINDINGS).map(findingOf);
    } catch {
      return ["# cannot be checked against the schema"];
    }
  };
}

const MOST_FINDINGS = 20;

const findingOf = ({ instanceLocation, error }: OutputUnit) => `${instanceLocation}: ${error}`;

type Root = "object" | "array" | "other";
const DEEPEST_ROOT = 32;

/** Which kinds of value the root admits, as far as its keywords tell. */
function rootsOf(schema: unknown, root: unknown, depth: number): Set<Root> {
  const all = new Set<Root>(["object", "array", "other"]);
  if (schema === false) return new Set();
  if (!isJsonObject(schema) || depth > DEEPEST_ROOT) return all;
  const inner = (one: unknown) => rootsOf(one, root, depth + 1);
  let roots = all;
  const narrow = (by: Set<Root>) => {
    roots = new Set([...roots].filter((one) => by.has(one)));
  };
  const { type, enum: options, $ref: reference } = schema;
  if (type !== undefined) narrow(new Set([type].flat().map(kindOfType)));
  if ("const" in schema) narrow(new Set([kindOf(schema["const"])]));
  if (Array.isArray(options)) narrow(new Set(options.map(kindOf)));
  if (typeof reference === "string") narrow(inner(pointedTo(root, reference)));
  for (const part of listOf(schema["allOf"])) narrow(inner(part));
  for (const keyword of ["anyOf", "oneOf"]) {
    const parts = listOf(schema[keyword]);
    if (parts.length > 0) narrow(new Set(parts.map(inner).flatMap((one) => Array.from(one))));
  }
  return roots;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const kindOfType = (type: unknown): Root =>
  type === "object" || type === "array" ? type : "other";
const kindOf = (value: unknown): Root =>
  Array.isArray(value) ? "array" : isJsonObject(value) ? "object" : "other";

/** Whether only objects can stand at the root, as provider modes ask for. */
export function admitsObjectsOnly(schema: JsonObject | true): boolean {
  const roots = rootsOf(schema, schema, 0);
  return roots.has("object") && !roots.has("array") && !roots.has("other");
}

/** A JSON pointer within the schema; anchors and other documents say nothing about the root. */
function pointedTo(root: unknown, reference: string): unknown {
  if (!/^#(\/|$)/.test(reference)) return true;
  let node: unknown = root;
  for (const part of reference.slice(1).split("/").filter(Boolean)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(node)) node = node[Number(key)];
    else if (isJsonObject(node)) node = node[key];
    else return true;
  }
  return node ?? true;
}
