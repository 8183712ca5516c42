import { isJsonObject } from "./json-values.ts";
import type { JsonObject } from "./json-values.ts";
import type { Draft } from "./drafts.ts";

/** The form of a keyword's value; what is in it is checked apart. */
type Form = (value: unknown, draft: Draft) => boolean;

const isString: Form = (value) => typeof value === "string";
const isNumber: Form = (value) => typeof value === "number";
const isCount: Form = (value) => Number.isInteger(value) && Number(value) >= 0;
const isList: Form = (value) => Array.isArray(value);
const isNames: Form = (value) => Array.isArray(value) && value.every((one) => isString(one, "4"));
const isDistinctNames: Form = (value, draft) =>
  Array.isArray(value) && isNames(value, draft) && new Set(value).size === value.length;
const isBoolean: Form = (value) => typeof value === "boolean";
const isPositive: Form = (value) => typeof value === "number" && value > 0;
const isSchema: Form = (value) => isJsonObject(value) || typeof value === "boolean";
const isSchemas: Form = (value, draft) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isSchema(one, draft));
const isMap: Form = (value, draft) =>
  isJsonObject(value) && Object.values(value).every((one) => isSchema(one, draft));
const isNamesByName: Form = (value, draft) =>
  isJsonObject(value) && Object.values(value).every((one) => isNames(one, draft));
const TYPES = new Set<unknown>([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);
const isType: Form = (value) => {
  if (!Array.isArray(value)) return TYPES.has(value);
  const isDistinct = value.length > 0 && new Set(value).size === value.length;
  return isDistinct && value.every((one) => TYPES.has(one));
};
/** A bound of its own since draft 6, a flag of `minimum` before. */
const isExclusive: Form = (value, draft) =>
  draft === "4" ? typeof value === "boolean" : typeof value === "number";
/** A list of schemas until 2020-12, which uses `prefixItems` instead. */
const isItems: Form = (value, draft) =>
  isSchema(value, draft) || (draft !== "2020-12" && isSchemas(value, draft));
const isDependencies: Form = (value, draft) =>
  isJsonObject(value) &&
  Object.values(value).every((one) => isNames(one, draft) || isSchema(one, draft));

const FORMS: [keywords: string, form: Form][] = [
  ["$id $schema $ref $anchor $comment title description format pattern", isString],
  ["$defs definitions properties patternProperties dependentSchemas", isMap],
  ["type", isType],
  ["enum", isList],
  ["required", isDistinctNames],
  ["anyOf allOf oneOf prefixItems", isSchemas],
  ["not if then else additionalProperties propertyNames additionalItems contains", isSchema],
  ["items", isItems],
  ["dependencies", isDependencies],
  ["dependentRequired", isNamesByName],
  ["minProperties maxProperties minContains maxContains", isCount],
  ["minItems maxItems minLength maxLength", isCount],
  ["uniqueItems", isBoolean],
  ["minimum maximum", isNumber],
  ["exclusiveMinimum exclusiveMaximum", isExclusive],
  ["multipleOf", isPositive],
];

const FORM_OF = new Map(
  FORMS.flatMap(([keywords, form]) => keywords.split(" ").map((keyword) => [keyword, form])),
);

/** Nearly unused, and what they mean depends on the whole of an evaluation. */
export const UNSUPPORTED = [
  "$dynamicRef",
  "$recursiveRef",
  "unevaluatedItems",
  "unevaluatedProperties",
];

/** The first keyword whose value is invalid in the schema's draft; null when all are valid. */
export function wrongKeyword(schema: JsonObject, draft: Draft): string | null {
  for (const [keyword, value] of Object.entries(schema)) {
    if (FORM_OF.get(keyword)?.(value, draft) !== false) continue;
    const wrong = isJsonObject(value)
      ? Object.entries(value).find(([, one]) => !isSchema(one, draft))
      : undefined;
    return wrong === undefined ? keyword : `${keyword}/${escaped(wrong[0])}`;
  }
  return null;
}

const HOLD_SCHEMAS = new Set<Form>([isMap, isSchemas, isSchema, isItems, isDependencies]);

type Subschema = { place: string; schema: unknown };

/** The direct subschemas of a schema, and their locations. */
export function subschemasOf(schema: JsonObject): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]): Subschema[] => {
    const form = FORM_OF.get(keyword);
    if (form === undefined || !HOLD_SCHEMAS.has(form)) return [];
    const isWhole = form === isSchema || (form === isItems && !Array.isArray(value));
    if (isWhole) return [{ place: `/${keyword}`, schema: value }];
    // A list among dependencies is of names.
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value)
      .filter(([, one]) => !Array.isArray(one))
      .map(([name, one]) => ({ place: `/${keyword}/${escaped(name)}`, schema: one as unknown }));
  });
}

/** A name as a part of a JSON pointer. */
export const escaped = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

const IN_PLACE = /^(?:allOf|anyOf|oneOf|dependentSchemas|dependencies|not|if|then|else)$/;

/** The subschemas that apply to the same value as the schema, not to a part of it. */
export const inPlaceSchemasOf = (schema: JsonObject): unknown[] =>
  Object.entries(schema).flatMap(([keyword, value]): unknown[] => {
    if (!IN_PLACE.test(keyword)) return [];
    if (Array.isArray(value)) return value;
    const isMapOf = keyword.startsWith("depend") && isJsonObject(value);
    return isMapOf ? Object.values(value) : [value];
  });
