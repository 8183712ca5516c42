import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";

import type { Call } from "./client.ts";
import { OVERSIZED_VALUES, OVERSIZED_WORDS } from "./oversized-values.ts";

type Schema = {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
};
type Parameter = { name: string; in: string; schema: Schema; required?: boolean };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const MAX_ITEMS = 12;
const MAX_INTEGER = 1_000_000;

/** Values that fit a schema. */
function fitting(document: Document, schema: Schema): Arbitrary<unknown> {
  const inner = (child: Schema) => fitting(document, child);
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return inner(document.components.schemas[name] ?? {});
  }
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.allOf?.[0] !== undefined) return inner(schema.allOf[0]);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(inner));
  return BY_TYPE[String(schema.type)]?.(schema, inner) ?? fc.jsonValue();
}

type Inner = (schema: Schema) => Arbitrary<unknown>;

const BY_TYPE: Record<string, (schema: Schema, inner: Inner) => Arbitrary<unknown>> = {
  object: objectOf,
  array: ({ items = {}, minItems = 0, maxItems = MAX_ITEMS }, inner) =>
    fc.array(inner(items), { minLength: minItems, maxLength: Math.min(maxItems, MAX_ITEMS) }),
  string: ({ pattern }) =>
    pattern === undefined ? text : text.filter((candidate) => new RegExp(pattern).test(candidate)),
  integer: ({ minimum = 0, maximum = MAX_INTEGER }) => fc.integer({ min: minimum, max: maximum }),
  number: ({ minimum = 0, maximum = 1 }) => fc.double({ min: minimum, max: maximum, noNaN: true }),
  boolean: () => fc.boolean(),
};

/** Words that a search may find, and whatever a keyboard cannot type. */
const text = fc.oneof(
  fc.constantFrom("paid leave", "guide/", "guide/leave.md", "labels", "contract", "../x", "%00"),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);

function objectOf({ properties = {}, required = [] }: Schema, inner: Inner): Arbitrary<unknown> {
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, inner(schema)]),
  );
  return fc.record(model, { requiredKeys: required });
}

/** A body that fits, or that has one or two fields spoilt, or that is anything at all. */
function bodies(document: Document, schema: Schema): Arbitrary<string> {
  const valid = fitting(document, schema);
  const spoilt = fc.tuple(
    valid,
    fc.dictionary(fc.constantFrom(...names(document)), fc.jsonValue()),
  );
  return fc.oneof(
    { weight: 4, arbitrary: valid.map(jsonText) },
    {
      weight: 4,
      arbitrary: spoilt.map(([body, changes]) => jsonText({ ...(body as object), ...changes })),
    },
    { weight: 1, arbitrary: fc.jsonValue().map(jsonText) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  );
}

const jsonText = (value: unknown) => JSON.stringify(value);
const names = ({ components }: Document) => [
  ...new Set(
    Object.values(components.schemas).flatMap(({ properties = {} }) => Object.keys(properties)),
  ),
];

export type Known = {
  /** Values for the parameters of a path, by name. */
  identifiers: string[];
  sources: string[];
  tokens: string[];
  /** Operations that are not published: agents and webhooks. */
  unpublished: { method: string; path: string; schema: Schema }[];
};

function operationsOf(document: Document, inventory: Known) {
  const published = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      query: parameters.filter((parameter) => parameter.in === "query"),
      schema: requestBody?.content["application/json"]?.schema,
    })),
  );
  const unpublished = inventory.unpublished.map((operation) => ({
    ...operation,
    query: [] as Parameter[],
  }));
  return [...published, ...unpublished];
}

const MARK = "\u0001oversized\u0001";

/** Requests with a body of which one field is as large as bodies may be, or of another type. */
export function oversizedRequests(document: Document, inventory: Known): Arbitrary<Call> {
  const withFields = operationsOf(document, inventory).flatMap(({ method, path, schema }) => {
    const name = schema?.$ref?.split("/").at(-1) ?? "";
    const { properties = {} } = document.components.schemas[name] ?? schema ?? {};
    const fields = Object.keys(properties);
    return schema === undefined || fields.length === 0 ? [] : [{ method, path, schema, fields }];
  });
  return fc.constantFrom(...withFields).chain(({ method, path, schema, fields }) =>
    fc.record({
      method: fc.constant(method),
      path: pathOf(path, inventory),
      token: fc.constantFrom(...inventory.tokens),
      body: fc
        .tuple(
          fitting(document, schema),
          fc.constantFrom(...fields),
          fc.constantFrom(...OVERSIZED_VALUES),
        )
        .map(([body, field, { json }]) =>
          jsonText({ ...(body as object), [field]: MARK }).replace(jsonText(MARK), json),
        ),
    }),
  );
}

/** Requests of every kind: all operations and methods, known and unknown names, good and bad. */
export function requests(document: Document, inventory: Known): Arbitrary<Call> {
  return fc
    .constantFrom(...operationsOf(document, inventory))
    .chain(({ method, path, query, schema }) =>
      fc.record({
        method: fc.oneof(
          { weight: 9, arbitrary: fc.constant(method) },
          {
            weight: 1,
            arbitrary: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
          },
        ),
        path: fc
          .tuple(pathOf(path, inventory), queryOf(document, query))
          .map(([filled, suffix]) => filled + suffix),
        token: fc.oneof(
          { weight: 8, arbitrary: fc.constantFrom(...inventory.tokens) },
          { weight: 1, arbitrary: fc.constantFrom(undefined, "qry_", "x") },
        ),
        body: schema === undefined ? fc.constant(undefined) : bodies(document, schema),
      }),
    )
    .map(withoutBodyOfGet);
}

/** A GET has no body, whatever was drawn for it. */
function withoutBodyOfGet({ method, path, token, body }: Call): Call {
  return method === "GET" ? { method, path, token } : { method, path, token, body };
}

const oversizedWord = fc.constantFrom(...OVERSIZED_WORDS).map(([, word]) => word);

function pathOf(template: string, { identifiers, sources }: Known): Arbitrary<string> {
  const oddName = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
  const segments = template.split("/").map((segment): Arbitrary<string> => {
    if (!segment.startsWith("{")) return fc.constant(segment);
    const candidates = segment.includes("source") ? sources : identifiers;
    return fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...candidates) },
      { weight: 1, arbitrary: oddName.map((name) => encodeURIComponent(name.toWellFormed())) },
      { weight: 1, arbitrary: fc.constantFrom("%", "%zz", "%00", "%2e%2e", "a%2Fb") },
      { weight: 1, arbitrary: oversizedWord.map(encodeURIComponent) },
    );
  });
  return fc.tuple(...segments).map((parts) => parts.join("/"));
}

function queryOf(document: Document, parameters: Parameter[]): Arbitrary<string> {
  const fields = parameters.map(({ name, schema }) =>
    fc
      .option(fc.oneof(fitting(document, schema).map(String), text, oversizedWord))
      .map((value) =>
        value === null ? "" : `${name}=${encodeURIComponent(value.toWellFormed())}`,
      ),
  );
  return fc.tuple(...fields).map((pairs) => {
    const presentPairs = pairs.filter((pair) => pair !== "");
    return presentPairs.length === 0 ? "" : `?${presentPairs.join("&")}`;
  });
}
