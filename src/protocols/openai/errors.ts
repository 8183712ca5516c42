import type { Context } from "hono";
import type { z } from "zod";

import { invalidField, notFound, QuarryError } from "../../core/errors.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { answerAndLog } from "../../http/errors.ts";
import { TOO_MANY_REQUESTS } from "../../http/middleware/rate-limit.ts";
import { parseOrRefuse } from "../../http/validation.ts";

/* https://platform.openai.com/docs/guides/error-codes: clients choose a class by the status. */

/** A refusal that names the parameter at fault. */
class OpenAiRefusal extends QuarryError {
  readonly param: string | null;

  constructor(param: string | null, message: string) {
    super("invalid", message);
    this.param = param;
  }
}

/** `param` begins the message: "temperature must be at most 2". */
export const refuse = (param: string, rule: string) =>
  new OpenAiRefusal(param, invalidField(param, rule).message);

export class NoSuchModel extends QuarryError {
  constructor(model: string, hint = "see GET /v1/models") {
    super("not-found", `The model \`${model}\` does not exist: ${hint}`);
  }
}

export type OpenAiErrorBody = {
  error: { message: string; type: string; param: string | null; code: string | null };
};

const NOT_VALID = "invalid_request_error";
const SERVER = "server_error";
const NOT_FOUND = "Not found: see GET /v1/models and GET /v1/vector_stores";
const INVALID_KEY =
  "Incorrect API key provided: send a token of this service as Authorization: Bearer.";

const KINDS: Partial<Record<number, { type: string; code: string | null }>> = {
  401: { type: NOT_VALID, code: "invalid_api_key" },
  402: { type: "insufficient_quota", code: "insufficient_quota" },
  403: { type: NOT_VALID, code: "permission_denied" },
  429: { type: "requests", code: "rate_limit_exceeded" },
  500: { type: SERVER, code: null },
  502: { type: SERVER, code: "model_failed" },
  503: { type: SERVER, code: "rate_limiting_unavailable" },
  507: { type: SERVER, code: "insufficient_storage" },
};

function bodyOf(status: number, message: string, thrown?: unknown): OpenAiErrorBody {
  const { type, code } = KINDS[status] ?? { type: NOT_VALID, code: null };
  if (thrown instanceof NoSuchModel) {
    return { error: { message, type, param: "model", code: "model_not_found" } };
  }
  if (thrown instanceof QuarryError && thrown.code === "context-length-exceeded") {
    return { error: { message, type, param: "messages", code: "context_length_exceeded" } };
  }
  const param = thrown instanceof OpenAiRefusal ? thrown.param : null;
  return { error: { message, type, param, code } };
}

export function openAiError(thrown: unknown, context: Context<AppEnv>): Response {
  const { status, error } = answerAndLog(thrown, context);
  if (status === 402) {
    // Clients would try again at once: the limit holds until its period ends.
    context.header("X-Should-Retry", "false");
    return context.json(bodyOf(status, error), 429);
  }
  const message = error === notFound().message ? NOT_FOUND : error;
  if (status !== 401) return context.json(bodyOf(status, message, thrown), status);
  context.header("WWW-Authenticate", 'Bearer realm="Quarry"');
  return context.json(bodyOf(status, INVALID_KEY), status);
}

/** The body of an error, for an answer that has begun. */
export const openAiErrorBody = bodyOf;

export const openAiTooMany = (context: Context<AppEnv>) =>
  context.json(bodyOf(429, TOO_MANY_REQUESTS), 429);

/** @throws OpenAiRefusal that names the first field at fault. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown) {
  try {
    return parseOrRefuse(schema, body);
  } catch (thrown) {
    if (!(thrown instanceof QuarryError) || thrown.kind !== "invalid") throw thrown;
    throw new OpenAiRefusal(thrown.fields[0]?.field ?? null, thrown.message);
  }
}
