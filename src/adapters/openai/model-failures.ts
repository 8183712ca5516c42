import { APICallError, type LanguageModelV4StreamPart } from "@ai-sdk/provider";

import { causeOfFailedFetch } from "../../core/calls/failed-fetch.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import { waitMsIn } from "../../core/time.ts";
import { ModelFailure } from "../../ports/models.ts";
import { ownFailureIn } from "../limited-answer.ts";
import { errorIn, sentenceIn } from "./answer-form.ts";

const RETRYABLE = new Set([408, 425, 429]);
const SERVER_ERROR = 500;
/** Statuses that mean an error. */
const FIRST_ERROR = 400;
const AFTER_ERRORS = 600;

/** Types and codes of errors that pass by themselves; any other, such as a prompt that is too long, does not. */
const PASSING_ERRORS = new Set<unknown>([
  "server_error",
  "overloaded_error",
  "rate_limit_error",
  "rate_limit_exceeded",
  // The model's call could not be read (https://console.groq.com/docs/tool-use).
  "tool_use_failed",
]);
/** LM Studio loads a model again that was unloaded or has crashed. */
const PASSING = /unloaded|crashed|overloaded|try again|timed? ?out|no capacity/i;

const isRetryableStatus = (status: number) => RETRYABLE.has(status) || status >= SERVER_ERROR;

/** `Retry-After` (seconds or a date) or `retry-after-ms`; null without either. */
function retryAfterOf(headers: Record<string, string>, nowMs: number): number | null {
  const exact = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (Number.isFinite(exact)) return Math.max(0, exact);
  return waitMsIn(headers["retry-after"] ?? "", nowMs);
}

/** `body`: what came with the status; a library's error has it as `cause`. */
export function failureOfStatus(
  status: number,
  headers: Record<string, string>,
  { cause, body: text }: { cause?: unknown; body?: string } = {},
): ModelFailure {
  const body = text ?? (APICallError.isInstance(cause) ? (cause.responseBody ?? "") : "");
  const retryAfterMs =
    retryAfterOf(headers, Date.now()) ?? waitMsIn(DELAY.exec(body)?.[1] ?? "", 0);
  const meaning = meaningOf(status, body);
  const own = REFUSED.has(status) ? factsIn(parseJson(body)) : NO_FACTS;
  const isPassing = isRetryableStatus(status) || own.retryable;
  const retryable = isPassing && meaning === "";
  const words = own.isLoading ? " (it is still loading the model)" : meaning;
  const facts = { ...own, status, retryable, retryAfterMs };
  return new ModelFailure(`${status}${words}`, facts, { cause });
}

/** Gemini says how long to wait in the body alone (https://google.aip.dev/193, `RetryInfo`). */
const DELAY = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/;

const NO_FACTS = { reason: null, tooLong: null, isLoading: false, retryable: false };

/** An error in its own words, with whatever status it came. */
function factsIn(answer: unknown) {
  const sentence = sentenceIn(answer)
    ?.slice(0, 4 * MAX_REASON_LENGTH)
    .replaceAll(SECRETS, "…");
  const { type, code } = errorIn(answer) ?? {};
  const isPassing = [type, code].some((name) => PASSING_ERRORS.has(name));
  if (sentence === undefined) return { ...NO_FACTS, retryable: isPassing };
  const reason = sentence.replaceAll(/\s+/g, " ").slice(0, MAX_REASON_LENGTH);
  const tooLong = parseTooLong(code === "context_length_exceeded" ? `${code}: ${reason}` : reason);
  const retryable = tooLong === null && isPassing;
  return { reason, tooLong, isLoading: LOADING.test(reason), retryable };
}

/** The failure behind an error that a provider reports without a status of its own. */
export function failureInAnswer(error: Record<string, unknown>, cause?: unknown): ModelFailure {
  // Some give a status as the code.
  const status = Number(error["code"]);
  if (status >= FIRST_ERROR && status < AFTER_ERRORS) {
    return failureOfStatus(status, {}, { cause, body: JSON.stringify({ error }) });
  }
  const facts = factsIn({ error });
  const retryable = facts.retryable || PASSING.test(facts.reason ?? "");
  return new ModelFailure("the provider reported an error", { ...facts, retryable }, { cause });
}

/** In the words of Ollama, LM Studio, vLLM, llama-server and LiteLLM, near the beginning. */
const NO_MODEL =
  /(?:no such|invalid|unknown) model|no models? loaded|\bmodel\b.{0,200}not (?:found|exist)/is;
const NO_KEY = /api[ _-]?key|authentication|unauthorized|invalid token|no connected db/i;
/** Statuses that servers also use for these. */
const UNSPECIFIC = new Set([400, 403, 422, SERVER_ERROR]);
export const NO_SUCH_MODEL = " (it knows no such model or address)";

/** OpenAI says so with the status of a limit that passes, Anthropic with 400. */
const PAYMENT_REQUIRED = 402;
const NO_CREDIT = /"insufficient_quota"|credit balance is too low/;

function meaningOf(status: number, body: string): string {
  if (status === PAYMENT_REQUIRED || NO_CREDIT.test(body)) return " (no credit or quota is left)";
  const text = UNSPECIFIC.has(status) ? body.slice(0, MAX_REASON_LENGTH) : "";
  if (status === 404 || NO_MODEL.test(text)) return NO_SUCH_MODEL;
  return status === 401 || NO_KEY.test(text) ? " (the key is missing or wrong)" : "";
}

