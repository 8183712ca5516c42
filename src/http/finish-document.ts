import { FORM_FACTS } from "../core/input/setting-fields.ts";
import { isObject } from "../core/is-object.ts";
import { UNPUBLISHED } from "../retrieval/search-request.ts";

/** Values that a text of an answer has today: in an `enum`, a new one would break clients. */
const KNOWN_VALUES = "x-extensible-enum";
/** Marks an object for which a list may stand: generators make the object's type. */
export const UNTYPED = "x-untyped";

type Json = Record<string, unknown>;
type Place = "answer" | "body" | "parameter";
/** `isPublished`: without what is marked as unpublished; `closesBodies`: unknown fields are a 400. */
type Kind = { isPublished?: boolean; closesBodies?: boolean };

/** The kind of schema that begins at a name of an operation. Parts of a form have any name. */
const PLACES: Record<string, Place> = {
  parameters: "parameter",
  requestBody: "body",
  "multipart/form-data": "parameter",
  responses: "answer",
};
/** Names of values that are no schemas. */
const DATA = new Set(["default", "enum", "example", "examples", "required"]);
const MAX_INT32 = 2_147_483_647;

/**
 * A document of which generators make clients in every language. What forms alone know of a
 * setting becomes its description.
 */
export function finishDocument<Document extends { components?: object }>(
  document: Document,
  kind: Kind = {},
): Document {
  const { components = {}, ...rest } = document;
  const all: unknown = "schemas" in components ? components.schemas : {};
  const schemas = new Map<string, unknown>(Object.entries(Object(all)));
  const names = findRequestSchemas(rest, schemas);
  const entries = [...schemas].map(([name, schema]): [string, unknown] => [
    name,
    finishPart(schema, kind, names.has(name) ? "parameter" : "answer"),
  ]);
  const finished = { ...finishPart(components, kind), schemas: Object.fromEntries(entries) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- schemas change, not what a document is
  return { ...finishPart(rest, kind), components: finished } as Document;
}

/** Names of the schemas that requests refer to, directly or by others. */
function findRequestSchemas(paths: unknown, schemas: Map<string, unknown>): Set<string> {
  const names = new Set<string>();
  const followReferences = (part: unknown) => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (!names.has(name)) followReferences(schemas.get((names.add(name), name)) ?? null);
    }
  };
  JSON.stringify(paths, (name, value: unknown) => {
    if (name === "parameters" || name === "requestBody") followReferences(value);
    return value;
  });
  return names;
}

function finishPart<Part>(part: Part, kind: Kind, place?: Place): Part {
  if (Array.isArray(part)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each element keeps its type
    return part.map((item: unknown) => finishPart(item, kind, place)) as Part;
  }
  if (!isObject(part)) return part;
  const entries = Object.entries(part).flatMap(([name, value]): [string, unknown][] => {
    if (FORM_FACTS.has(name)) return [];
    if (DATA.has(name)) return [[name, value]];
    if (name !== "properties") return [[name, finishPart(value, kind, PLACES[name] ?? place)]];
    const fields = Object.entries(Object(value)).filter(
      ([, field]) => !(kind.isPublished === true && isObject(field) && UNPUBLISHED in field),
    );
    const finished = fields.map(([field, schema]) => [field, finishPart(schema, kind, place)]);
    return [[name, Object.fromEntries(finished)]];
  });
  const { label, hint } = part;
  const description = [label, hint].filter((text) => typeof text === "string").join(". ");
  const described = description === "" || "description" in part ? {} : { description };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- facts are added, and optional ones left out
  return readableSchema({ ...Object.fromEntries(entries), ...described }, kind, place) as Part;
}

/** Without what generators stumble over, and with what they need to know. */
function readableSchema(schema: Json, kind: Kind, place?: Place): Json {
  const { enum: values, default: fallback, [UNTYPED]: isUntyped, ...rest } = schema;
  const types = new Set([schema["type"]].flat());
  const isClosed = place === "body" && kind.closesBodies === true && types.has("object");
  const choice = place === "answer" ? KNOWN_VALUES : "enum";
  const facts: Json = {
    ...(isClosed ? { additionalProperties: false } : {}),
    ...(isEmptyRefused(schema["pattern"]) ? { minLength: 1 } : {}),
    ...rest,
    ...(isUntyped === true ? { type: undefined } : {}),
    ...(isObject(fallback) || fallback === null ? {} : { default: fallback }),
    ...(types.has("boolean") ? {} : { [choice]: values }),
    ...widthOf(types, schema["maximum"]),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined));
}

const isEmptyRefused = (pattern: unknown) =>
  typeof pattern === "string" && !new RegExp(pattern).test("");

function widthOf(types: Set<unknown>, maximum: unknown) {
  if (types.has("number")) return { format: "double" };
  if (!types.has("integer")) return {};
  return { format: Number(maximum) <= MAX_INT32 ? "int32" : "int64" };
}
