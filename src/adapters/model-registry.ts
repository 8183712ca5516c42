import type { Config } from "../config.ts";
import { modelFailed } from "../core/errors.ts";
import type { ModelRegistry } from "../ports/models.ts";
import { workersAiChat } from "./cloudflare/workers-ai-chat.ts";
import {
  WORKERS_AI_TEXTS_PER_CALL,
  workersAiEmbedding,
} from "./cloudflare/workers-ai-embedding.ts";
import type { WorkersAi, WorkersAiSettings } from "./cloudflare/workers-ai-failures.ts";
import {
  WORKERS_AI_CONTEXTS_PER_CALL,
  workersAiReranker,
} from "./cloudflare/workers-ai-reranker.ts";
import { extractiveChat } from "./embedded/extractive-chat.ts";
import { hashEmbedder } from "./embedded/hash-embedder.ts";
import { lexicalReranker } from "./embedded/lexical-reranker.ts";
import { contextTokensOf, tokenizerOf } from "./model-facts.ts";
import { aiGateway } from "./openai/ai-gateway.ts";
import { openAiChat, openAiEmbedding } from "./openai/openai-models.ts";
import type { OpenAiEndpoint } from "./openai/openai-models.ts";
import { openAiReranker } from "./openai/openai-reranker.ts";
import { limitedFetch } from "./limited-answer.ts";
import { lacks } from "./model-provider.ts";
import type { Provider } from "./model-provider.ts";

/** Texts a call that every common OpenAI-compatible server accepts (TEI's default is 32). */
const OPENAI_TEXTS_PER_CALL = 32;
const OPENAI_DOCUMENTS_PER_RERANK = 100;
/** Weight of a trained embedding in hybrid fusion, beside BM25. */
const TRAINED_FUSION_WEIGHT = 0.5;
/**
 * 8,192 tokens, the window of most embedding models, at a low estimate of characters per token.
 */
const EMBEDDING_CHARACTERS = 24_000;

export type ModelBindings = {
  ai?: WorkersAi | undefined;
  /** Tests pass a double; otherwise the runtime's own. */
  fetch?: typeof globalThis.fetch | undefined;
};

/** Models by `provider/name`; a provider's settings are read when it is first used. */
export function modelRegistry(config: Config, given: ModelBindings): ModelRegistry {
  const bindings = { ...given, fetch: limitedFetch(given.fetch, config.MODEL_ANSWER_MAX_BYTES) };
  const providers = (model: string): Provider => {
    const prefix = model.slice(0, Math.max(0, model.indexOf("/")));
    switch (prefix) {
      case "":
        throw modelFailed(`Model ${model}: the name must have the form provider/name`);
      case "embedded":
        return embedded(model);
      case "local":
        return overOpenAi(localEndpoint(config, bindings, model));
      case "workers-ai":
        return overWorkersAi(workersAiSettings(config, bindings, model));
      default:
        return aiGateway(config, { provider: prefix, model, fetch: bindings.fetch });
    }
  };
  const nameOf = (model: string) => model.slice(model.indexOf("/") + 1);
  return {
    chat: (name) => ({
      name,
      model: providers(name).chat(nameOf(name)),
      tokenizer: tokenizerOf(name),
      contextTokens: name.startsWith("local/")
        ? config.OPENAI_COMPATIBLE_CONTEXT_TOKENS
        : contextTokensOf(name),
    }),
    embedder(name, dimensions) {
      if (name === "embedded/hash") return hashEmbedder(dimensions);
      const { model, batchLimit } = providers(name).embedding(nameOf(name));
      const facts = { inputLimit: EMBEDDING_CHARACTERS, fusionWeight: TRAINED_FUSION_WEIGHT };
      return { name, dimensions, model, batchLimit, tokenizer: tokenizerOf(name), ...facts };
    },
    reranker(name) {
      if (name === "embedded/lexical") return lexicalReranker();
      const { model, batchLimit } = providers(name).reranker(nameOf(name));
      return { name, model, isAbsolute: true, batchLimit, tokenizer: tokenizerOf(name) };
    },
    tokenizerOf,
  };
}

function embedded(model: string): Provider {
  const unknown = (kind: string, known: string) =>
    modelFailed(`Model ${model} is no ${kind}; the embedded one is ${known}`);
  return {
    chat(name) {
      if (name === "extractive") return extractiveChat();
      throw unknown("chat model", "embedded/extractive");
    },
    embedding() {
      throw unknown("embedding model", "embedded/hash");
    },
    reranker() {
      throw unknown("reranker", "embedded/lexical");
    },
  };
}

function localEndpoint(config: Config, { fetch }: ModelBindings, model: string): OpenAiEndpoint {
  const baseUrl = config.OPENAI_COMPATIBLE_BASE_URL;
  if (baseUrl === undefined) throw lacks(model, "OPENAI_COMPATIBLE_BASE_URL");
  const apiKey = config.OPENAI_COMPATIBLE_API_KEY;
  return { baseUrl, apiKey, name: "local", ...(fetch === undefined ? {} : { fetch }) };
}

function overOpenAi(endpoint: OpenAiEndpoint): Provider {
  return {
    chat: (name) => openAiChat(endpoint, name),
    embedding: (name) => ({
      model: openAiEmbedding(endpoint, name, OPENAI_TEXTS_PER_CALL),
      batchLimit: OPENAI_TEXTS_PER_CALL,
    }),
    reranker: (name) => ({
      model: openAiReranker(endpoint, name),
      batchLimit: OPENAI_DOCUMENTS_PER_RERANK,
    }),
  };
}

function workersAiSettings(
  config: Config,
  { ai }: ModelBindings,
  model: string,
): WorkersAiSettings & { maxBytes: number } {
  if (ai === undefined) throw modelFailed(`Model ${model} needs the binding AI (Workers AI)`);
  return { ai, gatewayId: config.AI_GATEWAY_ID, maxBytes: config.MODEL_ANSWER_MAX_BYTES };
}

function overWorkersAi(settings: ReturnType<typeof workersAiSettings>): Provider {
  return {
    chat: (name) => workersAiChat(settings, name),
    embedding: (name) => ({
      model: workersAiEmbedding(settings, name),
      batchLimit: WORKERS_AI_TEXTS_PER_CALL,
    }),
    reranker: (name) => ({
      model: workersAiReranker(settings, name),
      batchLimit: WORKERS_AI_CONTEXTS_PER_CALL,
    }),
  };
}
