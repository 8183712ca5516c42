import { z, type RouteConfig } from "@hono/zod-openapi";

/** The groups of the panel API's reference, in its order. */
export const TAGS = {
  session: "Signing in: one's own session, password and second factor.",
  users: "Users, their sessions, and automation keys.",
  sources: "Where documents come from, their files and scans.",
  rags: "Sets of indexed documents: settings, index, searches to try.",
  answers: "Inferences and agents: a prompt, a model and linked RAGs.",
  evaluation: "Question sets, and runs that measure what is found and answered.",
  tokens: "Access tokens for programs.",
  service: "Models and prices, usage, overview, audit trail.",
};

type Method = "get" | "post" | "put" | "patch" | "delete";

/** What a route answers: a schema for JSON, a media type for what is not, null for no body. */
type Answer = { schema: z.ZodType } | { mediaType: string } | null;

type Described = {
  summary: string;
  description: string;
  query?: z.ZodObject;
  /** The very schema that the route checks its JSON body with. */
  body?: z.ZodType;
  /** Of a body that is not JSON. */
  bytes?: string;
  answers: Partial<Record<200 | 201 | 202 | 204, Answer>>;
  /** Beyond those that every route may answer with. */
  errors?: number[];
};

const ErrorAnswer = z.object({ error: z.string() }).openapi("Error");

const ERRORS: Record<number, string> = {
  400: "The request is not valid; the message names each field.",
  401: "No session and no key, or one that has ended.",
  403: "The caller's role does not permit it, or the request came from a foreign page.",
  404: "There is nothing of this id or name.",
  409: "The identifier is taken, or the resource is in use.",
  413: "The body is larger than the route takes.",
  415: "The body is encoded; it must be sent as it is.",
  422: "It cannot be done as things stand; the message says why.",
  429: "Too many attempts; Retry-After says when the next may be made.",
  500: "A defect of the service; the log has it under the request's id.",
  502: "A provider failed.",
  503: "A store that is needed cannot be reached.",
};
const ALWAYS = [400, 401, 403, 429, 500, 503];

const OK: Record<string, string> = {
  200: "Done.",
  201: "Created.",
  202: "Taken up; it goes on in the background.",
  204: "Gone.",
};

/** One entry of the document, from a route's method and path (`/rags/{id}`). */
export function described(
  tag: keyof typeof TAGS,
  method: Method,
  path: string,
  route: Described,
): RouteConfig {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const params = z.object(Object.fromEntries(names.map((name) => [name, PARAMETERS[name] ?? id])));
  const errors = [...ALWAYS, ...(names.length > 0 ? [404] : []), ...(route.errors ?? [])];
  const { body, bytes, query } = route;
  return {
    method,
    path,
    tags: [tag],
    operationId: operationIdOf(method, path),
    summary: route.summary,
    description: route.description,
    request: {
      ...(names.length > 0 ? { params } : {}),
      ...(query === undefined ? {} : { query }),
      ...(body === undefined
        ? {}
        : { body: { required: true, content: { "application/json": { schema: body } } } }),
      ...(bytes === undefined
        ? {}
        : { body: { required: true, content: { [bytes]: { schema: binary } } } }),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [
          status,
          { description: OK[status] ?? "", ...contentOf(answer) },
        ]),
      ),
      ...Object.fromEntries(
        errors.map((status) => [
          status,
          {
            description: ERRORS[status] ?? "",
            content: { "application/json": { schema: ErrorAnswer } },
          },
        ]),
      ),
    },
  };
}

const id = z.string().openapi({ description: "The id or the identifier." });
const PARAMETERS: Record<string, z.ZodType> = {
  path: z.string().openapi({ description: "The file's path, percent-encoded; with slashes." }),
};
const binary = z.string().openapi({ format: "binary" });

function contentOf(answer: Answer) {
  if (answer === null) return {};
  if ("schema" in answer) return { content: { "application/json": { schema: answer.schema } } };
  return { content: { [answer.mediaType]: { schema: z.string() } } };
}

/** `get /rags/{id}/passages` → `getRagsIdPassages`. */
const operationIdOf = (method: Method, path: string) =>
  method +
  path
    .split(/[^a-z]+/i)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");

const LIMIT_MAX = 100;
export const paging = z.object({
  page: z.int().min(1).default(1).optional(),
  limit: z.int().min(1).max(LIMIT_MAX).default(20).optional(),
});

/** One page of a list, as `pageOf` answers it. */
export const listOf = (item: z.ZodType) => ({
  schema: z.object({ data: z.array(item), total: z.int(), page: z.int(), limit: z.int() }),
});

/** A time as every answer has it. */
export const time = z.iso.datetime();
export const queued = { schema: z.object({ queued: z.literal(true) }).openapi("Queued") };
