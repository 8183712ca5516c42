import type { RerankingModelV4, RerankingModelV4CallOptions } from "@ai-sdk/provider";
import { z } from "zod";

import { isObject } from "../../core/is-object.ts";
import { tokensOfReranking } from "../../ports/models.ts";
import type { OpenAiEndpoint } from "./openai-models.ts";
import { postJson, unreadableReply } from "./post-json.ts";

const score = z.number().nullish();
const results = z.array(z.object({ index: z.int().min(0), relevance_score: score, score }));
const usage = z.object({ usage: z.object({ total_tokens: z.number().min(0) }) });

/** `POST {baseUrl}/rerank` in the form that Jina, Cohere and vLLM share; TEI's reply is read too. */
export function openAiReranker(endpoint: OpenAiEndpoint, modelId: string): RerankingModelV4 {
  return {
    specificationVersion: "v4",
    provider: `${endpoint.name}.rerank`,
    modelId,
    async doRerank({ query, topN, abortSignal: signal, ...options }) {
      const documents = textsOf(options);
      const body = {
        model: modelId,
        query,
        documents,
        // TEI's name for `documents`; it and all others but Cohere ignore unknown fields.
        ...(endpoint.isCohere === true ? {} : { texts: documents }),
        top_n: topN ?? documents.length,
        return_documents: false,
      };
      const answer = await postJson(endpoint, { path: "/rerank", body, signal });
      // Text Embeddings Inference answers with a bare list, Voyage with `data`.
      const list = isObject(answer) ? (answer["results"] ?? answer["data"]) : answer;
      const { data } = results.safeParse(list);
      const scores = (data ?? []).map((result) => result.relevance_score ?? result.score ?? null);
      // A score that is no number is written as null: its document is no better than the last.
      const lowest = Math.min(...scores.filter((value) => value !== null));
      const ranking = (data ?? []).map(({ index }, at) => {
        return { index, relevanceScore: scores[at] ?? lowest };
      });
      if (data === undefined || (lowest === Infinity && data.length > 0)) throw unreadableReply();
      const tokens = usage.safeParse(answer).data?.usage.total_tokens;
      if (tokens === undefined) return { ranking };
      return { ranking, providerMetadata: tokensOfReranking(tokens) };
    },
  };
}

/** Documents as plain texts; objects are serialised as JSON. */
export function textsOf(options: Pick<RerankingModelV4CallOptions, "documents">): string[] {
  const { documents } = options;
  if (documents.type === "text") return documents.values;
  return documents.values.map((value) => JSON.stringify(value));
}
