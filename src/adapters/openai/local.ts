import { lacks, type ModelProvider } from "../model-provider.ts";
import { openAiChat, openAiEmbedding } from "./openai-models.ts";
import { openAiReranker } from "./openai-reranker.ts";

/** Texts a call that every common OpenAI-compatible server accepts (TEI's default is 32). */
const TEXTS_PER_CALL = 32;
const DOCUMENTS_PER_CALL = 100;

/** Any OpenAI-compatible server. */
export const local: ModelProvider = {
  prefix: "local",
  documented: {
    names: "`local/…`",
    goesTo: "any OpenAI-compatible server (Ollama, vLLM, llama.cpp, LiteLLM, TEI)",
    needs: "`OPENAI_COMPATIBLE_BASE_URL`, ending in `/v1`; `OPENAI_COMPATIBLE_API_KEY`",
  },
  contextTokens: (_model, config) => config.OPENAI_COMPATIBLE_CONTEXT_TOKENS,
  open({ model }, config, { fetch }) {
    const baseUrl = config.OPENAI_COMPATIBLE_BASE_URL;
    if (baseUrl === undefined) throw lacks(model, "OPENAI_COMPATIBLE_BASE_URL");
    const apiKey = config.OPENAI_COMPATIBLE_API_KEY;
    const endpoint = { baseUrl, apiKey, name: "local", ...(fetch === undefined ? {} : { fetch }) };
    return {
      chat: (name) => openAiChat(endpoint, name),
      embedding: (name) => ({
        model: openAiEmbedding(endpoint, name, TEXTS_PER_CALL),
        batchLimit: TEXTS_PER_CALL,
      }),
      reranker: (name) => ({
        model: openAiReranker(endpoint, name),
        batchLimit: DOCUMENTS_PER_CALL,
      }),
    };
  },
};
