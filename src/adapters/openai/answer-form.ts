import { parsedJson } from "../../core/input/parsed-json.ts";
import { isObject } from "../../core/is-object.ts";

type Json = Record<string, unknown>;
/** An answer in OpenAI's form, or the error that it tells of; null: neither. */
type Answer = { choices: Json[]; usage: unknown } | { error: Json } | null;
/** Where a choice has its text: in a stream, or whole. */
type Place = "delta" | "message";

/**
 * Names of ends at a limit: of Gemini (https://ai.google.dev/api/generate-content#FinishReason), GLM
 * (https://docs.z.ai/api-reference/llm/chat-completion), Anthropic
 * (https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons).
 */
const LIMITS: [RegExp, string][] = [
  [/^(?:length|max_(?:output_)?tokens|model_context_window_exceeded)$/i, "length"],
  [
    /^(?:content_filter|sensitive|safety|recitation|blocklist|prohibited_content|spii)$/i,
    "content_filter",
  ],
];
/**
 * The provider broke off: also of OpenRouter
 * (https://openrouter.ai/docs/api-reference/errors) and DeepSeek
 * (https://api-docs.deepseek.com/api/create-chat-completion).
 */
const BROKEN_OFF =
  /^(?:error|abort|network_error|insufficient_system_resource|malformed_function_call)$/i;

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

/** The error that an answer tells of in spite of its status 200. */
export function errorIn(answer: unknown): Json | null {
  const first = firstOf(answer);
  if (!isObject(first)) return null;
  const error = firstOf(first["error"]);
  if (isObject(error) && Object.keys(error).length > 0) return error;
  if (typeof error === "string" && error !== "") return { ...first, message: error };
  const isCoded = "code" in first && (first["choices"] ?? first["data"]) === undefined;
  const isError = first["object"] === "error" || isCoded;
  return isError && typeof first["message"] === "string" ? first : null;
}

const ERROR_DEPTH = 5;
/**
 * Where the sentence of an error is: TEI's `error` is it, OpenRouter has the provider's own in
 * `metadata.raw` (https://openrouter.ai/docs/api-reference/errors).
 */
const SENTENCES = ["metadata", "raw", "error", "message", "detail", "msg"];

export function sentenceIn(error: unknown, depth = ERROR_DEPTH): string | null {
  if (typeof error === "string" && error !== "") return error;
  if (depth === 0) return null;
  if (Array.isArray(error)) return sentenceIn(error[0], depth - 1);
  if (!isObject(error)) return null;
  const sentences = SENTENCES.map((name) => sentenceIn(error[name], depth - 1));
  return sentences.find((sentence) => sentence !== null) ?? null;
}

