import type { EmbeddingModelV4, LanguageModelV4, RerankingModelV4 } from "@ai-sdk/provider";

/** An embedding model and what the fusion and the index must know of it. */
export type Embedder = {
  /** `provider/name`; equal names and dimensions give comparable vectors. */
  name: string;
  dimensions: number;
  model: EmbeddingModelV4;
  /** Texts a call, at most. */
  batchLimit: number;
  /** Characters of a text that the model can see at most; longer texts are cut. */
  inputLimit: number;
  /**
   * 0 to 1: how much the vector leg weighs in hybrid fusion. A hashed embedding repeats what
   * BM25 knows and deserves little; a trained one at least an equal say.
   */
  fusionWeight: number;
};

export type Reranker = {
  name: string;
  model: RerankingModelV4;
  /** Documents a call, at most. */
  batchLimit: number;
};

/** A chat model with what prompt assembly must know of it. */
export type ChatModel = {
  name: string;
  model: LanguageModelV4;
  /** Tokens of prompt and answer together, as far as known. */
  contextTokens: number;
};

/**
 * Finds models by name (`provider/name`).
 * @throws QuarryError `model-failed` that says which setting is missing or that the name is unknown.
 */
export interface ModelRegistry {
  chat(name: string): ChatModel;
  embedder(name: string, dimensions: number): Embedder;
  reranker(name: string): Reranker;
}
