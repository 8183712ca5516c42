import type { Document } from "../generate.ts";

/** A route with a body and a query that fit, to be with one place at a time. */
export type Route = {
  method: string;
  /** Its parameters filled in, each of them a place to be with. */
  path: string;
  of: "public" | "panel";
  body?: unknown;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Of bytes: no place of it is with. */
  bytes?: string;
};

type Schema = Document["components"]["schemas"][string] & { example?: unknown };

/** Values by the name of a field, of a parameter, or of the resource whose identifier it is. */
type Known = Record<string, unknown>;

/** One value that fits a schema, with all its fields. */
function exemplar(document: Document, schema: Schema, known: Known): unknown {
  const inner = (one: Schema) => exemplar(document, one, known);
  const { components } = document;
  const [name] = schema.$ref?.split("/").slice(-1) ?? [];
  if (name !== undefined) return inner(components.schemas[name] ?? {});
  const [branch] = [...(schema.allOf ?? []), ...(schema.anyOf ?? [])];
  if (branch !== undefined) return inner(branch);
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties);
    return Object.fromEntries(
      fields.map(([name, field]) => [name, known[name] ?? inner(field)] as const),
    );
  }
  if (schema.type === "array") return [inner(schema.items ?? {})];
  return scalar(schema);
}

function scalar({ type, enum: options, minimum = 1 }: Schema): unknown {
  if (options !== undefined) return options[0];
  if (type === "integer" || type === "number") return minimum;
  return type === "boolean" ? false : "guide/leave.md";
}

/** The published operations. */
export function publishedRoutes(document: Document, known: Known): Route[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]): Route => {
      const schema = requestBody?.content["application/json"]?.schema;
      const asked = parameters.filter((one) => one.in === "query");
      const query = asked.map(({ name, schema: of }) => [
        name,
        String(exemplar(document, of, known)),
      ]);
      const route: Route = {
        method: method.toUpperCase(),
        path: path.replace(/\{(\w+)\}/g, (_, name: string) => knownIn(known, path, name)),
        of: "public",
        query: Object.fromEntries(query) as Record<string, string>,
      };
      if (schema !== undefined) route.body = exemplar(document, schema, known);
      return route;
    }),
  );
}

/** `rags/{identifier}` is another resource than `inferences/{identifier}`. */
function knownIn(known: Known, path: string, name: string): string {
  const resource = path.split("/").at(path.split("/").indexOf(`{${name}}`) - 1) ?? "";
  const value = known[resource] ?? known[name];
  return typeof value === "string" ? value : "x";
}

export type Place = { route: Route; at: string; sentWith: (oversized: string) => Route & Sent };
type Sent = { text?: string };

const MARK = "\u0001oversized\u0001";

/** Every field of a route's body, at any depth, and the body itself. */
export function bodyPlaces(route: Route): Place[] {
  if (route.body === undefined) return [];
  return within(route.body, "body").map(({ at, marked }) => ({
    route,
    at,
    sentWith: (oversized) => ({
      ...route,
      text: JSON.stringify(marked).replace(JSON.stringify(MARK), () => oversized),
    }),
  }));
}

function within(value: unknown, at: string): { at: string; marked: unknown }[] {
  const whole = { at, marked: MARK as unknown };
  if (typeof value !== "object" || value === null) return [whole];
  if (Array.isArray(value)) {
    const [first, ...rest] = value as unknown[];
    if (value.length === 0) return [whole];
    const inner = within(first, `${at}[0]`);
    return [whole, ...inner.map((one) => ({ at: one.at, marked: [one.marked, ...rest] }))];
  }
  const inner = Object.entries(value).flatMap(([name, field]) =>
    within(field, `${at}.${name}`).map((one) => ({
      at: one.at,
      marked: { ...value, [name]: one.marked },
    })),
  );
  return [whole, ...inner];
}

/** Every segment of a route's path but its fixed beginning, every value of its query, its headers. */
export function wordPlaces(route: Route, fixed: Set<string>): Place[] {
  const segments = route.path.split("/");
  const ofPath = segments.flatMap((segment, index): Place[] => {
    if (segment === "" || fixed.has(segment)) return [];
    const sentWith = (word: string) => ({
      ...route,
      path: segments.with(index, encoded(word)).join("/"),
    });
    return [{ route, at: `segment ${index}`, sentWith }];
  });
  const ofQuery = Object.keys(route.query ?? {}).map((name): Place => ({
    route,
    at: `?${name}`,
    sentWith: (word) => ({ ...route, query: { ...route.query, [name]: word } }),
  }));
  const ofHeaders = ["User-Agent", ...Object.keys(route.headers ?? {})].map((name): Place => ({
    route,
    at: name,
    sentWith: (word) => ({ ...route, headers: { ...route.headers, [name]: encoded(word) } }),
  }));
  return [...ofPath, ...ofQuery, ...ofHeaders];
}

const encoded = (word: string) => encodeURIComponent(word.toWellFormed());

export function addressOf({ path, query = {} }: Route): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}
