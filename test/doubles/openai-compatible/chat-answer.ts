import type { Failure } from "./failures.ts";

type ChatMessage = {
  role: string;
  content: string | null;
  tool_calls?: unknown[];
  tool_call_id?: string;
};

export type ChatBody = {
  model: string;
  messages: ChatMessage[];
  tools?: OfferedFunction[];
  tool_choice?: unknown;
  response_format?: { type: string };
  temperature?: number;
  max_tokens?: number;
  max_completion_tokens?: number;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
};

/** The model's answer: a text, or calls of tools (`arguments` as the wire has them). */
export type Said = { text: string } | { calls: { name: string; arguments: string }[] };

const NO_MAX_TOKENS =
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";

/**
 * How OpenAI's reasoning models refuse fields, as OpenAI and Azure answer
 * (https://github.com/griptape-ai/ComfyUI-Griptape/issues/312,
 * https://github.com/owndev/Open-WebUI-Functions/issues/98).
 */
export function refuseAsReasoningModel({ max_tokens, temperature }: ChatBody): object | null {
  const error = { type: "invalid_request_error" };
  if (max_tokens !== undefined) {
    const parameterRefusal = { param: "max_tokens", code: "unsupported_parameter" };
    return { error: { ...error, ...parameterRefusal, message: NO_MAX_TOKENS } };
  }
  if (temperature === undefined || temperature === 1) return null;
  const message = `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`;
  return { error: { ...error, param: "temperature", code: "unsupported_value", message } };
}

/** Refuses as LiteLLM and GitHub Copilot's gateway do, which keep the message alone. */
export function refuseThroughGateway(body: ChatBody): object | null {
  const reasoningRefusal = refuseAsReasoningModel(body) as { error: { message: string } } | null;
  const message = `litellm.BadRequestError: OpenAIException - ${reasoningRefusal?.error.message}`;
  return reasoningRefusal && { error: { message, type: null, param: null, code: "400" } };
}

/** A model that searches once with the last request, then answers; the default script. */
export function sayByDefault(body: ChatBody): Said {
  const tools = body.tool_choice === "none" ? [] : (body.tools ?? []);
  const searched = body.messages.some(({ role }) => role === "tool");
  const question = body.messages.findLast(({ role }) => role === "user")?.content ?? "";
  if (tools.length > 0 && !searched) {
    const query = JSON.stringify({ query: question });
    return { calls: tools.map((tool) => ({ name: tool.function.name, arguments: query })) };
  }
  if (body.response_format !== undefined) return { text: '{"answer":"forty-two"}' };
  return { text: "It is forty-two." };
}

/**
 * A model that searches, then calls each function of the caller with its first argument filled in,
 * then tells the results.
 */
export function sayWithFunctions(body: ChatBody): Said {
  const questionIndex = body.messages.findLastIndex(({ role }) => role === "user");
  const since = body.messages.slice(questionIndex + 1);
  const called = since.flatMap(({ tool_calls = [] }) => tool_calls as OfferedFunction[]);
  const remainingTools = body.tool_choice === "none" ? [] : (body.tools ?? []);
  const next = remainingTools.filter(({ function: { name } }) =>
    called.every((call) => call.function.name !== name),
  );
  const isSearch = (tool: OfferedFunction) => tool.function.name.startsWith("search_");
  const searches = next.filter(isSearch);
  const calls = searches.length > 0 ? searches : next;
  if (calls.length > 0) return { calls: calls.map(filledCall) };
  if (body.response_format !== undefined) return { text: '{"answer":"forty-two"}' };
  const results = since.filter(({ role }) => role === "tool").map(({ content }) => content);
  const passages = JSON.stringify([body.messages[questionIndex]?.content, ...results]);
  const sentence = /[^.:>\\]*(thirty days|holts)[^.]*\./.exec(passages)?.[0] ?? "It is forty-two.";
  return {
    text: [sentence.trim(), ...results.flatMap((text) => text?.match(/\brain\b/) ?? [])].join(" "),
  };
}

type OfferedFunction = { function: { name: string; parameters?: { properties?: object } } };

function filledCall({ function: { name, parameters } }: OfferedFunction) {
  const [argument] = Object.keys(parameters?.properties ?? {});
  const input = argument === undefined ? {} : { [argument]: "Ghent" };
  return { name, arguments: JSON.stringify(input) };
}

/** Failures that are the model's own words. */
export function sayInFailure(failure: Failure): Said | null {
  switch (failure.kind) {
    case "wrong-schema":
      return { text: '{"unasked": true}' };
    case "unknown-tool":
      return { calls: [{ name: "delete_everything", arguments: "{}" }] };
    case "bad-arguments":
      return { calls: [{ name: "search_handbook", arguments: "{query: holiday" }] };
    default:
      return null;
  }
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
let calls = 0;

export function completion(model: string, reply: Said): unknown {
  const message =
    "text" in reply
      ? { role: "assistant", content: reply.text }
      : {
          role: "assistant",
          content: null,
          tool_calls: reply.calls.map((call) => ({
            id: `call_${(calls += 1)}`,
            type: "function",
            function: call,
          })),
        };
  const finish_reason = "text" in reply ? "stop" : "tool_calls";
  const choices = [{ index: 0, message, finish_reason }];
  return { id: "completion", object: "chat.completion", created: 0, model, choices, usage: USAGE };
}

const WORD = /\s*\S+\s*?(?=\s|$)|\s+$/g;

/** The events of a streamed answer, one for each word of a text, usage where it is asked for. */
export function completionEvents(body: ChatBody, reply: Said): string[] {
  const { model } = body;
  const chunk = (choices: unknown[], usage?: unknown) => {
    const facts = { id: "completion", object: "chat.completion.chunk", created: 0, model };
    return `data: ${JSON.stringify({ ...facts, choices, ...(usage === undefined ? {} : { usage }) })}\n\n`;
  };
  const delta = (fields: unknown) => chunk([{ index: 0, delta: fields, finish_reason: null }]);
  const deltas =
    "text" in reply
      ? (reply.text.match(WORD) ?? []).map((content) => delta({ content }))
      : reply.calls.flatMap(({ name, arguments: input }, index) => {
          const half = Math.ceil(input.length / 2);
          const id = `call_${(calls += 1)}`;
          const firstPart = { name, arguments: input.slice(0, half) };
          return [
            delta({ tool_calls: [{ index, id, type: "function", function: firstPart }] }),
            delta({ tool_calls: [{ index, function: { arguments: input.slice(half) } }] }),
          ];
        });
  const finish_reason = "text" in reply ? "stop" : "tool_calls";
  return [
    delta({ role: "assistant", content: "" }),
    ...deltas,
    chunk([{ index: 0, delta: {}, finish_reason }]),
    ...(body.stream_options?.include_usage === true ? [chunk([], USAGE)] : []),
    "data: [DONE]\n\n",
  ];
}

export function refusal(model: string): unknown {
  const message = { role: "assistant", content: null, refusal: "I cannot help with that." };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return { id: "completion", object: "chat.completion", created: 0, model, choices, usage: USAGE };
}
