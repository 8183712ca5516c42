import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import { brokenAnswer } from "../limited-answer.ts";

type Json = Record<string, unknown>;
/** An answer in OpenAI's form, or the error that it reports; null: neither. */
type Answer = { choices: Json[]; usage: unknown } | { error: Json } | null;
type Place = "delta" | "message";

/** Names of Gemini (https://ai.google.dev/api/generate-content#FinishReason), GLM (https://docs.z.ai), Anthropic. */
const LIMITS: [RegExp, string][] = [
  [/^(?:length|max_(?:output_)?tokens|model_context_window_exceeded)$/i, "length"],
  [/^(?:content_filter|sensitive|safety|recitation|prohibited_content|spii)$/i, "content_filter"],
];
/** Also of OpenRouter, DeepSeek (https://api-docs.deepseek.com/api/create-chat-completion). */
const BROKEN_OFF =
  /^(?:error|abort|network_error|insufficient_system_resource|malformed_function_call)$/i;

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

/** The error that an answer reports in spite of its status 200. */
export function errorIn(answer: unknown): Json | null {
  const first = firstOf(answer);
  if (!isObject(first)) return null;
  const error = firstOf(first["error"]);
  if (isObject(error) && Object.keys(error).length > 0) return error;
  if (typeof error === "string" && error !== "") return { ...first, message: error };
  const isAnswer = !("code" in first) || (first["choices"] ?? first["data"]) !== undefined;
  return isAnswer || typeof first["message"] !== "string" ? null : first;
}

/** In `metadata`: what OpenRouter received (https://openrouter.ai/docs/api-reference/errors). */
const SENTENCES = ["metadata", "raw", "error", "errors", "message", "detail", "msg"];

export function sentenceIn(error: unknown, depth = 5): string | null {
  if (typeof error === "string" && error !== "") return error;
  if (depth === 0) return null;
  if (Array.isArray(error)) return sentenceIn(error[0], depth - 1);
  if (!isObject(error)) return null;
  const sentences = SENTENCES.map((name) => sentenceIn(error[name], depth - 1));
  return sentences.find((sentence) => sentence !== null) ?? null;
}

