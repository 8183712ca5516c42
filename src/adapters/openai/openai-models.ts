import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { EmbeddingModelV4, LanguageModelV4 } from "@ai-sdk/provider";

import { isObject } from "../../core/is-object.ts";
import { embeddingWithOurFailures, withOurFailures } from "./model-failures.ts";

/** An OpenAI-compatible server. Tests and the Workers AI adapter pass their own `fetch`. */
export type OpenAiEndpoint = {
  /** Ends in `/v1`, or in the provider's path for the AI Gateway. */
  baseUrl: string;
  apiKey: string | undefined;
  headers?: Record<string, string>;
  /** Also the key of the provider options. */
  name: string;
  fetch?: typeof globalThis.fetch;
  /** Whether `dimensions` may be sent: many local servers refuse a field they do not know. */
  sendsDimensions?: boolean;
  /** `cohere`: Cohere's own server, which refuses unknown fields. */
  rerankForm?: "any" | "cohere";
};

function providerOf(endpoint: OpenAiEndpoint) {
  return createOpenAICompatible({
    name: endpoint.name,
    baseURL: endpoint.baseUrl,
    supportsStructuredOutputs: true,
    includeUsage: true,
    ...(endpoint.apiKey === undefined ? {} : { apiKey: endpoint.apiKey }),
    ...(endpoint.headers === undefined ? {} : { headers: endpoint.headers }),
    ...(endpoint.fetch === undefined ? {} : { fetch: endpoint.fetch }),
    // Strict mode refuses most schemas found in practice; we validate the answer ourselves.
    transformRequestBody: withoutStrictSchema,
  });
}

function withoutStrictSchema(body: Record<string, unknown>): Record<string, unknown> {
  const { response_format: format } = body;
  if (!isObject(format) || !isObject(format["json_schema"])) return body;
  const { strict: _, ...schema } = format["json_schema"];
  return { ...body, response_format: { ...format, json_schema: schema } };
}

export function openAiChat(endpoint: OpenAiEndpoint, modelId: string): LanguageModelV4 {
  return withOurFailures(providerOf(endpoint).chatModel(modelId));
}

export function openAiEmbedding(
  endpoint: OpenAiEndpoint,
  modelId: string,
  batchLimit: number,
): EmbeddingModelV4 {
  const model = providerOf(endpoint).embeddingModel(modelId);
  const guarded = embeddingWithOurFailures(model, batchLimit);
  if (endpoint.sendsDimensions === true) return guarded;
  return {
    ...guarded,
    doEmbed: (options) => {
      const { dimensions: _, ...others } = options;
      return guarded.doEmbed(others);
    },
  };
}
