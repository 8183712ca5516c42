import type { LanguageModelV4 } from "@ai-sdk/provider";
import { z } from "zod";

import { isObject } from "../../core/is-object.ts";
import { openAiChat } from "../openai/openai-models.ts";
import { mappedLines } from "../event-lines.ts";
import { limitedBody } from "../limited-answer.ts";
import { runWorkersAi, type WorkersAiSettings } from "./workers-ai-failures.ts";
import { parsedJson } from "../../core/input/parsed-json.ts";

const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number().optional(),
});

/** Newer models answer in OpenAI's form; older ones with the text and flat tool calls. */
const openAiForm = z.looseObject({ choices: z.array(z.unknown()) });
const workersForm = z.looseObject({
  response: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
    .nullish(),
  tool_calls: z
    .array(z.looseObject({ id: z.string().optional(), name: z.string(), arguments: z.unknown() }))
    .nullish(),
  usage: usage.nullish(),
});

/** The request body of the SDK's OpenAI model. */
const requestBody = z.record(z.string(), z.unknown());

/** The protocol is OpenAI's but for transport and old replies: its SDK model gets our `fetch`. */
export function workersAiChat(
  settings: WorkersAiSettings & { maxBytes: number },
  modelId: string,
): LanguageModelV4 {
  const viaBinding = async (_input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const body = typeof init?.body === "string" ? init.body : "{}";
    const { model: _, ...inputs } = requestBody.parse(JSON.parse(body));
    const signal = init?.signal ?? undefined;
    const reply = await runWorkersAi(settings, modelId, forBinding(inputs), signal);
    if (!(reply instanceof ReadableStream)) return Response.json(asCompletion(reply));
    const events = asCompletionEvents(limitedBody(reply, settings.maxBytes, true));
    return new Response(events, { headers: { "content-type": "text/event-stream" } });
  };
  const endpoint = { baseUrl: "https://workers-ai.invalid/v1", name: "workers-ai" };
  return openAiChat({ ...endpoint, fetch: viaBinding }, modelId);
}

/** The binding expects the bare schema where OpenAI wraps it with a name. */
function forBinding(inputs: Record<string, unknown>): Record<string, unknown> {
  const { response_format: format } = inputs;
  const wrapped = isObject(format) ? format["json_schema"] : undefined;
  if (!isObject(wrapped) || wrapped["schema"] === undefined) return inputs;
  return {
    ...inputs,
    response_format: { type: "json_schema", json_schema: wrapped["schema"] },
  };
}

function asCompletion(reply: unknown): unknown {
  if (openAiForm.safeParse(reply).success) return reply;
  const parsed = workersForm.safeParse(reply);
  // Not a completion: the SDK rejects it as unreadable.
  if (!parsed.success) return { unreadable: true };
  const { response, tool_calls, usage } = parsed.data;
  const calls = (tool_calls ?? []).map(toolCall);
  const message = {
    role: "assistant",
    content: response === null || response === undefined ? null : textOf(response),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  return { choices: [{ index: 0, message, finish_reason }], usage: usage ?? undefined };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

type Call = {
  id?: string | null | undefined;
  name?: string | null | undefined;
  arguments?: unknown;
};

const toolCall = ({ id, name, arguments: args = {} }: Call, at: number) => ({
  id: id ?? `call-${at + 1}`,
  type: "function",
  function: { name, arguments: textOf(args) },
});

/**
 * Streamed replies of the `AI` binding, a stream of server-sent events: newer models send OpenAI's
 * chunks, older ones `{"response":"…"}` and, with tools, `{"tool_calls":[…]}`; both end with
 * `[DONE]`. https://developers.cloudflare.com/workers-ai/ and, for the older form of tool calls,
 * https://github.com/cloudflare/ai (packages/workers-ai-provider/src/streaming.ts)
 */
const DATA = "data:";
const DONE = "[DONE]";

const flatCall = z.looseObject({
  id: z.string().nullish(),
  index: z.int().nullish(),
  name: z.string().nullish(),
  arguments: z.unknown().optional(),
  function: z.unknown().optional(),
});
const workersChunk = z.looseObject({
  /** Text that looks like a number comes as one. */
  response: z.union([z.string(), z.number().transform(String)]).nullish(),
  tool_calls: z.array(flatCall).nullish(),
  usage: z.unknown().optional(),
});
const openAiEnd = z.object({
  choices: z.array(z.object({ finish_reason: z.string().nullish().default(null) })),
});

/** The events in OpenAI's form, which the SDK's model reads. */
export const asCompletionEvents = (events: ReadableStream<Uint8Array>) =>
  mappedLines(events, translator());

const eventOf = (data: unknown) => `${DATA} ${data === DONE ? DONE : JSON.stringify(data)}\n\n`;

/** Translates line by line; older models tell no reason why they stop: `[DONE]` implies one. */
function translator(): (line: string) => string[] {
  let calls = 0;
  let hasReason = false;
  return (line) => {
    if (!line.startsWith(DATA)) return [];
    const data = line.slice(DATA.length).trim();
    if (data === DONE) {
      const finish_reason = calls > 0 ? "tool_calls" : "stop";
      const end = { choices: [{ index: 0, delta: {}, finish_reason }] };
      return hasReason ? [eventOf(DONE)] : [eventOf(end), eventOf(DONE)];
    }
    const chunk = parsedJson(data);
    const result = workersChunk.safeParse(chunk);
    if (!result.success || isOpenAis(result.data)) {
      // Anything else, an error included, is for the SDK to read or refuse.
      hasReason ||= tellsReason(chunk);
      return [`${DATA} ${data}\n\n`];
    }
    const { response, tool_calls, usage } = result.data;
    const deltas = (tool_calls ?? []).map((call) => toolCallDelta(call, calls++));
    const delta = { content: response ?? "", tool_calls: deltas };
    return [eventOf({ choices: [{ index: 0, delta, finish_reason: null }], usage })];
  };
}

const isOpenAis = (chunk: Record<string, unknown>) => "choices" in chunk || "error" in chunk;

const tellsReason = (chunk: unknown) =>
  openAiEnd.safeParse(chunk).data?.choices.some(({ finish_reason }) => finish_reason !== null) ??
  false;

/** A call is whole in its chunk, or comes in pieces that have OpenAI's form already. */
function toolCallDelta(call: z.output<typeof flatCall>, at: number): unknown {
  if (isObject(call.function)) return call;
  return { index: call.index ?? at, ...toolCall(call, at) };
}
