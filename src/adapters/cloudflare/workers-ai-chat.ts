import type { LanguageModelV4 } from "@ai-sdk/provider";

import { parsedJson } from "../../core/input/parsed-json.ts";
import { isObject } from "../../core/is-object.ts";
import { openAiChat } from "../openai/openai-models.ts";
import { limitedBody } from "../limited-answer.ts";
import { runWorkersAi, type WorkersAiSettings } from "./workers-ai-failures.ts";

/** The protocol is OpenAI's but for transport and old replies: its SDK model gets our `fetch`. */
export function workersAiChat(
  settings: WorkersAiSettings & { maxBytes: number },
  modelId: string,
): LanguageModelV4 {
  const viaBinding = async (_input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const body = parsedJson(typeof init?.body === "string" ? init.body : "");
    const { model: _, ...inputs } = isObject(body) ? body : {};
    const signal = init?.signal ?? undefined;
    const reply = await runWorkersAi(settings, modelId, forBinding(inputs), signal);
    const isStream = reply instanceof ReadableStream;
    return isStream
      ? new Response(limitedBody(reply, { maxBytes: settings.maxBytes, isStream }, signal))
      : Response.json(reply);
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
