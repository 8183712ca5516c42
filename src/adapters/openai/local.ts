import { z } from "zod";

import type { Config } from "../../config.ts";
import { lacks, type ModelBindings, type ModelProvider } from "../model-provider.ts";
import { bearer, keyedFetch } from "./keyed-fetch.ts";
import { openAiChat, openAiEmbedding } from "./openai-models.ts";
import { openAiReranker } from "./openai-reranker.ts";

/** Texts a call that every common OpenAI-compatible server accepts (TEI's default is 32). */
const TEXTS_PER_CALL = 32;
const DOCUMENTS_PER_CALL = 100;

/** Whoever opens a form waits for the list. */
const LIST_TIMEOUT_MS = 2_000;
const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

const sending = ({ OPENAI_COMPATIBLE_API_KEY: key }: Config, { fetch, keys }: ModelBindings) =>
  keyedFetch(fetch, async () => ({ Authorization: bearer(key ?? (await keys?.())?.local) }));

/** Any OpenAI-compatible server. */
export const local: ModelProvider = {
  prefix: "local",
  documented: {
    names: "`local/…`",
    goesTo: "any OpenAI-compatible server (Ollama, vLLM, llama.cpp, LiteLLM, TEI)",
    needs: "`OPENAI_COMPATIBLE_BASE_URL`, ending in `/v1`; `OPENAI_COMPATIBLE_API_KEY`",
  },
  contextTokens: (_model, config) => config.OPENAI_COMPATIBLE_CONTEXT_TOKENS,
  async list(config, bindings) {
    const baseUrl = config.OPENAI_COMPATIBLE_BASE_URL;
    if (baseUrl === undefined) return [];
    const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
    const answer = await sending(config, bindings)(`${baseUrl}/models`, { signal });
    return modelList.parse(await answer.json()).data.map(({ id }) => id);
  },
  open({ model }, config, bindings) {
    const baseUrl = config.OPENAI_COMPATIBLE_BASE_URL;
    if (baseUrl === undefined) throw lacks(model, "OPENAI_COMPATIBLE_BASE_URL");
    const fetch = sending(config, bindings);
    const endpoint = { baseUrl, apiKey: undefined, name: "local", fetch };
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
