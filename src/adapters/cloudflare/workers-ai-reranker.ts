import type { RerankingModelV4 } from "@ai-sdk/provider";
import { z } from "zod";

import { ModelFailure } from "../../ports/models.ts";
import { textsOf } from "../openai/openai-reranker.ts";
import { runWorkersAi, type WorkersAiSettings } from "./workers-ai-failures.ts";

/** Contexts that bge-reranker-base scores in one call. */
export const WORKERS_AI_CONTEXTS_PER_CALL = 100;

/** Passages in the order of the search at once are better than reranked ones later. */
const WITHOUT_WAIT = { rejectIfBusy: true };

const reply = z.object({ response: z.array(z.object({ id: z.int().min(0), score: z.number() })) });

export function workersAiReranker(settings: WorkersAiSettings, modelId: string): RerankingModelV4 {
  return {
    specificationVersion: "v4",
    provider: "workers-ai",
    modelId,
    async doRerank({ query, documents, topN, abortSignal }) {
      const texts = textsOf({ documents });
      const contexts = texts.map((text) => ({ text }));
      const inputs = { query, contexts, top_k: topN ?? texts.length };
      const answer = reply.safeParse(
        await runWorkersAi(settings, modelId, inputs, abortSignal, WITHOUT_WAIT),
      );
      if (!answer.success) throw new ModelFailure("unreadable reply");
      const ranking = answer.data.response.map(({ id, score }) => ({
        index: id,
        relevanceScore: score,
      }));
      return { ranking };
    },
  };
}
