import { isJsonObject } from "./json-values.ts";
import type { JsonObject } from "./json-values.ts";
import type { Draft } from "./drafts.ts";

/** The form of a keyword's value; subschemas are checked separately. */
type Form = (value: unknown, draft: Draft) => boolean;

const isString: Form = (value) => typeof value === "string";
const isNumber: Form = (value) => typeof value === "number";
const isCount: Form = (value) => Number.isInteger(value) && Number(value) >= 0;
const isList: Form = (value) => Array.isArray(value);
const isNames: Form = (value) => Array.isArray(value) && value.every((one) => isString(one, "4"));
const isDistinctNames: Form = (value, draft) =>
  Array.isArray(value) && isNames(value, draft) && new Set(value).size === value.length;
const isSchema: Form = (value) => isJsonObject(value) || typeof value === "boolean";
const isSchemas: Form = (value, draft) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isSchema(one, draft));
const isMap: Form = (value) => isJsonObject(value);
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
  ["not if then else additionalProperties unevaluatedProperties propertyNames", isSchema],
  ["additionalItems unevaluatedItems contains", isSchema],
  ["items", isItems],
  ["dependencies", isDependencies],
  ["minProperties maxProperties minContains maxContains", isCount],
  ["minItems maxItems minLength maxLength", isCount],
  ["uniqueItems", (value) => typeof value === "boolean"],
  ["minimum maximum", isNumber],
  ["exclusiveMinimum exclusiveMaximum", isExclusive],
  ["multipleOf", (value) => typeof value === "number" && value > 0],
  [
    "dependentRequired",
    (value, draft) =>
      isJsonObject(value) && Object.values(value).every((one) => isNames(one, draft)),
  ],
];

const FORM_OF = new Map(
  FORMS.flatMap(([keywords, form]) => keywords.split(" ").map((keyword) => [keyword, form])),
);

/** Maps of schemas, whose members must be schemas. */
const MAPS = ["$defs", "definitions", "properties", "patternProperties", "dependentSchemas"];

/** The first keyword whose value is invalid in the schema's draft; null when all are valid. */
export function wrongKeyword(schema: JsonObject, draft: Draft): string | null {
  for (const [keyword, value] of Object.entries(schema)) {
    if (FORM_OF.get(keyword)?.(value, draft) === false) return keyword;
  }
  for (const keyword of MAPS) {
    const wrong = Object.entries(schema[keyword] ?? {}).find(([, one]) => !isSchema(one, draft));
    if (wrong !== undefined) return `${keyword}/${wrong[0]}`;
  }
  return null;
}