const DATA = /^data:\s*/;
const BEGINS_JSON = /^\s*[[{]/;
const dataIn = (line: string) =>
  BEGINS_JSON.test(line) || DATA.test(line) ? line.replace(DATA, "").trim() : "";
const eventOf = (data: string) => `data: ${data}\n\n`;

/** Events in OpenAI's form, of events or one JSON text, whatever the header says, until `[DONE]`. */
export function normalizeStream(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const { eventIn, endEvent } = eventReader();
  let rest = "";
  type Controller = TransformStreamDefaultController<Uint8Array>;
  // The data of an event may be of several lines, which end with an empty one
  // (https://html.spec.whatwg.org/multipage/server-sent-events.html).
  let parts: string[] = [];
  const takeEvent = (isOver: boolean) => {
    const event = isOver || parts.length === 1 ? eventIn(parts.join("\n"), isOver) : null;
    if (event !== null) parts = [];
    return event ?? "";
  };
  const send = (line: string, controller: Controller, isLast = false) => {
    const isWhole = BEGINS_JSON.test(line);
    const data = dataIn(line);
    const isDone = data === "[DONE]";
    if (!isDone && data !== "") parts.push(data);
    const isOver = isDone || isWhole || isLast || line.trim() === "";
    const text = isOver || data !== "" ? takeEvent(isOver) : "";
    controller.enqueue(encoder.encode(text + (isDone || isWhole ? endEvent() : "")));
    return isDone;
  };
  return body.pipeThrough(new TextDecoderStream()).pipeThrough(
    new TransformStream<string, Uint8Array>({
      transform(piece, controller) {
        rest += piece;
        if (!piece.includes("\n") || BEGINS_JSON.test(rest)) return;
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        if (lines.some((line) => send(line, controller))) controller.terminate();
      },
      flush(controller) {
        if (send(rest, controller, true) || BEGINS_JSON.test(rest) || endEvent() === "") return;
        controller.error(brokenAnswer());
      },
    }),
  );
}

/** `endEvent`: the event of an end for which the server has given no reason. */
function eventReader() {
  let end: "stop" | "tool_calls" | null = null;
  let hasReason = false;
  let isReadable = true;
  /** Null: the data may go on. */
  const eventIn = (data: string, isOver: boolean) => {
    const json = parseJson(data);
    if (json !== undefined) return answerEvent(json);
    if (data === "") return "";
    // The SDK refuses it, unless an error takes its place.
    if (isOver) isReadable = false;
    return isOver ? eventOf(data.replaceAll("\n", " ")) : null;
  };
  const answerEvent = (json: unknown) => {
    const answer = answerIn(json, "delta", end === "tool_calls");
    const [choice = {}] = answer !== null && "choices" in answer ? answer.choices : [];
    const { delta, finish_reason: reason } = choice;
    if (isObject(delta)) end = delta["tool_calls"] ? "tool_calls" : (end ?? "stop");
    // An error that is sent behind a text would be lost with an end that breaks off.
    hasReason ||= typeof reason === "string" || (answer !== null && "error" in answer);
    return answer === null ? "" : eventOf(JSON.stringify(answer));
  };
  const endChunk = () => ({ choices: [{ delta: {}, finish_reason: end }] });
  const endEvent = () =>
    hasReason || !isReadable || end === null ? "" : eventOf(JSON.stringify(endChunk()));
  return { eventIn, endEvent };
}

/** `isCalling`: calls of tools came before. */
export function answerIn(json: unknown, place: Place, isCalling = false): Answer {
  const error = errorIn(json);
  if (error !== null) return { error: normalizeError(error) };
  if (!isObject(json)) return null;
  const usage = usageIn(json["usage"]);
  const choices = choicesIn(json);
  const failed = choices.find((choice) => breakReasonOf(choice) !== undefined);
  if (failed !== undefined) {
    const message = `the provider ended the answer: ${breakReasonOf(failed)}`;
    return { error: normalizeError({ message, type: "server_error", ...errorIn(failed) }) };
  }
  if (choices.length === 0 && (usage === undefined || place === "message")) return null;
  return { choices: choices.map((choice) => choiceIn(choice, place, isCalling)), usage };
}

/** OpenRouter says "stop" of a provider that broke off, and keeps the provider's word apart. */
const breakReasonOf = ({ finish_reason: end, native_finish_reason: native }: Json) =>
  [end, native].map(String).find((reason) => BROKEN_OFF.test(reason));

/** Undefined also where gateways write zeros, or nothing, for one that they do not count. */
function usageIn(usage: unknown): Json | undefined {
  const counts: Json = isObject(usage) ? countsIn(usage) : {};
  const { input_tokens: prompt_tokens, output_tokens: completion_tokens } = counts;
  const tokens = { prompt_tokens, completion_tokens, ...counts };
  const isCounted = Number(tokens.prompt_tokens) > 0 && tokens.completion_tokens !== undefined;
  return isCounted ? tokens : undefined;
}

/** For a count that is no number, the SDK would refuse the whole answer. */
const countsIn = (usage: Json, depth = 2): Json =>
  Object.fromEntries(
    Object.entries(usage).flatMap(([name, value]) => {
      const inner = depth > 1 && isObject(value) ? countsIn(value, depth - 1) : null;
      const count = inner ?? Number(value ?? Number.NaN);
      return Number.isNaN(count) || Number(count) < 0 ? [] : [[name, count]];
    }),
  );

/** An error as the SDK reads it. */
const normalizeError = (error: Json): Json => {
  return { message: sentenceIn(error) ?? "", type: textOf(error["type"]), code: error["code"] };
};

/** Older models of Workers AI have text and calls in place of choices. */
function choicesIn({ choices, response: content, tool_calls }: Json): Json[] {
  if (Array.isArray(choices)) return choices.filter(isObject);
  const isWorkersAi = (content ?? tool_calls) !== undefined;
  return isWorkersAi ? [{ message: { content: content ?? "", tool_calls } }] : [];
}

function choiceIn(choice: Json, place: Place, isCalling: boolean): Json {
  const { delta, message, text, finish_reason: reason } = choice;
  // Servers that complete texts have no message.
  const part = rewriteFields([delta, message].find(isObject) ?? { content: text }, MESSAGE);
  const end = finishReasonOf(reason, place, isCalling || part["tool_calls"] !== undefined);
  return { index: 0, [place]: part, finish_reason: end };
}

function finishReasonOf(reason: unknown, place: Place, isCalling: boolean) {
  const name = typeof reason === "string" && reason !== "" ? reason : null;
  if (name === null && place === "delta") return null;
  const [, limit] = LIMITS.find(([names]) => names.test(name ?? "")) ?? [];
  // Where a call ends for another reason, the SDK does not run it.
  return limit ?? (isCalling ? "tool_calls" : (name ?? "stop"));
}

type Rules = Record<string, (value: unknown, whole: Json) => unknown>;

const rewriteFields = (value: Json, rules: Rules): Json => ({
  ...value,
  ...Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, rule(value[name], value)]),
  ),
});

/** Text that looks like a number may come as one, JSON as the value that it stands for. */
const textOf = (value: unknown) =>
  value == null || typeof value === "string" ? value : JSON.stringify(value);
const textOnly = (value: unknown) => (typeof value === "string" ? value : undefined);

const FUNCTION: Rules = {
  // vLLM leaves marks of gpt-oss in names: `search<|channel|>commentary`. An empty name is none yet.
  name: (value) => (typeof value === "string" ? value.replace(/<\|[^]*/, "") : value) || undefined,
  arguments: (value, { name }) => {
    const text = textOf(value) ?? "";
    // Models write the object as a text once more; later pieces have no name.
    const inner = name && text.startsWith('"') ? parseJson(text) : null;
    return typeof inner === "string" && BEGINS_JSON.test(inner) ? inner : text;
  },
};
const CALL: Rules = {
  // A number of GLM's models.
  id: textOf,
  function: (value, { name, arguments: args }) =>
    rewriteFields(isObject(value) ? value : { name, arguments: args }, FUNCTION),
};
const MESSAGE: Rules = {
  role: () => undefined,
  content: (value) => (Array.isArray(value) && value.every(isObject) ? value : textOf(value)),
  reasoning: textOnly,
  reasoning_content: textOnly,
  // Older servers have a single call (https://platform.openai.com/docs/api-reference/chat/object).
  tool_calls: (value, { function_call: call }) => {
    const single = isObject(call) ? [{ index: 0, function: call }] : [];
    const calls = Array.isArray(value) ? value.filter(isObject) : single;
    return calls.length > 0 ? calls.map((call) => rewriteFields(call, CALL)) : undefined;
  },
};
