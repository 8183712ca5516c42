import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";

import { isObject } from "../../core/is-object.ts";
import { callsOfText, withCallsOfText } from "./calls-in-text.ts";
import { chatFetch } from "./chat-fetch.ts";
import { translateFailures, translateStream } from "./model-failures.ts";
import { dropThoughts, withoutThinking } from "./thinking.ts";

/** An OpenAI-compatible server. */
export type OpenAiEndpoint = {
  /** Ends in `/v1`, or in the provider's path for the AI Gateway. */
  baseUrl: string;
  headers?: Record<string, string>;
  /** Also the key of the provider options. */
  name: string;
  /** Adds the key. */
  fetch: typeof globalThis.fetch;
  /** Whether `dimensions` may be sent: many local servers refuse a field they do not know. */
  sendsDimensions?: boolean;
  /** Cohere's own server refuses unknown fields. */
  isCohere?: boolean;
};

function withoutStrictSchema(body: Record<string, unknown>): Record<string, unknown> {
  const { response_format: format } = body;
  if (!isObject(format) || !isObject(format["json_schema"])) return body;
  const { strict: _, ...schema } = format["json_schema"];
  return { ...body, response_format: { ...format, json_schema: schema } };
}

export function openAiChat(endpoint: OpenAiEndpoint, modelId: string): LanguageModelV4 {
  const { name, baseUrl, headers = {} } = endpoint;
  const provider = createOpenAICompatible({
    name,
    baseURL: baseUrl,
    headers,
    fetch: chatFetch(endpoint.fetch, baseUrl),
    supportsStructuredOutputs: true,
    includeUsage: true,
    // Strict mode refuses most schemas found in practice; we validate the answer ourselves.
    transformRequestBody: withoutStrictSchema,
  });
  const model = provider.chatModel(modelId);
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(options) {
      const result = await translateFailures(model.doGenerate(options), options.abortSignal);
      const content = result.content.map((part) =>
        part.type === "text" ? { ...part, text: withoutThinking(part.text) } : part,
      );
      return withCallsOfText({ ...result, content }, options);
    },
    async doStream(options) {
      const { abortSignal } = options;
      const result = await translateFailures(model.doStream(options), abortSignal);
      const stream = translateStream(result.stream, abortSignal)
        .pipeThrough(dropThoughts(modelId))
        .pipeThrough(callsOfText(options));
      return { ...result, stream };
    },
  };
}
