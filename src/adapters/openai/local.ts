import { z } from "zod";

import { lacks, type ModelBindings, type ModelProvider } from "../model-provider.ts";
import { keyedFetch } from "./keyed-fetch.ts";
import { openAiChat, openAiEmbedding } from "./openai-models.ts";
import { openAiReranker } from "./openai-reranker.ts";

/** Texts a call that every common OpenAI-compatible server accepts (TEI's default is 32). */
const TEXTS_PER_CALL = 32;
const DOCUMENTS_PER_CALL = 100;

/** Whoever opens a form waits for the list. */
const LIST_TIMEOUT_MS = 2_000;
const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

async function localHeaders(apiKey: string | undefined, keys: ModelBindings["keys"]) {
  const key = apiKey ?? (await keys?.())?.local;
  return { Authorization: key === undefined ? undefined : `Bearer ${key}` };
}

/** Any OpenAI-compatible server. */
export const local: ModelProvider = {
  prefix: "local",
  documented: {
    names: "`local/…`",
    goesTo: "any OpenAI-compatible server (Ollama, vLLM, llama.cpp, LiteLLM, TEI)",
    needs: "`OPENAI_COMPATIBLE_BASE_URL`, ending in `/v1`; `OPENAI_COMPATIBLE_API_KEY`",
  },
  contextTokens: (_model, config) => config.OPENAI_COMPATIBLE_CONTEXT_TOKENS,
  async list(config, { fetch = globalThis.fetch, keys }) {
    const { OPENAI_COMPATIBLE_BASE_URL: baseUrl, OPENAI_COMPATIBLE_API_KEY: key } = config;
    if (baseUrl === undefined) return [];
    const send = keyedFetch(fetch, () => localHeaders(key, keys));
    const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
    const answer = await send(`${baseUrl}/models`, { signal });
    return modelList.parse(await answer.json()).data.map(({ id }) => id);
  },
  open({ model }, config, { fetch, keys }) {
    const baseUrl = config.OPENAI_COMPATIBLE_BASE_URL;
    if (baseUrl === undefined) throw lacks(model, "OPENAI_COMPATIBLE_BASE_URL");
    const apiKey = config.OPENAI_COMPATIBLE_API_KEY;
    const send = keyedFetch(fetch, () => localHeaders(apiKey, keys));
    const endpoint = { baseUrl, apiKey: undefined, name: "local", fetch: send };
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