const DATA = /^data:\s*/;
const BEGINS_JSON = /^\s*[[{]/;
const eventOf = (data: string) => `data: ${data}\n\n`;

/**
 * Turns a streamed answer into events in OpenAI's form. It may be one JSON text, whatever its
 * header says; after `[DONE]` nothing is waited for.
 */
export function streamInForm(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const { readEvent, last } = eventReader();
  let rest = "";
  return body.pipeThrough(new TextDecoderStream()).pipeThrough(
    new TransformStream<string, Uint8Array>({
      transform(piece, controller) {
        rest += piece;
        if (BEGINS_JSON.test(rest)) return;
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const data = DATA.test(line) ? line.replace(DATA, "").trim() : "";
          controller.enqueue(encoder.encode(data === "[DONE]" ? last() : readEvent(data)));
          if (data === "[DONE]") return controller.terminate();
        }
      },
      flush(controller) {
        const data = rest.replace(DATA, "").trim();
        const isEnd = data === "[DONE]" || BEGINS_JSON.test(rest);
        const text = data === "[DONE]" ? "" : readEvent(data);
        controller.enqueue(encoder.encode(isEnd ? text + last() : text));
      },
    }),
  );
}

/** `last`: the event of an end for which the server has given no reason. */
function eventReader() {
  let end: "" | "stop" | "tool_calls" = "";
  let hasReason = false;
  const readEvent = (data: string) => {
    const json = parsedJson(data);
    // The SDK refuses what is no JSON.
    if (json === undefined) return data === "" ? "" : eventOf(data.replaceAll("\n", " "));
    const answer = answerIn(json, "delta", end === "tool_calls");
    const [choice] = answer !== null && "choices" in answer ? answer.choices : [];
    const { delta, finish_reason: reason } = choice ?? {};
    if (isObject(delta)) end = delta["tool_calls"] === undefined ? end || "stop" : "tool_calls";
    hasReason ||= typeof reason === "string";
    return answer === null ? "" : eventOf(JSON.stringify(answer));
  };
  const last = () =>
    hasReason || end === ""
      ? ""
      : eventOf(JSON.stringify({ choices: [{ delta: {}, finish_reason: end }] }));
  return { readEvent, last };
}

/** `isCalling`: calls of tools came before. */
export function answerIn(json: unknown, place: Place, isCalling = false): Answer {
  const error = errorIn(json);
  if (error !== null) return { error: namedError(error) };
  if (!isObject(json)) return null;
  const usage = isObject(json["usage"]) ? rewritten(json["usage"], USAGE) : undefined;
  const choices = choicesIn(json);
  const failed = choices.find(({ finish_reason: end }) => BROKEN_OFF.test(String(end)));
  if (failed !== undefined) {
    const message = `the provider ended the answer: ${String(failed["finish_reason"])}`;
    return { error: namedError(errorIn(failed) ?? { message, type: "server_error" }) };
  }
  if (choices.length === 0 && (usage === undefined || place === "message")) return null;
  return { choices: choices.map((choice) => choiceIn(choice, place, isCalling)), usage };
}

/** As the SDK reads it. */
function namedError(error: Json): Json {
  const { type, code } = error;
  const isName = typeof code === "string" || typeof code === "number";
  return { message: sentenceIn(error) ?? "", type: textOf(type), code: isName ? code : null };
}

/** Older models of Workers AI have text and calls in place of choices. */
function choicesIn({ choices, response: content, tool_calls }: Json): Json[] {
  if (Array.isArray(choices)) return choices.filter(isObject);
  const isWorkersAi = (content ?? tool_calls) !== undefined;
  return isWorkersAi ? [{ message: { content: content ?? "", tool_calls } }] : [];
}

function choiceIn(choice: Json, place: Place, isCalling: boolean): Json {
  const { delta, message, finish_reason: reason } = choice;
  const part = [delta, message].find(isObject);
  if (part === undefined) return { index: 0, finish_reason: endIn(reason, place, isCalling) };
  const { tool_calls: calls, ...texts } = rewritten(part, MESSAGE);
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  return {
    index: 0,
    [place]: { ...texts, ...(hasCalls && { tool_calls: calls }) },
    finish_reason: endIn(reason, place, isCalling || hasCalls),
  };
}

function endIn(reason: unknown, place: Place, isCalling: boolean) {
  const name = typeof reason === "string" && reason !== "" ? reason : null;
  if (name === null && place === "delta") return null;
  const [, limit] = LIMITS.find(([names]) => names.test(name ?? "")) ?? [];
  // Where a call ends for another reason, the SDK does not run it.
  return limit ?? (isCalling ? "tool_calls" : (name ?? "stop"));
}

type Rules = Record<string, (value: unknown, whole: Json) => unknown>;

const rewritten = (value: Json, rules: Rules): Json => ({
  ...value,
  ...Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, rule(value[name], value)]),
  ),
});

/** Text that looks like a number may come as one, JSON as the value that it stands for. */
const textOf = (value: unknown) =>
  value == null || typeof value === "string" ? value : JSON.stringify(value);
const textOnly = (value: unknown) => (typeof value === "string" ? value : undefined);
const numberOnly = (value: unknown) =>
  value == null || isNaN(Number(value)) ? undefined : Number(value);

const USAGE: Rules = {
  prompt_tokens: numberOnly,
  completion_tokens: numberOnly,
  total_tokens: numberOnly,
};
const CALL: Rules = {
  id: textOf,
  index: (value) => (typeof value === "number" ? value : undefined),
  // Workers AI has no level of its own for it.
  function: (value, { name, arguments: args }) =>
    rewritten(isObject(value) ? value : { name, arguments: args }, {
      arguments: (text) => textOf(text) ?? "",
    }),
};
const MESSAGE: Rules = {
  role: () => undefined,
  content: (value) => (Array.isArray(value) && value.every(isObject) ? value : textOf(value)),
  reasoning: textOnly,
  reasoning_content: textOnly,
  tool_calls: (value) =>
    Array.isArray(value) ? value.filter(isObject).map((call) => rewritten(call, CALL)) : undefined,
};
