import { isJsonObject, readJsonSchema } from "./json-schema.ts";
import type { FindingsOf, JsonObject } from "./json-schema.ts";

/** The caller's JSON Schema, read and found usable. */
export type ResponseSchema = { schema: JsonObject; findings: FindingsOf };

export type ReadSchema = { ok: true; schema: ResponseSchema } | { ok: false; reason: string };

const wrong = (reason: string): ReadSchema => ({ ok: false, reason });

/**
 * Reads `jsonSchema`. The reason says what is wrong: no JSON, no schema, something that is not
 * supported, or a root that admits neither an object nor an array. `true` is read as `{}`.
 */
export function readResponseSchema(text: string): ReadSchema {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return wrong("must be a JSON Schema serialised as a string: it is not JSON");
  }
  if (parsed === false) return wrong("must admit an object or an array: false admits nothing");
  const schema = parsed === true ? {} : parsed;
  if (!isJsonObject(schema)) {
    return wrong("must be a JSON Schema: an object, serialised as a string");
  }
  const read = readJsonSchema(schema);
  if (!read.ok) return wrong(read.reason);
  const roots = rootsOf(schema, schema, 0);
  if (!roots.has("object") && !roots.has("array")) {
    return wrong("must admit an object or an array at its root");
  }
  const findings: FindingsOf = (value) =>
    typeof value === "object" && value !== null
      ? read.findings(value)
      : ["# must be an object or an array"];
  return { ok: true, schema: { schema, findings } };
}

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
export function admitsObjectsOnly(schema: JsonObject): boolean {
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
