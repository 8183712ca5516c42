import { invalidField } from "../core/errors.ts";
import { parseJson } from "../core/input/parse-json.ts";
import { resolvePointer } from "../core/json-pointer.ts";
import { isJsonObject, type JsonObject } from "./json-schema/json-values.ts";
import { readJsonSchema, type FindingsOf } from "./json-schema/read-json-schema.ts";
import { SchemaError } from "./json-schema/schema-index.ts";

/** The caller's JSON Schema, parsed and checked. */
export type ResponseSchema = { schema: JsonObject; findings: FindingsOf };

export type ReadSchema = { ok: true; schema: ResponseSchema } | { ok: false; reason: string };

const MAX_SCHEMA_KIB = 64;
/** Longest text of a schema, in UTF-8. */
export const MAX_SCHEMA_BYTES = MAX_SCHEMA_KIB * 1_024;

/** Reads a schema. @throws QuarryError `invalid` */
export function schemaIn(text: string): ResponseSchema {
  const schema = readResponseSchema(text);
  if (schema.ok) return schema.schema;
  throw invalidField("jsonSchema", schema.reason);
}

/** Refuses what is long, no JSON, unsupported, or neither object nor array; `true` is `{}`. */
export function readResponseSchema(text: string): ReadSchema {
  try {
    return { ok: true, schema: parseSchema(text) };
  } catch (thrown) {
    if (thrown instanceof SchemaError) return { ok: false, reason: thrown.message };
    throw thrown;
  }
}

function parseSchema(text: string): ResponseSchema {
  const bytes = new TextEncoder().encode(text).byteLength;
  if (bytes > MAX_SCHEMA_BYTES) refuse(`must be at most ${MAX_SCHEMA_KIB} KiB`);
  const parsed = parseJson(text);
  if (parsed === undefined) refuse("must be a JSON Schema serialised as a string: it is not JSON");
  if (parsed === false) refuse("must admit an object or an array: false admits nothing");
  const schema = parsed === true ? {} : parsed;
  if (!isJsonObject(schema))
    return refuse("must be a JSON Schema: an object, serialised as a string");
  const findingsOf = readJsonSchema(schema);
  const roots = rootsOf(schema);
  if (!roots.has("object") && !roots.has("array")) {
    refuse("must admit an object or an array at its root");
  }
  const findIssues: FindingsOf = (value, budget) =>
    typeof value === "object" && value !== null
      ? findingsOf(value, budget)
      : ["# must be an object or an array"];
  return { schema, findings: findIssues };
}

function refuse(reason: string): never {
  throw new SchemaError(reason);
}

type Root = "object" | "array" | "other";
const ALL_ROOTS: readonly Root[] = ["object", "array", "other"];

/** The kinds of value that the root admits, as far as its keywords show. */
function rootsOf(root: JsonObject): Set<Root> {
  // Each schema is visited once; until it is finished, and in a cycle, it restricts nothing.
  const rootsOf = new Map<unknown, Set<Root>>();
  const rootsAt = (schema: unknown): Set<Root> => {
    if (schema === false) return new Set();
    const all = new Set<Root>(ALL_ROOTS);
    if (!isJsonObject(schema)) return all;
    const cached = rootsOf.get(schema);
    if (cached !== undefined) return cached;
    rootsOf.set(schema, all);
    const roots = narrowRoots(schema);
    rootsOf.set(schema, roots);
    return roots;
  };
  const narrowRoots = (schema: JsonObject): Set<Root> => {
    const { type, enum: options, $ref: reference } = schema;
    const limits: Root[][] = [];
    if (type !== undefined) limits.push([type].flat().map(kindOfType));
    if ("const" in schema) limits.push([kindOf(schema["const"])]);
    if (Array.isArray(options)) limits.push(options.map(kindOf));
    if (typeof reference === "string") limits.push([...rootsAt(resolvePointer(root, reference))]);
    for (const part of listOf(schema["allOf"])) limits.push([...rootsAt(part)]);
    for (const keyword of ["anyOf", "oneOf"]) {
      const parts = listOf(schema[keyword]);
      if (parts.length > 0) limits.push(parts.flatMap((part) => Array.from(rootsAt(part))));
    }
    return new Set(ALL_ROOTS.filter((root) => limits.every((limit) => limit.includes(root))));
  };
  return rootsAt(root);
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const kindOfType = (type: unknown): Root =>
  type === "object" || type === "array" ? type : "other";
const kindOf = (value: unknown): Root =>
  Array.isArray(value) ? "array" : isJsonObject(value) ? "object" : "other";

/** Whether only objects are valid at the root, as providers' schema modes require. */
export function admitsObjectsOnly(schema: JsonObject): boolean {
  const roots = rootsOf(schema);
  return roots.has("object") && !roots.has("array") && !roots.has("other");
}
