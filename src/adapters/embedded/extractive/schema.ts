import { isObject } from "../../../core/is-object.ts";
import type { Budget } from "../../../core/work/step-budget.ts";

/** The keywords of a JSON Schema that are read; a schema may be `true` (anything) or `false`. */
export type SchemaNode = { [keyword: string]: unknown };

export const asNode = (value: unknown): SchemaNode => (isObject(value) ? value : {});

/** The target of a local reference (`#/$defs/X`); null when there is none. */
function referenced(root: SchemaNode, reference: string): unknown {
  if (!reference.startsWith("#")) return null;
  let node: unknown = root;
  for (const part of reference.slice(1).split("/").filter(Boolean)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    node = Array.isArray(node) ? node[Number(key)] : asNode(node)[key];
  }
  return node;
}

const MAX_REFERENCES = 16;
const STEPS_PER_SCHEMA = 50;

/** The schema that applies: references followed, `allOf` merged, the first useful branch taken. */
export function resolved(schema: unknown, root: SchemaNode, budget: Budget): SchemaNode {
  budget.spend(STEPS_PER_SCHEMA);
  let node = asNode(schema);
  for (let step = 0; step < MAX_REFERENCES; step++) {
    const reference = node["$ref"] ?? node["$dynamicRef"];
    if (typeof reference !== "string") break;
    const { $ref: _, $dynamicRef: __, ...beside } = node;
    node = { ...asNode(referenced(root, reference)), ...beside };
  }
  const parts = listOf(node["allOf"]).map((part) => resolved(part, root, budget));
  const branch = [...listOf(node["anyOf"]), ...listOf(node["oneOf"])].find(isUseful);
  if (branch !== undefined) parts.push(resolved(branch, root, budget));
  for (const part of parts) {
    budget.spend(Object.keys(asNode(part["properties"])).length);
    node = merged(node, part);
  }
  return node;
}

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isUseful = (schema: unknown) => asNode(schema)["type"] !== "null" && schema !== false;

function merged(one: SchemaNode, other: SchemaNode): SchemaNode {
  const properties = { ...asNode(one["properties"]), ...asNode(other["properties"]) };
  const required = [...listOf(one["required"]), ...listOf(other["required"])];
  return { ...other, ...one, properties, required };
}

/** The type to fill: the first that is not null, or what the keywords imply. */
export function typeOf(node: SchemaNode): string {
  const { type } = node;
  const named = typeof type === "string" ? type : listOf(type).find((one) => one !== "null");
  if (typeof named === "string") return named;
  if (isObject(node["properties"]) && Object.keys(node["properties"]).length > 0) return "object";
  if ("items" in node || "prefixItems" in node) return "array";
  if ("minimum" in node || "maximum" in node || "multipleOf" in node) return "number";
  return Array.isArray(type) ? "null" : "string";
}

const ANNOTATIONS = new Set(["$schema", "$id", "$comment", "title", "description", "examples"]);

/** Whether a value may be null: said by its type, an option, a branch, or by no rule at all. */
export function admitsNull(node: SchemaNode): boolean {
  const types = [node["type"], ...listOf(node["type"])];
  if (types.includes("null") || listOf(node["enum"]).includes(null)) return true;
  const branches = [...listOf(node["anyOf"]), ...listOf(node["oneOf"])];
  if (branches.some((branch) => asNode(branch)["type"] === "null")) return true;
  return Object.entries(node).every(
    ([keyword, value]) => ANNOTATIONS.has(keyword) || isEmpty(value),
  );
}

/** What merging leaves of a schema without properties. */
const isEmpty = (value: unknown) =>
  (Array.isArray(value) || isObject(value)) && Object.keys(value).length === 0;
