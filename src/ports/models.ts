import type {
  EmbeddingModelV4,
  LanguageModelV4,
  RerankingModelV4,
  RerankingModelV4Result,
} from "@ai-sdk/provider";

import type { Tokenizer } from "../text/tokens.ts";

/** An embedding model and what the fusion and the index must know of it. */
export type Embedder = {
  /** `provider/name`; equal names and dimensions give comparable vectors. */
  name: string;
  dimensions: number;
  model: EmbeddingModelV4;
  /** Texts a call, at most. */
  batchLimit: number;
  /** Counts the tokens of chunks; another one cuts documents otherwise. */
  tokenizer: Tokenizer;
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
  tokenizer: Tokenizer;
  /** Documents a call, at most. */
  batchLimit: number;
};

/** The SDK has no place for a reranker's tokens: our adapters put them here. */
export const tokensOfReranking = (tokens: number) => ({ usage: { tokens } });

/** Null where the provider did not tell. */
export function rerankedTokens({ providerMetadata }: RerankingModelV4Result): number | null {
  const tokens = providerMetadata?.["usage"]?.["tokens"];
  return typeof tokens === "number" ? tokens : null;
}

/** A chat model with what prompt assembly must know of it. */
export type ChatModel = {
  name: string;
  model: LanguageModelV4;
  tokenizer: Tokenizer;
  /** Tokens of prompt and answer together, as far as known. */
  contextTokens: number;
};

/** Why a model call failed, told apart from its vendor. The message is plain: no key, URL or body. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
  /** The provider's HTTP status, where it answered with one. */
  readonly status: number | null;
  readonly retryable: boolean;
  /** How long the provider asked to wait, ms. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    facts: { status?: number | null; retryable?: boolean; retryAfterMs?: number | null } = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.status = facts.status ?? null;
    this.retryable = facts.retryable ?? false;
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
}

/**
 * Finds models by name (`provider/name`).
 * @throws QuarryError `model-failed` that says which setting is missing or that the name is unknown.
 */
export interface ModelRegistry {
  chat(name: string): ChatModel;
  embedder(name: string, dimensions: number): Embedder;
  reranker(name: string): Reranker;
  /** By what the name tells, also of models that cannot be had now. */
  tokenizerOf(name: string): Tokenizer;
}
