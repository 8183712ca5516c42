import type {
  EmbeddingModelV4,
  LanguageModelV4,
  LanguageModelV4Source,
  RerankingModelV4,
  RerankingModelV4Result,
} from "@ai-sdk/provider";

import type { ModelKind } from "../core/models/model-kind.ts";
import type { KeyedServer, ServerState } from "../core/models/model-servers.ts";
import type { Tokenizer } from "../text/tokens.ts";

/** The models that need no network; `chat` only quotes. */
export const BUILT_IN_MODELS = {
  embedding: "embedded/hash",
  reranker: "embedded/lexical",
  chat: "embedded/extractive",
} as const;

/** A server of one's own. `callsAtOnce` null: of embeddings one, of others any number. */
export type ModelServer = { address: string; callsAtOnce: number | null };

export type Embedder = {
  /** `provider/name`; equal names and dimensions give comparable vectors. */
  name: string;
  dimensions: number;
  model: EmbeddingModelV4;
  /** Maximum number of texts per call. */
  batchLimit: number;
  /** Counts the tokens of chunks; a different tokenizer gives different chunks. */
  tokenizer: Tokenizer;
  /** Characters of a text that the model can process at most; longer texts are truncated. */
  inputLimit: number;
  /** Absent: a provider that takes calls side by side. */
  server?: ModelServer | undefined;
  /** Weight of vectors in hybrid fusion, 0 to 1: low if hashed (repeats BM25), else 0.5 or more. */
  fusionWeight: number;
};

/** How a model was trained to be given texts: what goes before them, and how long they were. */
export type EmbeddingForm = {
  queryPrefix: string;
  passagePrefix: string;
  /** Tokens of a passage at most. */
  longestPassage: number;
};

export type Reranker = {
  name: string;
  model: RerankingModelV4;
  /** A document's relevance does not depend on the others of its call: over RAGs they compare. */
  isAbsolute: boolean;
  tokenizer: Tokenizer;
  /** Maximum number of documents per call. */
  batchLimit: number;
};

/** The SDK has no field for a reranker's tokens: our adapters put them here. */
export const tokensOfReranking = (tokens: number) => ({ usage: { tokens } });

/** Null where the provider did not report it. */
export function rerankedTokens({ providerMetadata }: RerankingModelV4Result): number | null {
  const tokens = providerMetadata?.["usage"]?.["tokens"];
  return typeof tokens === "number" ? tokens : null;
}

/** In the citations of a model that cites by itself: a passage, by its number in the prompt. */
export const passageSource = (number: number, title: string): LanguageModelV4Source => ({
  type: "source",
  sourceType: "document",
  id: `passage-${number}`,
  mediaType: "text/plain",
  title,
  providerMetadata: { passage: { number } },
});

/** Null where the source is no passage of the prompt. */
export function passageNumber({ providerMetadata }: LanguageModelV4Source): number | null {
  const number = providerMetadata?.["passage"]?.["number"];
  return typeof number === "number" ? number : null;
}

export type ChatModel = {
  name: string;
  model: LanguageModelV4;
  tokenizer: Tokenizer;
  /** Tokens of prompt and answer together, as far as known: more after `window` was read. */
  readonly contextTokens: number;
  /** Where a server says how large its window is, or refuses what is larger. */
  window?:
    | {
        read: (isAgain?: boolean) => Promise<number | null>;
        learn: (tokens: number) => void;
      }
    | undefined;
  server?: ModelServer | undefined;
  /** Whether the model can choose among functions of a caller. */
  callsFunctions: boolean;
};

/** Writes down what a picture says, as Markdown. */
export type ImageReader = {
  name: string;
  /** Where it is sent along: the greatest length of an answer. */
  maxOutputTokens?: number;
  server?: ModelServer | undefined;
  /**
   * `ending`: whether the answer is complete, or stopped by the limit of tokens or a filter. Tokens
   * are 0 where the provider reports none. @throws ModelFailure
   */
  read(
    picture: { bytes: Uint8Array; mediaType: string },
    signal: AbortSignal,
  ): Promise<{
    text: string;
    ending: "whole" | "cut" | "refused";
    inputTokens: number;
    outputTokens: number;
  }>;
};

/** Tokens of an input, and how many the model takes; null: the server does not say. */
export type TooLong = { sent: number | null; limit: number | null };

