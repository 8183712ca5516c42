import type { EmbeddingModelV4, LanguageModelV4, RerankingModelV4 } from "@ai-sdk/provider";

import { modelFailed } from "../core/errors.ts";

/**
 * One provider's models; `name` is the part after the first slash.
 * @throws QuarryError `model-failed` when the provider has no model of this kind.
 */
export type Provider = {
  chat(name: string): LanguageModelV4;
  /** `batchLimit`: texts a call. */
  embedding(name: string): { model: EmbeddingModelV4; batchLimit: number };
  /** `batchLimit`: documents a call. */
  reranker(name: string): { model: RerankingModelV4; batchLimit: number };
};

export const lacks = (model: string, settings: string) =>
  modelFailed(`Model ${model} needs the setting ${settings}`);
