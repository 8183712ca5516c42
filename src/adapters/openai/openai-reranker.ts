import type { RerankingModelV4, RerankingModelV4CallOptions } from "@ai-sdk/provider";
import { z } from "zod";

import { parsedJson } from "../../core/input/parsed-json.ts";
import { ModelFailure, tokensOfReranking } from "../../ports/models.ts";
import { failureOfStatus, translated } from "./model-failures.ts";
import type { OpenAiEndpoint } from "./openai-models.ts";

const inJinaForm = z.object({
  results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })),
  usage: z
    .object({ total_tokens: z.number().min(0) })
    .nullish()
    .catch(null),
});
/** Text Embeddings Inference answers with a bare list. */
const inTeiForm = z.array(z.object({ index: z.int().min(0), score: z.number() }));
const reply = z.union([
  inJinaForm.transform(({ results, usage }) => ({
    ranking: results.map(({ index, relevance_score }) => ({
      index,
      relevanceScore: relevance_score,
    })),
    tokens: usage?.total_tokens ?? null,
  })),
  inTeiForm.transform((results) => ({
    ranking: results.map(({ index, score }) => ({ index, relevanceScore: score })),
    tokens: null,
  })),
]);

/** `POST {baseUrl}/rerank` in the form that Jina, Cohere and vLLM share; TEI's reply is read too. */
export function openAiReranker(endpoint: OpenAiEndpoint, modelId: string): RerankingModelV4 {
  return {
    specificationVersion: "v4",
    provider: `${endpoint.name}.rerank`,
    modelId,
    async doRerank(options) {
      const request = askForRanking(endpoint, modelId, options);
      const { ranking, tokens } = await translated(request, options.abortSignal);
      if (tokens === null) return { ranking };
      return { ranking, providerMetadata: tokensOfReranking(tokens) };
    },
  };
}

async function askForRanking(
  endpoint: OpenAiEndpoint,
  modelId: string,
  options: RerankingModelV4CallOptions,
) {
  const documents = textsOf(options);
  const response = await endpoint.fetch(`${endpoint.baseUrl}/rerank`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...endpoint.headers,
    },
    body: JSON.stringify({
      model: modelId,
      query: options.query,
      documents,
      // TEI's name for `documents`; it and all others but Cohere ignore unknown fields.
      ...(endpoint.isCohere === true ? {} : { texts: documents }),
      top_n: options.topN ?? documents.length,
      return_documents: false,
    }),
    ...(options.abortSignal === undefined ? {} : { signal: options.abortSignal }),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw failureOfStatus(response.status, Object.fromEntries(response.headers));
  }
  const parsed = reply.safeParse(parsedJson(await response.text()));
  if (!parsed.success) throw new ModelFailure("unreadable reply", { retryable: true });
  return parsed.data;
}

/** Documents as plain texts; objects are serialised as JSON. */
export function textsOf(options: Pick<RerankingModelV4CallOptions, "documents">): string[] {
  const { documents } = options;
  if (documents.type === "text") return documents.values;
  return documents.values.map((value) => JSON.stringify(value));
}
