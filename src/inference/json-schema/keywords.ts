import { resolvePointer } from "../../core/json-pointer.ts";
import { isJsonObject, isTooDeep, type JsonObject } from "./json-values.ts";

/** The form of a keyword's value; what is in it is checked apart. */
type Form = (value: unknown) => boolean;

const isString: Form = (value) => typeof value === "string";
const isNumber: Form = (value) => typeof value === "number";
const isCount: Form = (value) => Number.isInteger(value) && Number(value) >= 0;
const isList: Form = (value) => Array.isArray(value);
const isNames: Form = (value) =>
  Array.isArray(value) && value.every(isString) && new Set(value).size === value.length;
const isBoolean: Form = (value) => typeof value === "boolean";
const isPositive: Form = (value) => typeof value === "number" && value > 0;
const isSchema: Form = (value) => isJsonObject(value) || typeof value === "boolean";
const isSchemas: Form = (value) =>
  Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isMap: Form = (value) => isJsonObject(value) && Object.values(value).every(isSchema);
/** A list of schemas until 2020-12, which uses `prefixItems` instead. */
const isItems: Form = (value) => isSchema(value) || isSchemas(value);

const TYPES = new Set("array boolean integer null number object string".split(" "));
const isTypeName: Form = (value) => typeof value === "string" && TYPES.has(value);
const isType: Form = (value) =>
  isTypeName(value) ||
  (isNames(value) && Array.isArray(value) && value.length > 0 && value.every(isTypeName));

const FORMS: [keywords: string, form: Form][] = [
  ["$id $schema $ref $comment title description format pattern", isString],
  ["$defs definitions properties patternProperties", isMap],
  ["type", isType],
  ["enum", isList],
  ["required", isNames],
  ["anyOf allOf oneOf prefixItems", isSchemas],
  ["not if then else additionalProperties propertyNames additionalItems", isSchema],
  ["items", isItems],
  ["minProperties maxProperties minItems maxItems minLength maxLength", isCount],
  ["uniqueItems", isBoolean],
  ["minimum maximum exclusiveMinimum exclusiveMaximum", isNumber],
  ["multipleOf", isPositive],
];

const FORM_OF = new Map(
  FORMS.flatMap(([keywords, form]) => keywords.split(" ").map((keyword) => [keyword, form])),
);

/** Nearly unused; most of them mean something only in the whole of an evaluation. */
export const UNSUPPORTED = [
  "$anchor",
  "$dynamicRef",
  "$recursiveRef",
  "contains",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedItems",
  "unevaluatedProperties",
];

/** The first keyword whose value is invalid; null when all are valid. */
export function wrongKeyword(schema: JsonObject): string | null {
  const wrong = Object.entries(schema).find(([keyword, value]) => {
    return FORM_OF.get(keyword)?.(value) === false;
  });
  return wrong?.[0] ?? null;
}

const HOLD_SCHEMAS = new Set<Form>([isMap, isSchemas, isSchema, isItems]);

type Subschema = { place: string; schema: unknown };

/** The direct subschemas of a schema, and their locations. */
export function subschemasOf(schema: JsonObject): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]): Subschema[] => {
    const form = FORM_OF.get(keyword);
    if (form === undefined || !HOLD_SCHEMAS.has(form)) return [];
    const isWhole = form === isSchema || (form === isItems && !Array.isArray(value));
    if (isWhole || typeof value !== "object" || value === null) {
      return [{ place: `/${keyword}`, schema: value }];
    }
    return Object.entries(value).map(([name, schema]) => {
      return { place: `/${keyword}/${escapePointer(name)}`, schema: schema as unknown };
    });
  });
}

const MAX_SHOWN_LENGTH = 200;
export const shortenText = (text: string) => text.slice(0, MAX_SHOWN_LENGTH);

export const TOO_DEEP = "is nested too deeply";
export const schemaRefusal = (place: string) =>
  `must be a JSON Schema: ${shortenText(place)} does not follow the specification`;

/** Says what is wrong with a schema that is handed on, after its field's name; null: nothing. */
export function schemaProblem(schema: JsonObject): string | null {
  if (isTooDeep(schema)) return TOO_DEEP;
  const place = findWrongKeyword(schema, schema, "#");
  return place === null ? null : schemaRefusal(place);
}

function findWrongKeyword(root: JsonObject, schema: JsonObject, place: string): string | null {
  const { $ref } = schema;
  const isLost =
    typeof $ref === "string" && $ref.startsWith("#/") && resolvePointer(root, $ref) === undefined;
  const wrong = isLost ? "$ref" : wrongKeyword(schema);
  if (wrong !== null) return `${place}/${wrong}`;
  for (const inner of subschemasOf(schema)) {
    if (!isJsonObject(inner.schema)) continue;
    const wrong = findWrongKeyword(root, inner.schema, place + inner.place);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** A name as a part of a JSON pointer. */
export const escapePointer = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");
