/**
 * Outside providers through Cloudflare's AI Gateway, with the keys that are stored there.
 * - Chat: `/compat/chat/completions`, the provider's name in the model's.
 *   https://developers.cloudflare.com/ai-gateway/usage/chat-completion/
 * - Embeddings and reranking have no documented place under `/compat`. Where a provider's own
 *   API has OpenAI's form, its path below the gateway is used:
 *   https://developers.cloudflare.com/ai-gateway/usage/providers/openai/ (and mistral/, cohere/)
 */
import type { Config } from "../../config.ts";
import { modelFailed } from "../../core/errors.ts";
import { isProviderKeyName } from "../../ports/models.ts";
import {
  contextTokensIn,
  missingSetting,
  type ModelBindings,
  type ModelProvider,
} from "../model-provider.ts";
import { bearer, keyedFetch } from "./keyed-fetch.ts";
import { openAiEmbedding } from "./openai-embedding.ts";
import { openAiChat, type OpenAiEndpoint } from "./openai-models.ts";
import { openAiReranker } from "./openai-reranker.ts";

/** One attempt per call: Quarry itself decides on retries, not the gateway. */
const HEADERS = { "cf-aig-max-attempts": "1" };

const TEXTS_PER_CALL = 32;
const DOCUMENTS_PER_CALL = 100;

/** Paths below the gateway that offer `/embeddings` and `/rerank`. */
const EMBEDDING_PATHS = new Map([
  ["openai", "openai"],
  ["mistral", "mistral/v1"],
]);
const RERANKER_PATHS = new Map([["cohere", "cohere/v1"]]);

/** OpenAI's models that support shorter vectors. */
const SHORTENED = /^text-embedding-3-/;

const CONTEXT_TOKENS: [beginning: string, tokens: number][] = [
  ["anthropic/", 200_000],
  ["google-ai-studio/", 1_000_000],
  ["openai/gpt-3.5", 16_385],
  ["openai/", 128_000],
  ["groq/", 128_000],
  ["mistral/", 128_000],
];

/** Every provider that the gateway knows, by its name there. */
export const gateway: ModelProvider = {
  prefix: null,
  documented: {
    names: "`openai/…`, `anthropic/…`, `google-ai-studio/…`, `groq/…`, …",
    goesTo: "AI Gateway",
    needs: "`AI_GATEWAY_ACCOUNT_ID`, `AI_GATEWAY_ID`, `AI_GATEWAY_TOKEN`",
  },
  contextTokens: (model) => contextTokensIn(CONTEXT_TOKENS, model),
  open({ prefix: provider, model }, config, bindings) {
    const at = endpointsOf(config, { provider, model }, bindings);
    return {
      chat: (name) => openAiChat(at("compat"), `${provider}/${name}`),
      embedding(name) {
        const path = EMBEDDING_PATHS.get(provider);
        if (path === undefined) throw unsupportedModel(model, "embedding models", EMBEDDING_PATHS);
        const sendsDimensions = provider === "openai" && SHORTENED.test(name);
        const endpoint = { ...at(path), sendsDimensions };
        const batchLimit = TEXTS_PER_CALL;
        return { model: openAiEmbedding(endpoint, name, batchLimit), batchLimit };
      },
      reranker(name) {
        const path = RERANKER_PATHS.get(provider);
        if (path === undefined) throw unsupportedModel(model, "rerankers", RERANKER_PATHS);
        const endpoint: OpenAiEndpoint = { ...at(path), isCohere: true };
        return { model: openAiReranker(endpoint, name), batchLimit: DOCUMENTS_PER_CALL };
      },
    };
  },
};

/** Null where a variable is missing. */
export function gatewayUrl(config: Config): string | null {
  const { AI_GATEWAY_ACCOUNT_ID: account, AI_GATEWAY_ID: gateway } = config;
  if (account === undefined || gateway === undefined) return null;
  return `${config.AI_GATEWAY_BASE_URL}/${account}/${gateway}`;
}

function endpointsOf(
  config: Config,
  { provider, model }: { provider: string; model: string },
  { fetch, keys }: ModelBindings,
) {
  const base = gatewayUrl(config);
  const missing = config.AI_GATEWAY_ACCOUNT_ID === undefined ? "ACCOUNT_ID" : "ID";
  if (base === null) throw missingSetting(model, `the setting AI_GATEWAY_${missing}`);
  const send = keyedFetch(fetch, async () => {
    const storedKeys = (await keys?.()) ?? {};
    return {
      "cf-aig-authorization": bearer(config.AI_GATEWAY_TOKEN ?? storedKeys.gateway),
      // Without one the gateway uses the key that it stores.
      Authorization: bearer(isProviderKeyName(provider) ? storedKeys[provider] : undefined),
    };
  });
  const timeout = { "cf-aig-request-timeout": String(config.MODEL_TIMEOUT_MS) };
  return (path: string): OpenAiEndpoint => ({
    baseUrl: `${base}/${path}`,
    headers: { ...HEADERS, ...timeout },
    name: "gateway",
    fetch: send,
  });
}

function unsupportedModel(model: string, kind: string, paths: Map<string, string>) {
  const providerNames = [...paths.keys()].map((provider) => `${provider}/…`).join(" and ");
  return modelFailed(
    `Model ${model}: AI Gateway serves ${kind} of ${providerNames}; others are local/…, workers-ai/… and embedded/…`,
  );
}
