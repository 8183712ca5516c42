import type { LanguageModelV4 } from "@ai-sdk/provider";
import { z } from "zod";

import { isObject } from "../../core/is-object.ts";
import { openAiChat } from "../openai/openai-models.ts";
import { limitedBody } from "../limited-answer.ts";
import { asCompletionEvents, eventsOfWhole } from "./workers-ai-events.ts";
import { runWorkersAi, type WorkersAiSettings } from "./workers-ai-failures.ts";

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
    if (reply instanceof ReadableStream) {
      return eventStream(asCompletionEvents(limitedBody(reply, settings.maxBytes, true)));
    }
    if (inputs["stream"] === true) return eventStream(eventsOfWhole(asCompletion(reply)));
    return Response.json(asCompletion(reply));
  };
  const endpoint = { baseUrl: "https://workers-ai.invalid/v1", apiKey: undefined };
  return openAiChat({ ...endpoint, name: "workers-ai", fetch: viaBinding }, modelId);
}

const eventStream = (body: ReadableStream<Uint8Array>) =>
  new Response(body, { headers: { "content-type": "text/event-stream" } });

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
  const { response, tool_calls, usage: counted } = parsed.data;
  const calls = (tool_calls ?? []).map((call, at) => ({
    id: call.id ?? `call-${at + 1}`,
    type: "function",
    function: { name: call.name, arguments: textOf(call.arguments) },
  }));
  const message = {
    role: "assistant",
    content: response === null || response === undefined ? null : textOf(response),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  return { choices: [{ index: 0, message, finish_reason }], usage: counted ?? undefined };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
