import { parsedJson } from "../../core/input/parsed-json.ts";
import { isObject } from "../../core/is-object.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { mappedLines } from "../event-lines.ts";

type Body = Record<string, unknown>;
type Fetch = typeof globalThis.fetch;

const without = ({ ...body }: Body, ...fields: string[]): Body => {
  for (const field of fields) delete body[field];
  return body;
};

/**
 * Fields that a model may refuse, and what is sent instead. OpenAI's reasoning models:
 * https://platform.openai.com/docs/guides/reasoning
 */
const INSTEAD: Record<string, (body: Body) => Body> = {
  max_tokens: ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens }),
  temperature: (body) => without(body, "temperature"),
  response_format: (body) => without(body, "response_format"),
  tool_choice: (body) => without(body, "tool_choice"),
  stream: (body) => without(body, "stream", "stream_options"),
};
const REFUSED = new Set([400, 422]);
/**
 * Modes that a server may lack, and statuses by which it says so without naming them:
 * llama-cpp-python answers 500 to a schema and to a required call
 * (https://github.com/abetlen/llama-cpp-python/blob/main/llama_cpp/llama_chat_format.py).
 */
const MODES: Record<string, (value: unknown, status: number) => boolean> = {
  response_format: (value, status) =>
    isObject(value) && value["type"] === "json_schema" && MODE_REFUSED.has(status),
  tool_choice: (value, status) => value === "required" && MODE_REFUSED.has(status),
  stream: (value, status) => value === true && STREAM_REFUSED.has(status),
};
const MODE_REFUSED = new Set([400, 404, 415, 422, 500, 501]);
const STREAM_REFUSED = new Set([400, 422, 501]);
const UNSUPPORTED = /^unsupported_/;
/** Gateways such as LiteLLM keep only the message of an error, which names the field. */
const IN_WORDS: Record<string, RegExp> = {
  max_tokens: /\bmax_completion_tokens\b/,
  temperature: /\btemperature\b/,
};

/** A server may have failed for another reason, or be another one after a while. */
const REFUSED_FOR_MS = 10 * MINUTE_MS;
/** Until when a field is left out, ms, by server, model and field. */
const refusedUntil = new Map<string, number>();

/** Sends a chat request without the fields that the model refuses, and reads its tool calls. */
export const chatFetch =
  (fetch: Fetch, server: string): Fetch =>
  async (input, init) => {
    const body = parsedJson(typeof init?.body === "string" ? init.body : "");
    if (!isObject(body)) return await fetch(input, init);
    const keyOf = (field: string) => `${server} ${String(body["model"])} ${field}`;
    const isRefused = (field: string) => (refusedUntil.get(keyOf(field)) ?? 0) > Date.now();
    const refusedFields = new Set(Object.keys(INSTEAD).filter(isRefused));
    const send = async () => {
      const fields = [...refusedFields].filter((field) => field in body);
      const sentBody = fields.reduce((rest, field) => INSTEAD[field]?.(rest) ?? rest, body);
      const changed = fields.length === 0 ? {} : { body: JSON.stringify(sentBody) };
      return await fetch(input, { ...init, ...changed });
    };
    const isStreamed = body["stream"] === true;
    const fresh: string[] = [];
    let response = await send();
    for (const _ of Object.keys(INSTEAD)) {
      const field = await refusedField(response, body, refusedFields);
      if (field === undefined) break;
      refusedFields.add(field);
      fresh.push(field);
      await response.body?.cancel();
      response = await send();
    }
    if (response.ok) {
      for (const field of fresh) refusedUntil.set(keyOf(field), Date.now() + REFUSED_FOR_MS);
    }
    return withTextArguments(isStreamed ? asStream(response) : response);
  };

/** Some servers and gateways answer as a whole what is to be streamed: then it is one event. */
function asStream(response: Response): Response {
  const { body, headers, ok } = response;
  if (body === null || !ok || isStream(headers)) return response;
  const event = mappedLines(body, (text) => [`data: ${asDelta(text)}\n\ndata: [DONE]\n\n`], {
    whole: true,
  });
  return new Response(event, { headers: { "content-type": "text/event-stream" } });
}

const isStream = (headers: Headers) =>
  headers.get("content-type")?.includes("event-stream") === true;

function asDelta(text: string): string {
  const answer = parsedJson(text);
  if (!isObject(answer) || !Array.isArray(answer["choices"])) return text.replaceAll("\n", " ");
  for (const choice of answer["choices"].filter(isObject)) choice["delta"] = choice["message"];
  return JSON.stringify(answer);
}

async function refusedField(response: Response, body: Body, refusedFields: ReadonlySet<string>) {
  const { status } = response;
  const answer = REFUSED.has(status) ? parsedJson(await response.clone().text()) : null;
  const error = isObject(answer) && isObject(answer["error"]) ? answer["error"] : {};
  const isNamed = (field: string) =>
    typeof error["param"] === "string"
      ? error["param"] === field && UNSUPPORTED.test(String(error["code"]))
      : IN_WORDS[field]?.test(String(error["message"])) === true;
  const fields = Object.keys(INSTEAD).filter((field) => field in body && !refusedFields.has(field));
  return fields.find(isNamed) ?? fields.find((field) => MODES[field]?.(body[field], status));
}

/** Some servers send the arguments of a tool call as an object instead of its JSON. */
function withTextArguments(response: Response): Response {
  const { body, headers, ok } = response;
  if (body === null || !ok) return response;
  const lines = isStream(headers)
    ? mappedLines(body, (line) => [`${DATA.test(line) ? asText(line) : line}\n`])
    : mappedLines(body, (text) => [asText(text)], { whole: true });
  return new Response(lines, response);
}

const DATA = /^data:/;
/** Quotes inside a string are escaped in JSON: this cannot be text of the model. */
const OBJECT_ARGUMENTS = /"arguments"\s*:\s*\{/;

function asText(event: string): string {
  if (!OBJECT_ARGUMENTS.test(event)) return event;
  const [before = ""] = DATA.exec(event) ?? [];
  const answer: unknown = JSON.parse(event.slice(before.length), function (this: Body, key, value) {
    const isCall = key === "arguments" && typeof this["name"] === "string" && isObject(value);
    return isCall ? JSON.stringify(value) : (value as unknown);
  });
  return `${before}${JSON.stringify(answer)}`;
}
