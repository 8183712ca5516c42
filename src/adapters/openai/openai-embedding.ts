import type { EmbeddingModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";

import { isObject } from "../../core/is-object.ts";
import { ModelFailure } from "../../ports/models.ts";
import type { OpenAiEndpoint } from "./openai-models.ts";
import { postJson, unreadableReply } from "./post-json.ts";

/** `POST {baseUrl}/embeddings`: https://platform.openai.com/docs/api-reference/embeddings */
export function openAiEmbedding(
  endpoint: OpenAiEndpoint,
  modelId: string,
  batchLimit: number,
): EmbeddingModelV4 {
  return {
    specificationVersion: "v4",
    provider: `${endpoint.name}.embedding`,
    modelId,
    maxEmbeddingsPerCall: batchLimit,
    supportsParallelCalls: true,
    async doEmbed({ values, dimensions, providerOptions, abortSignal: signal }) {
      const isSent = endpoint.sendsDimensions === true && dimensions !== undefined;
      const body = {
        model: modelId,
        input: values,
        encoding_format: "float",
        input_type: isQuery(providerOptions) ? "query" : "passage",
        ...(isSent ? { dimensions } : {}),
      };
      const answer = await postJson(endpoint, { path: "/embeddings", body, signal });
      const data = isObject(answer) ? answer["data"] : null;
      if (!Array.isArray(data) || !data.every(isObject)) throw unreadableReply();
      // Servers may answer in any order, and say which text a vector is of; caches say some twice.
      const isOrder = new Set(data.map(({ index }) => Number(index))).size === data.length;
      const inOrder = data.toSorted((a, b) =>
        isOrder ? Number(a["index"]) - Number(b["index"]) : 0,
      );
      const embeddings = inOrder.map(({ embedding }) => vectorIn(embedding));
      const usage = isObject(answer) && isObject(answer["usage"]) ? answer["usage"] : {};
      const tokens = Number(usage["prompt_tokens"] ?? usage["total_tokens"] ?? 0);
      return { embeddings, usage: { tokens }, warnings: [] };
    },
  };
}

const isQuery = (options: SharedV4ProviderOptions | undefined) =>
  options?.["quarry"]?.["isQuery"] === true;

/**
 * llama-server writes null for no number, and its own route a list with the vector in it; gateways
 * may answer in base64 whatever the request says.
 * @throws ModelFailure for no vector
 */
function vectorIn(embedding: unknown): number[] {
  if (typeof embedding === "string") return floatsIn(embedding);
  const values: unknown[] = Array.isArray(embedding) ? embedding : [];
  const [inner] = values;
  if (inner === undefined) throw new ModelFailure("a text without a vector");
  const vector: unknown[] = values.length === 1 && Array.isArray(inner) ? inner : values;
  return vector.map((value) => (typeof value === "number" ? value : Number.NaN));
}

/** Little-endian floats of 32 bits, as OpenAI's `base64`. */
function floatsIn(text: string): number[] {
  const { buffer, length } = Uint8Array.from(Buffer.from(text, "base64"));
  const isWhole = length > 0 && length % Float32Array.BYTES_PER_ELEMENT === 0;
  if (!isWhole) throw new ModelFailure("a text without a vector");
  return Array.from(new Float32Array(buffer));
}
