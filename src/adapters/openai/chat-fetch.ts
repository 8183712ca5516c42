import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { answerIn, errorIn, sentenceIn, normalizeStream } from "./answer-form.ts";
import { failureInAnswer } from "./model-failures.ts";

type Body = Record<string, unknown>;
type Fetch = typeof globalThis.fetch;

const omitFields = ({ ...body }: Body, ...fields: string[]): Body => {
  for (const field of fields) delete body[field];
  return body;
};

/**
 * Sent after a refusal that names it: NVIDIA's embedding models need it, other servers refuse it
 * (https://docs.nvidia.com/nim/nemo-retriever/embedding/latest/reference.html).
 */
const ONLY_IF_REQUIRED = "input_type";

/**
 * Fields that a model may refuse, and what is sent instead. OpenAI's reasoning models:
 * https://platform.openai.com/docs/guides/reasoning
 */
const INSTEAD: Record<string, (body: Body) => Body> = {
  max_tokens: ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens }),
  temperature: (body) => omitFields(body, "temperature"),
  response_format: (body) => omitFields(body, "response_format"),
  tool_choice: (body) => omitFields(body, "tool_choice"),
  stream: (body) => omitFields(body, "stream", "stream_options"),
  messages: ({ messages, ...body }) => ({ ...body, messages: alternateTurns(messages) }),
  content: withoutNullContent,
  thoughts: withoutThoughts,
  reasoning_content: (body) => completeAnswers(body, { reasoning_content: "" }, {}),
  thought_signature: (body) => completeAnswers(body, {}, UNSIGNED),
  encoding_format: (body) => omitFields(body, "encoding_format"),
  [ONLY_IF_REQUIRED]: (body) => omitFields(body, ONLY_IF_REQUIRED),
  texts: (body) => omitFields(body, "texts"),
  top_n: ({ top_n, ...body }) => ({ ...body, top_k: top_n }),
};
const REFUSED = new Set([400, 422, 500]);
/** Fields of earlier messages that some models require, and others refuse. */
const OF_MESSAGES = new Set(["content", "thoughts", "reasoning_content", "thought_signature"]);
/** https://ai.google.dev/gemini-api/docs/thought-signatures: for calls that have none */
const UNSIGNED = {
  extra_content: { google: { thought_signature: "skip_thought_signature_validator" } },
};
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
  // LiteLLM before models of Gemini and Bedrock (https://github.com/BerriAI/litellm/issues/33173).
  encoding_format: /\bencoding_format\b/,
  [ONLY_IF_REQUIRED]: /\binput_type\b/,
  // LM Studio, of an answer that is calls alone (lmstudio-ai/lmstudio-bug-tracker#261).
  content: /\bcontent\b.{0,40}\bstring\b/,
  // Groq, Cerebras and Mistral (https://github.com/QwenLM/qwen-code/issues/11045).
  thoughts:
    /reasoning_content\b.{0,200}(?:unsupported|not permitted)|extra_forbidden.{0,200}reasoning_content/s,
  // DeepSeek (https://api-docs.deepseek.com/guides/thinking_mode), Moonshot.
  reasoning_content: /\breasoning_content\b.{0,60}(?:passed back|missing)/,
  thought_signature: /\bthought_signature\b/,
  // Voyage (https://docs.voyageai.com/reference/reranker-api).
  texts: /'texts' is not supported/,
  top_n: /'top_n' is not supported/,
  // Chat templates of Gemma, of Mistral 7B and of Ministral.
  messages: /\broles? (?:must alternate|not supported)|\broles are supported/i,
};
const MAX_SENTENCE_LENGTH = 2_000;
/** Codes of errors that concern none of these fields. */
const OF_NO_FIELD = /^(?:context_length|content_filter|model_not_found|tool_use)/;

/** A server may have failed for another reason, or be another one after a while. */
const REFUSED_FOR_MS = 10 * MINUTE_MS;
/** Until when a field is left out, ms, by server, model and field. */
const refusedUntil = new Map<string, number>();

const isIn = (body: Body, field: string) => (OF_MESSAGES.has(field) ? "messages" : field) in body;

const bodyOf = (init: RequestInit | undefined) =>
  parseJson(typeof init?.body === "string" ? init.body : "");

/** Sends a chat request without the fields that the model refuses, and reads answers of any form. */
export const chatFetch =
  (fetch: Fetch, server: string): Fetch =>
  async (input, init) => {
    const body = bodyOf(init);
    const response = await tolerantFetch(fetch, server)(input, init);
    return await normalizeResponse(response, isObject(body) && body["stream"] === true);
  };

