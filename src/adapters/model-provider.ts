import type { LanguageModelV4 } from "@ai-sdk/provider";

import type { Config } from "../config.ts";
import { modelFailed } from "../core/errors.ts";
import type { ChatModel, Embedder, ImageReader, ProviderKeys, Reranker } from "../ports/models.ts";
import type { WorkersAi } from "./cloudflare/workers-ai-failures.ts";

export type ModelBindings = {
  ai?: WorkersAi | undefined;
  /** Tests pass a double; otherwise the runtime's own. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Keys and servers that were set in the panel; variables count before them. */
  keys?: (() => Promise<ProviderKeys>) | undefined;
};

/** Facts in which embedding models and rerankers differ; the rest follows from the name. */
type EmbeddingOf = Pick<Embedder, "model" | "batchLimit"> &
  Partial<Pick<Embedder, "inputLimit" | "fusionWeight" | "server">>;
type RerankerOf = Pick<Reranker, "model" | "batchLimit">;

/** `name`: after the first slash. @throws QuarryError `model-failed`: no model of this kind */
type ProviderModels = {
  chat(name: string): LanguageModelV4;
  /** Facts of chat models of a server of one's own. */
  serverFacts?(name: string): Pick<ChatModel, "server" | "window">;
  embedding(name: string, dimensions: number): EmbeddingOf;
  reranker(name: string): RerankerOf;
  /** For what reads pictures without being a chat model, or never does; null: ask the chat model. */
  image?(name: string): ImageReader | null;
};

/** Where a model is named: `workers-ai` and the whole of `workers-ai/@cf/baai/bge-m3`. */
type NamedModel = { prefix: string; model: string };

export type ModelProvider = {
  /** The beginning of its models' names; null: any name that no other provider takes. */
  prefix: string | null;
  /** Row of the table in docs/models.md, as Markdown. */
  documented: { names: string; goesTo: string; needs: string };
  /** Tokens of prompt and answer together, as far as they are known now. */
  contextTokens(model: string, config: Config): number;
  /** False: its chat models cannot choose among functions of a caller. */
  callsFunctions?: false;
  /** @throws QuarryError `model-failed` that names the setting which is missing. */
  open(named: NamedModel, config: Config, bindings: ModelBindings): ProviderModels;
};

export const missingSetting = (model: string, settings: string) =>
  modelFailed(`Model ${model} needs ${settings}`);

/** The first name that a model's begins with says how many: longer ones come first. */
export function contextTokensIn(windows: [beginning: string, tokens: number][], model: string) {
  return windows.find(([beginning]) => model.startsWith(beginning))?.[1] ?? UNKNOWN_CONTEXT_TOKENS;
}

/** For unknown models: small enough for most current servers. */
export const UNKNOWN_CONTEXT_TOKENS = 16_384;