/** Statuses that say that the request is wrong; others may quote the key. llama.cpp's is a 500. */
const REFUSED = new Set([400, 404, 413, 422, 500, 503]);
/** llama-server until its model is in memory: "Loading model". */
const LOADING = /\bloading\b/i;
/** Keys, tokens and addresses of servers. */
const SECRETS = /[a-z]{1,32}:\/\/\S+|\b(?:sk|pk|gsk|key|bearer)[-_ ]\S+|[\w+/=-]{32,}/gi;
const MAX_REASON_LENGTH = 300;

const TOO_LONG =
  /context[ _]?(?:length|size|window)|n_ctx|(?:too (?:long|large)|length of the messages|range of input length)|(?:prompt|input) exceeds max length|exceeds? .{0,80}tokens|model token limit|token count (?:of|exceeds)|prompt length|tokens in the prompt|`inputs` tokens|less than \d+ tokens/i;
/** The limit of the answer is too high, whatever the prompt. */
const OF_ANSWER = /completion tokens/i;
const THOUSANDS = /(?<=\d),(?=\d{3})/g;
const FIGURES = /(?<![\w.<-])\d{2,7}(?![\w.-]*\d|(?: input)? characters)/g;
/** In tokens: a smaller limit is that of another field, such as a name. */
const MIN_LIMIT = 100;
const LIMIT = /(?:n_ctx\W{1,3}|> |limit (?:is|of) |(?<!rent )length (?:is|of)(?: only)? )(\d{2,7})/;

/**
 * Servers name an input's tokens, the limit and the answer's tokens, in any order: "input (705
 * tokens) is too large … (current batch size: 512)" of llama-server, "maximum context length is 2048
 * tokens. However, you requested 100 output tokens and your prompt contains at least 1949" of vLLM
 * (https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-context.cpp,
 * https://github.com/vllm-project/vllm/blob/main/vllm/renderers/params.py). Ollama: none.
 */
function parseTooLong(sentence: string): ModelFailure["tooLong"] {
  if (!TOO_LONG.test(sentence) || OF_ANSWER.test(sentence)) return null;
  const text = sentence.replace(THOUSANDS, "");
  const figures = (text.match(FIGURES) ?? []).map(Number);
  const match = LIMIT.exec(text);
  const [first, second] = figures;
  if (match === null && (second === undefined || first === second))
    return { sent: null, limit: null };
  const limit = match === null ? Math.min(...figures.slice(0, 2)) : Number(match[1]);
  if (limit < MIN_LIMIT) return null;
  const largest = Math.max(...figures);
  // vLLM stops counting at the limit.
  return { sent: largest > limit && !text.includes("at least") ? largest : null, limit };
}

/** Turns errors of the SDK into ModelFailure; aborts pass unchanged. */
function asModelFailure(thrown: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return thrown;
  const own = ownFailureIn(thrown);
  if (own !== null) return own;
  const cause = { cause: thrown };
  if (APICallError.isInstance(thrown)) {
    const { statusCode, responseHeaders } = thrown;
    if (statusCode === undefined) {
      return new ModelFailure("connection failed", { retryable: true }, cause);
    }
    if (statusCode >= FIRST_ERROR) return failureOfStatus(statusCode, responseHeaders ?? {}, cause);
    return new ModelFailure(problemOf(thrown.cause), { retryable: true }, cause);
  }
  if (isLostConnection(thrown)) {
    const message = `connection failed${causeOfFailedFetch(thrown)}`;
    return new ModelFailure(message, { retryable: true }, cause);
  }
  return new ModelFailure("unusable reply", {}, cause);
}

/** Why an answer that has begun is useless: it broke off, is no JSON, or has another form. */
function problemOf(thrown: unknown): string {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    if (!OF_CONTENT.test(at.name)) return "the connection broke";
  }
  return "unreadable reply";
}
const OF_CONTENT = /^(?:AI_|SyntaxError|\$?ZodError)/;

/**
 * workerd throws an `Error` where nothing listens, a name is unknown or a connection breaks
 * ("Network connection lost.", "internal error; …"), mostly with `remote` or `retryable`; Node.js
 * throws a `TypeError`.
 */
const isLostConnection = (thrown: unknown) =>
  thrown instanceof TypeError ||
  (thrown instanceof Error &&
    ("remote" in thrown || "retryable" in thrown || causeOfFailedFetch(thrown) !== ""));

export async function translateFailures<T>(work: PromiseLike<T>, signal: AbortSignal | undefined) {
  try {
    return await work;
  } catch (thrown) {
    throw asModelFailure(thrown, signal);
  }
}

type Parts = ReadableStream<LanguageModelV4StreamPart>;

/** A stream that fails, or reports a failure, ends with an `error` part that is ours. */
export function translateStream(stream: Parts, signal: AbortSignal | undefined): Parts {
  const reader = stream.getReader();
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        const part = await reader.read().then(
          ({ value }) => value,
          (error: unknown) => ({ type: "error" as const, error }),
        );
        if (part === undefined) return controller.close();
        if (part.type !== "error") return controller.enqueue(part);
        controller.enqueue({ type: "error", error: failureInStream(part.error, signal) });
        controller.close();
        await reader.cancel().catch(() => undefined);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/**
 * A cut connection, an event that cannot be read, or the provider's own error in an event: an
 * object with `type` and `code`, https://platform.openai.com/docs/guides/error-codes. Some
 * providers give a status as the code.
 */
function failureInStream(thrown: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return thrown;
  const own = ownFailureIn(thrown);
  if (own !== null) return own;
  const cause = { cause: thrown };
  if (thrown instanceof Error || !isObject(thrown)) {
    return new ModelFailure(problemOf(thrown), { retryable: true }, cause);
  }
  return failureInAnswer(thrown, thrown);
}
