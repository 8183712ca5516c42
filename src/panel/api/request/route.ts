import { z } from "@hono/zod-openapi";
import type { MiddlewareHandler, HonoRequest } from "hono";

import type { AuditAction } from "../../../access/audit/audit-actions.ts";
import type { PanelCaller } from "../../../access/sessions/find-panel-caller.ts";
import { invalidField, notJson } from "../../../core/errors.ts";
import { pointInTime } from "../../../core/input/input-fields.ts";
import { parseJson } from "../../../core/input/parse-json.ts";
import { DAY_MS } from "../../../core/time.ts";
import type { AppEnv } from "../../../http/app-env.ts";
import type { Services } from "../../../services.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";
export type Success = 200 | 201 | 202;
export type Route = `${Method} /${string}`;

/** Administrators and their keys; everybody who is signed in; anybody. */
export type Who = "admins" | "members" | "anybody";

/** The parameters of an address: `{id}`, `{path}` of a file, or another parameter. */
export type Address = { key: string; path: string; param: (name: string) => string };
export type Find<Subject> = (services: Services, address: Address) => Promise<Subject> | Subject;

export type Facts<Query, Body> = {
  query?: Query | undefined;
  /** Schema of the body. */
  body?: Body | undefined;
  /** False: the handler checks the JSON body itself. */
  isParsed?: boolean;
  /** Media types of a body that is not JSON; the handler reads it. */
  bytes?: string[];
  /** Schema of `{id}` where it is chosen from names of ours. */
  id?: z.ZodType;
  /** Statuses beyond those that every route may answer with. */
  errors?: number[];
  before?: MiddlewareHandler[];
  find?: Find<unknown>;
  /** Who may call it; absent: everybody who is signed in a GET, administrators what is none. */
  by?: Who;
  /** The name of a change, for the audit trail. */
  name?: AuditAction;
};

/** An answer of a route: JSON of a schema, another media type, or nothing. */
export type Answer = { schema?: z.ZodType; mediaTypes?: string[] | undefined } | null;
export function aboutOf(about: string) {
  const [summary = "", ...rest] = about.split(". ");
  return { summary, description: rest.join(". ") };
}

const id = z.string().openapi({ description: "The id or the identifier.", example: "sample" });
const filePath = z.string().openapi({
  description: "The file's path, percent-encoded; with slashes.",
  example: "handbook/leave.md",
});
const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

const binary = z.string().openapi({ format: "binary" });

export function requestOf(path: string, facts: Facts<z.ZodObject, z.ZodType>) {
  const { body: json, bytes, query } = facts;
  const schemas: Record<string, z.ZodType> = { path: filePath, id: facts.id ?? id };
  const params = namesIn(path).map((name): [string, z.ZodType] => [name, schemas[name] ?? id]);
  const types = bytes ?? (json === undefined ? [] : ["application/json"]);
  const schema = json ?? binary;
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  // An absent body is an empty object, and an empty file.
  const required = json === undefined ? bytes?.[0] === "text/csv" : !json.safeParse({}).success;
  return {
    ...(params.length > 0 ? { params: z.object(Object.fromEntries(params)) } : {}),
    ...(query === undefined ? {} : { query }),
    ...(types.length === 0 ? {} : { body: { required, content } }),
  };
}

const ErrorAnswer = z.object({ error: z.string() }).openapi("Error");

const ERRORS: Record<number, string> = {
  400: "The request is not valid; the message names each field.",
  401: "No session and no key, or one that has ended.",
  403: "The caller's role does not permit it, or the request came from a foreign page.",
  404: "No resource has this id or identifier.",
  409: "The identifier is taken, or the resource is in use.",
  413: "The body is larger than the route takes.",
  415: "The body has a Content-Encoding; send it uncompressed.",
  422: "Not possible in the current state; the message says why.",
  429: "Too many attempts; Retry-After says when to try again.",
  500: "Internal error. The log has it under the request id.",
  502: "A provider failed.",
  503: "A required store cannot be reached.",
  507: "The storage is full.",
};
const ALWAYS = [400, 401, 403, 429, 500, 503, 507];
const OK: Record<string, string> = {
  200: "Done.",
  201: "Created.",
  202: "Accepted; the work continues in the background.",
  204: "Gone.",
};

export function responsesOf(
  path: string,
  { body, bytes = [], errors: more = [] }: Facts<z.ZodObject, z.ZodType>,
  answers: Record<number, Answer>,
) {
  const ofBody = body === undefined && bytes.length === 0 ? [] : [413, 415];
  const errors = [...ALWAYS, ...(namesIn(path).length > 0 ? [404] : []), ...ofBody, ...more];
  const error = { "application/json": { schema: ErrorAnswer } };
  return Object.fromEntries([
    ...Object.entries(answers).map(
      ([status, answer]) =>
        [status, { description: OK[status] ?? "", ...contentOf(answer) }] as const,
    ),
    ...errors.map(
      (status) => [status, { description: ERRORS[status] ?? "", content: error }] as const,
    ),
  ]);
}

function contentOf(answer: Answer) {
  if (answer === null) return {};
  const { schema, mediaTypes = [] } = answer;
  const json = schema === undefined ? {} : { "application/json": { schema } };
  const formats = mediaTypes.map((type) => [
    type,
    { schema: type === "text/plain" ? z.string() : binary },
  ]);
  return { content: { ...json, ...Object.fromEntries(formats) } };
}

/** A class that generators make in PHP has this method. */
const METHOD_OF_CLASSES = /^getConfig$/;

/** `get /rags/{id}/passages` → `getRagsIdPassages`. */
export const operationIdOf = (method: Method, path: string) =>
  path
    .split(/[^a-z]+/i)
    .reduce((id, word) => id + word.slice(0, 1).toUpperCase() + word.slice(1), method)
    .replace(METHOD_OF_CLASSES, "getConfigFile");

/** @throws QuarryError `invalid` when the body is not JSON. */
export async function jsonOf(request: HonoRequest): Promise<unknown> {
  const json = parseJson(await request.text());
  if (json === undefined) throw notJson();
  return json;
}

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 20;
/** Keeps `page × limit` an integer that every store can count with. */
const MAX_PAGE = 1_000_000_000;

/** `?page&limit` of a list. */
export const paging = z.object({
  page: z.coerce.number().int().min(1).max(MAX_PAGE).default(1),
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
});

export type Paging = { page: number; limit: number; offset: number };

const DAY_LENGTH = "2026-11-25".length;

/** `?from&to` of what has a time, as ms; `to` is exclusive, and a day alone is meant whole. */
export const span = {
  from: pointInTime.transform((text) => Date.parse(text)).optional(),
  to: pointInTime
    .transform((text) => Date.parse(text) + (text.length === DAY_LENGTH ? DAY_MS : 0))
    .optional(),
};

/** For fields fixed at creation. @throws QuarryError `invalid` when a patch differs. */
export function refuseChange(field: string, current: string, value: string | undefined): void {
  if (value !== undefined && value !== current) throw invalidField(field, "cannot be changed");
}

/** Bindings and variables in the context of every handler behind the sign-in. */
export type PanelEnv = {
  Bindings: AppEnv["Bindings"];
  Variables: AppEnv["Variables"] & { caller: PanelCaller };
};
