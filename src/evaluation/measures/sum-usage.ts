import type { ModelUsage } from "../../db/schema/evaluation.ts";

export const NO_USAGE: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cost: null,
  currency: null,
};

/** The sum. What has no price adds tokens only; in two currencies there is no cost. */
export function sumUsage(all: readonly ModelUsage[]): ModelUsage {
  const priced = all.filter(({ cost }) => cost !== null);
  const [currency = null, ...otherCurrencies] = new Set(priced.map((price) => price.currency));
  const isOne = currency !== null && otherCurrencies.length === 0;
  return {
    inputTokens: all.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: all.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    cost: isOne ? priced.reduce((sum, { cost }) => sum + (cost ?? 0), 0) : null,
    currency: isOne ? currency : null,
  };
}
