import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";

import { ConfigError } from "../config.ts";
import { notJson, QuarryError, reasonOf, type ErrorKind } from "../core/errors.ts";
import { jsonLog, type Log, type LogFacts } from "../core/log.ts";
import { providerReason } from "../ports/models.ts";
import type { AppEnv } from "./app-env.ts";

/** The only place that maps a kind of error to a status. */
const STATUS: Record<ErrorKind, ContentfulStatusCode> = {
  invalid: 400,
  unauthorized: 401,
  "spending-reached": 402,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  "too-large": 413,
  "unsupported-encoding": 415,
  unprocessable: 422,
  "too-many": 429,
  "model-failed": 502,
  busy: 503,
  "limits-unavailable": 503,
  "storage-failed": 503,
  "no-room": 507,
};

type Answer = { status: ContentfulStatusCode; error: string };

/** The error that the caller sees. Any unknown error is a defect: its details are only logged. */
export function errorAnswerOf(thrown: unknown): Answer {
  if (thrown instanceof QuarryError) return { status: STATUS[thrown.kind], error: thrown.message };
  // A setting is wrong: its name helps the one who deploys, and the value is never in the text.
  if (thrown instanceof ConfigError) return { status: 500, error: thrown.message };
  // Hono's validators throw one exception of 400: a body that does not parse.
  if (thrown instanceof HTTPException && thrown.status === 400) {
    return errorAnswerOf(notJson());
  }
  return { status: 500, error: "Internal server error" };
}

/** The app's error handler. */
export function handleError(thrown: unknown, context: Context<AppEnv>): Response {
  const { status, error } = answerAndLog(thrown, context);
  return context.json({ error }, status, CHALLENGES[status]);
}

/** The part of a context that answers of pages have too. */
type ErrorContext = Pick<Context<AppEnv>, "get" | "header">;

/** The caller sees the answer; the rest goes to the log, the time to wait to a header. */
export function answerAndLog(thrown: unknown, context: ErrorContext): Answer {
  const answer = logFailure(thrown, logOf(context));
  const wait = thrown instanceof QuarryError ? thrown.retryAfterSeconds : null;
  if (wait !== null) context.header("Retry-After", String(wait));
  return answer;
}

/** The answer to an error, which is logged where it is ours or a provider's; sets no header. */
export function logFailure(thrown: unknown, log: Log): Answer {
  const answer = errorAnswerOf(thrown);
  const { status, error } = answer;
  log.note?.({ error });
  if (status === 500) log.error("defect", factsOf(thrown));
  if (status > 500) {
    const reason = thrown instanceof Error ? providerReason(thrown) : "";
    log.warn("failed", { status, error: `${reasonOf(thrown)}${reason}` });
  }
  return answer;
}

/** Headers that RFC 9110 requires with a status: how to authenticate, how to encode a body. */
const CHALLENGES: Partial<Record<number, Record<string, string>>> = {
  401: { "WWW-Authenticate": 'Bearer realm="Quarry"' },
  415: { "Accept-Encoding": "identity" },
};

function logOf(context: ErrorContext): Log {
  // Without services (invalid configuration) only the console is available.
  const services: AppEnv["Variables"]["services"] | undefined = context.get("services");
  if (services !== undefined) return services.log;
  return jsonLog().with({ requestId: context.get("requestId") });
}

const FRAMES_LOGGED = 8;

/** Without outer messages: a database error quotes parameters, which may be document text. */
function factsOf(thrown: unknown): LogFacts {
  if (!(thrown instanceof Error)) return { thrown: typeof thrown };
  let cause: Error = thrown;
  while (cause.cause instanceof Error) cause = cause.cause;
  const frames = (thrown.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    error: thrown.name,
    message: cause.message,
    stack: frames.slice(0, FRAMES_LOGGED).join(" |"),
  };
}
