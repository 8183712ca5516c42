import { z } from "@hono/zod-openapi";

import { headersOf, type HeaderName } from "./headers.ts";

const ErrorBody = z
  .object({ error: z.string().describe("The reason, in one line.") })
  .openapi("Error");

/** Every error that a published operation may answer with, and when. */
const ERRORS = {
  400: [
    "The request is not valid; the message lists the failing fields.",
    "Invalid request: body is not valid JSON",
  ],
  401: ["The token is missing or unknown.", "Unauthorized"],
  403: ["The token does not cover the resource.", "Forbidden"],
  404: ["The identifier does not exist.", "Not found"],
  409: ["The scope is already in the list.", "Scope already exists"],
  413: ["The body is larger than 1 MiB.", "Payload too large"],
  415: [
    "The body has a Content-Encoding; it must be sent as it is.",
    "Unsupported content encoding: send the body as it is",
  ],
  422: ["The RAG is in global mode: it has no scope list.", "RAG is in global scope mode"],
  429: ["The request rate is exceeded.", "Too many requests"],
  500: ["Internal error. The log has it under the request id.", "Internal server error"],
  502: ["The model provider failed.", "Model call failed: provider answered 503"],
  503: ["The rate-limit store or the storage cannot be reached.", "Rate limiting unavailable"],
  507: [
    "The storage is full or cannot be written.",
    "No room: the storage is full or cannot be written",
  ],
} as const;

type Status = keyof typeof ERRORS;

/** Beyond those of every rate-limited answer; without a count there is no budget to report. */
const HEADERS: Partial<Record<Status, HeaderName[]>> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
};

/** The entry of a route's `responses` for one status. */
function errorResponse(status: Status, example: string = ERRORS[status][1]) {
  const [description] = ERRORS[status];
  const content = { "application/json": { schema: ErrorBody, example: { error: example } } };
  return { description, content, headers: headersOf(HEADERS[status], status !== 503) };
}

type Responses<Statuses extends Status> = { [S in Statuses]: ReturnType<typeof errorResponse> };

/** `responses` for these statuses, and for those that every operation may answer with. */
export function errorResponses<Statuses extends Status = never>(...statuses: Statuses[]) {
  const all: Status[] = [401, ...statuses, 429, 500, 503, 507];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of exactly these statuses
  return Object.fromEntries(all.map((status) => [status, errorResponse(status)])) as Responses<
    Statuses | 401 | 429 | 500 | 503 | 507
  >;
}

/** The 400 of a route, with its message when one of the route's own fields is wrong. */
export const invalidRequest = (problems: string): Responses<400> => ({
  400: errorResponse(400, `Invalid request: ${problems}`),
});
