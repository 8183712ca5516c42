import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import { z } from "zod";

import { ModelFailure } from "../../ports/models.ts";
import { runWorkersAi, type WorkersAiSettings } from "./workers-ai-failures.ts";

/** Texts that bge-m3 and similar models take in one call. */
export const WORKERS_AI_TEXTS_PER_CALL = 100;

const WITHOUT_WAIT = { rejectIfBusy: true };

const reply = z.object({ data: z.array(z.array(z.number())) });

export function workersAiEmbedding(settings: WorkersAiSettings, modelId: string): EmbeddingModelV4 {
  return {
    specificationVersion: "v4",
    provider: "workers-ai",
    modelId,
    maxEmbeddingsPerCall: WORKERS_AI_TEXTS_PER_CALL,
    supportsParallelCalls: true,
    async doEmbed({ values, abortSignal, providerOptions }) {
      const inputs = { text: values, truncate_inputs: true };
      const options = providerOptions?.["quarry"]?.["rejectIfBusy"] === true ? WITHOUT_WAIT : {};
      const answer = reply.safeParse(
        await runWorkersAi(settings, modelId, inputs, abortSignal, options),
      );
      if (!answer.success) throw new ModelFailure("unreadable reply");
      return { embeddings: answer.data.data, warnings: [] };
    },
  };
}