/** Why a model call failed, whatever the vendor; without key, URL or body. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
  /** The provider's HTTP status, where it answered with one. */
  readonly status: number | null;
  readonly retryable: boolean;
  /** How long the provider asked to wait, ms. */
  readonly retryAfterMs: number | null;
  /** The provider's reason for a refusal: for administrators alone. */
  readonly reason: string | null;
  readonly tooLong: TooLong | null;
  /** There was no answer in time: the server may only be slow. */
  readonly isLate: boolean;
  /** The server still loads the model. */
  readonly isLoading: boolean;

  constructor(
    message: string,
    facts: Partial<Omit<ModelFailure, keyof Error>> = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.status = facts.status ?? null;
    this.retryable = facts.retryable ?? false;
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.reason = facts.reason ?? null;
    this.tooLong = facts.tooLong ?? null;
    this.isLate = facts.isLate ?? false;
    this.isLoading = facts.isLoading ?? false;
  }
}

/** Statuses that concern no text: the key, the payment, the model, a quota, a server that loads. */
const OF_NO_TEXT = new Set<number | null>([401, 402, 403, 404, 429, 503]);
const SERVER_ERROR = 500;

/**
 * Whether parts of a failed call may be taken. TEI answers 422 to more texts than it takes,
 * llama-server 500 to a call with one text that is too long.
 */
export function mayTakeFewer(thrown: unknown): boolean {
  if (!(thrown instanceof ModelFailure) || OF_NO_TEXT.has(thrown.status)) return false;
  return !thrown.retryable || (thrown.status ?? 0) >= SERVER_ERROR;
}

/** Why an index waits whose vectors the model behind its name did not make. */
export const modelNotice = (model: string) =>
  `another model answers as ${model} than made this index: serve that one again, or index everything again`;

/**
 * The sentence of the provider behind an error, as the end of a sentence; empty where it said
 * nothing.
 */
export const providerReason = ({ cause }: { cause?: unknown }): string =>
  cause instanceof ModelFailure && cause.reason !== null ? `: ${cause.reason}` : "";

/** Whose models AI Gateway serves with a key of theirs. */
export const GATEWAY_PROVIDERS = [
  "openai",
  "anthropic",
  "google-ai-studio",
  "groq",
  "mistral",
  "cohere",
] as const;
/** Services that have a key: the server of `local/…`, the gateway, a provider behind it. */
export const PROVIDER_KEY_NAMES = ["local", "gateway", ...GATEWAY_PROVIDERS] as const;
export type ProviderKeyName = (typeof PROVIDER_KEY_NAMES)[number];
export const isProviderKeyName = (name: string): name is ProviderKeyName =>
  PROVIDER_KEY_NAMES.some((provider) => provider === name);

/** Settings of the panel: keys by provider, and servers of `local/…` and `local-…/…` models. */
export type ProviderKeys = Partial<Record<ProviderKeyName, string>> & { servers?: KeyedServer[] };

/** A model that can be chosen. Prices are in US dollars per million tokens; null: unknown. */
export type CatalogModel = {
  model: string;
  kind: ModelKind;
  /** Tokens of prompt and answer together; null: not a chat model. */
  contextTokens: number | null;
  price: { input: number; output: number } | null;
};

/** By `provider/name`. @throws QuarryError `model-failed`: a missing setting, an unknown name */
export interface ModelRegistry {
  chat(name: string): ChatModel;
  embedder(name: string, dimensions: number): Embedder;
  reranker(name: string): Reranker;
  imageReader(name: string): ImageReader;
  /** Reads the pictures of a source for which nothing is chosen; null: nothing does. */
  readonly imageModel: string | null;
  /** Models that can be used now, as far as is known; a local server lists its own. */
  listModels(kind: CatalogModel["kind"]): Promise<CatalogModel[]>;
  /** Every server of local models, asked now; or one that is not stored. */
  servers(): Promise<ServerState[]>;
  serverState(server: KeyedServer): Promise<ServerState>;
  /** Why a local model cannot be used: its server is not set, or lists others. Null: unknown. */
  problemWithModel(name: string): Promise<string | null>;
  /** Says what is wrong with a provider's key, as a clause; null: the provider takes it. */
  problemWithKey(provider: ProviderKeyName, key: string): Promise<string | null>;
  /** The tokenizer derived from the name, also for models that are currently unavailable. */
  tokenizerOf(name: string): Tokenizer;
  /** Says how an embedding model is given texts. */
  embeddingForm(name: string): EmbeddingForm;
}
