import type { RerankingModelV4, RerankingModelV4CallOptions } from "@ai-sdk/provider";
import { z } from "zod";

import { tokensOfReranking } from "../../ports/models.ts";
import type { OpenAiEndpoint } from "./openai-models.ts";
import { postJson, unreadableReply } from "./post-json.ts";

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
      const { ranking, tokens } = await askForRanking(endpoint, modelId, options);
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
  const body = {
    model: modelId,
    query: options.query,
    documents,
    // TEI's name for `documents`; it and all others but Cohere ignore unknown fields.
    ...(endpoint.isCohere === true ? {} : { texts: documents }),
    top_n: options.topN ?? documents.length,
    return_documents: false,
  };
  const answer = await postJson(endpoint, { path: "/rerank", body, signal: options.abortSignal });
  const parsed = reply.safeParse(answer);
  if (!parsed.success) throw unreadableReply();
  return parsed.data;
}

/** Documents as plain texts; objects are serialised as JSON. */
export function textsOf(options: Pick<RerankingModelV4CallOptions, "documents">): string[] {
  const { documents } = options;
  if (documents.type === "text") return documents.values;
  return documents.values.map((value) => JSON.stringify(value));
}
