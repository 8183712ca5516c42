import type { CatalogModel } from "../ports/models.ts";

type Known = Pick<CatalogModel, "model" | "kind" | "price">;

const chat = (model: string, input: number, output: number): Known => ({
  model,
  kind: "chat",
  price: { input, output },
});
const reranker = (model: string, input: number): Known => ({
  model,
  kind: "reranker",
  price: { input, output: 0 },
});

/**
 * Models that a deployment can use without listing them, with the providers' list prices of
 * November 2026: https://developers.cloudflare.com/workers-ai/platform/pricing/ and the pages that
 * docs/scale-and-cost.md names.
 */
export const MODEL_CATALOG: readonly Known[] = [
  chat("embedded/extractive", 0, 0),
  chat("workers-ai/@cf/zai-org/glm-4.7-flash", 0.06, 0.4),
  chat("workers-ai/@cf/google/gemma-4-26b-a4b-it", 0.1, 0.3),
  chat("workers-ai/@cf/meta/llama-3.3-70b-instruct-fp8-fast", 0.293, 2.253),
  chat("openai/gpt-6-luna", 0.1, 0.5),
  chat("openai/gpt-6-sol", 2, 10),
  chat("anthropic/claude-haiku-5-5", 0.1, 0.5),
  chat("anthropic/claude-sonnet-5-5", 2, 10),
  chat("anthropic/claude-opus-5-5", 4, 20),
  chat("google-ai-studio/gemini-3.8-flash", 0.75, 3.75),
  reranker("embedded/lexical", 0),
  reranker("workers-ai/@cf/baai/bge-reranker-base", 0.003),
];
