import { isJsonObject } from "./json-values.ts";
import type { JsonObject } from "./json-values.ts";

/** Keywords whose value is a schema. */
const ONE = [
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  "items",
];
/** Keywords whose value is a list of schemas; `items` was one before 2020-12. */
const LISTS = ["prefixItems", "allOf", "anyOf", "oneOf", "items"];
/** Keywords whose value maps names to schemas. */
const MAPS = [
  "$defs",
  "definitions",
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
];

export type Subschema = { place: string; schema: unknown };

/** The direct subschemas of a schema, and their locations. */
export function subschemasOf(schema: JsonObject): Subschema[] {
  const found: Subschema[] = [];
  for (const keyword of ONE) {
    const inner = schema[keyword];
    if (inner !== undefined && !Array.isArray(inner)) {
      found.push({ place: `/${keyword}`, schema: inner });
    }
  }
  for (const keyword of LISTS) {
    const list = schema[keyword];
    if (!Array.isArray(list)) continue;
    for (const [at, inner] of list.entries()) {
      found.push({ place: `/${keyword}/${at}`, schema: inner });
    }
  }
  for (const keyword of MAPS) {
    const map = schema[keyword];
    if (!isJsonObject(map)) continue;
    for (const [name, inner] of Object.entries(map)) {
      if (keyword === "dependencies" && Array.isArray(inner)) continue;
      found.push({ place: `/${keyword}/${escaped(name)}`, schema: inner });
    }
  }
  return found;
}

/** A name as a part of a JSON pointer. */
export const escaped = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** The subschemas that apply to the same value as the schema, not to a part of it. */
export function inPlaceSchemasOf(schema: JsonObject): unknown[] {
  const lists = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? (list as unknown[]) : [];
  });
  const maps = ["dependentSchemas", "dependencies"].flatMap((keyword) => {
    const map = schema[keyword];
    return isJsonObject(map) ? Object.values(map) : [];
  });
  return [...lists, ...maps, ...["not", "if", "then", "else"].map((keyword) => schema[keyword])];
}
