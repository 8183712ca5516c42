import type { ModelUse } from "../../core/queue-messages.ts";
import { findPrices, priceKey, PRICED_TOKENS } from "../../db/catalog/model-store.ts";
import type { ModelUsage } from "../../db/schema/evaluation.ts";
import type { Database } from "../../db/sql.ts";
import type { InferenceResult, Usage } from "../../inference/types.ts";
import { sumUsage } from "../measures/sum-usage.ts";

/** Cost of an answer: its chat model, and the embedding models and rerankers of its searches. */
export async function answerUsage(
  db: Database,
  { usage, uses }: Pick<InferenceResult, "usage" | "uses">,
): Promise<ModelUsage> {
  return sumUsage([chatUsage(usage), ...(await searchUsage(db, uses))]);
}

/** Cost of a chat model. */
export const chatUsage = ({ inputTokens, outputTokens, cost }: Usage): ModelUsage => ({
  inputTokens,
  outputTokens,
  cost: cost?.amount ?? null,
  currency: cost?.currency ?? null,
});

/** Cost of each call of an embedding model or reranker; one without a price has no cost. */
export async function searchUsage(db: Database, uses: readonly ModelUse[]): Promise<ModelUsage[]> {
  const used = uses.filter(({ inputTokens }) => inputTokens > 0);
  if (used.length === 0) return [];
  const prices = await findPrices(db, [...new Set(used.map(({ model }) => model))]);
  return used.map(({ kind, model, inputTokens }) => {
    const price = prices.get(priceKey(kind, model));
    return {
      inputTokens,
      outputTokens: 0,
      cost: price === undefined ? null : (inputTokens * price.inputPrice) / PRICED_TOKENS,
      currency: price?.currency ?? null,
    };
  });
}