/** Sends a request without the fields that the model refuses. */
export const tolerantFetch =
  (fetch: Fetch, server: string): Fetch =>
  async (input, init) => {
    const body = bodyOf(init);
    if (!isObject(body)) return await fetch(input, init);
    const keyOf = (field: string) => `${server} ${String(body["model"])} ${field}`;
    const isRefused = (field: string) => (refusedUntil.get(keyOf(field)) ?? 0) > Date.now();
    const refusedFields = new Set(Object.keys(INSTEAD).filter(isRefused));
    const isChanged = (field: string) => refusedFields.has(field) !== (field === ONLY_IF_REQUIRED);
    const send = async () => {
      const fields = Object.keys(INSTEAD).filter((field) => isIn(body, field) && isChanged(field));
      const sentBody = fields.reduce((rest, field) => INSTEAD[field]?.(rest) ?? rest, body);
      const changed = fields.length === 0 ? {} : { body: JSON.stringify(sentBody) };
      return await fetch(input, { ...init, ...changed });
    };
    const fresh: string[] = [];
    let response = await send();
    for (const _ of Object.keys(INSTEAD)) {
      const field = await refusedFieldIn(response, body, refusedFields);
      if (field === undefined) break;
      refusedFields.add(field);
      fresh.push(field);
      await response.body?.cancel();
      response = await send();
    }
    if (response.ok) {
      for (const field of fresh) refusedUntil.set(keyOf(field), Date.now() + REFUSED_FOR_MS);
    }
    return response;
  };

/** The answer as the SDK's model reads it. @throws ModelFailure for a whole one with an error */
async function normalizeResponse(response: Response, isStreamed: boolean): Promise<Response> {
  if (response.body === null || !response.ok) return response;
  if (isStreamed) return new Response(normalizeStream(response.body));
  const text = await response.text();
  const answer = answerIn(parseJson(text), "message");
  if (answer === null) return new Response(text, response);
  if ("error" in answer) throw failureInAnswer(answer.error);
  return Response.json(answer);
}

async function refusedFieldIn(response: Response, body: Body, refusedFields: ReadonlySet<string>) {
  const { status } = response;
  const text = REFUSED.has(status) ? await response.clone().text() : "";
  const answer = parseJson(text);
  const { param, code } = errorIn(answer) ?? {};
  const sentence = sentenceIn(answer) ?? "";
  const isNamed = (field: string) =>
    OF_MESSAGES.has(field)
      ? IN_WORDS[field]?.test(text.slice(0, MAX_SENTENCE_LENGTH)) === true
      : typeof param === "string" && param !== ""
        ? param === field && UNSUPPORTED.test(String(code))
        : IN_WORDS[field]?.test(sentence) === true;
  const fields = Object.keys(INSTEAD).filter(
    (field) => isIn(body, field) && !refusedFields.has(field),
  );
  const mode = fields.find((field) => MODES[field]?.(body[field], status));
  return fields.find(isNamed) ?? (OF_NO_FIELD.test(String(code)) ? undefined : mode);
}

function withoutThoughts({ messages, ...body }: Body): Body {
  return {
    ...body,
    messages: listOf(messages).map((each) => omitFields(each, "reasoning_content")),
  };
}

/** Some servers take no null for the text of an answer that is calls alone. */
export function withoutNullContent({ messages, ...body }: Body): Body {
  const complete = (message: Body) =>
    message["content"] === null ? { ...message, content: "" } : message;
  return { ...body, messages: listOf(messages).map(complete) };
}

/** Adds fields to earlier answers, and to the calls in them, that lack these. */
function completeAnswers({ messages, ...body }: Body, ofAnswer: object, ofCall: object): Body {
  const complete = (message: Body): Body => {
    const { role, tool_calls: calls } = message;
    if (role !== "assistant") return message;
    const answer = { ...ofAnswer, ...message };
    if (!Array.isArray(calls)) return answer;
    return { ...answer, tool_calls: calls.map((call: object) => Object.assign({}, ofCall, call)) };
  };
  return { ...body, messages: listOf(messages).map(complete) };
}

const listOf = (messages: unknown) => (Array.isArray(messages) ? messages.filter(isObject) : []);

/** For chat templates without a system role, or that take turns one by one: texts are turns. */
function alternateTurns(messages: unknown): unknown[] {
  const turns: Body[] = [];
  for (const message of listOf(messages)) {
    const role = message["role"] === "system" ? "user" : message["role"];
    const last = turns.at(-1);
    const texts = [last?.["content"], message["content"]];
    const isNext = last?.["role"] === role && texts.every((text) => typeof text === "string");
    if (isNext) turns.splice(-1, 1, { ...last, content: texts.join("\n\n") });
    else turns.push({ ...message, role });
  }
  return turns;
}
