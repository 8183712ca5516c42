import type { Config } from "../../config.ts";
import { omitUndefined } from "../../core/input/omit-undefined.ts";
import {
  environmentServers,
  SERVER_NAME,
  type KeyedServer,
} from "../../core/models/model-servers.ts";
import { ModelFailure } from "../../ports/models.ts";
import { missingSetting, UNKNOWN_CONTEXT_TOKENS } from "../model-provider.ts";
import type { ModelBindings, ModelProvider } from "../model-provider.ts";
import { learnWindow, readWindow, windowOf } from "./model-window.ts";
import { openAiEmbedding } from "./openai-embedding.ts";
import { openAiChat } from "./openai-models.ts";
import { openAiReranker } from "./openai-reranker.ts";
import { panelAddress, serverFetch, stateOf } from "./server-state.ts";

/** Texts a call that every common OpenAI-compatible server accepts (TEI's default is 32). */
const TEXTS_PER_CALL = 32;
const DOCUMENTS_PER_CALL = 100;

/** Servers of the environment come first and hide the panel's of the same name. */
async function readServers(config: Config, { keys }: ModelBindings): Promise<KeyedServer[]> {
  const { local: key, servers = [] } = (await keys?.()) ?? {};
  const own = environmentServers({ OPENAI_COMPATIBLE_API_KEY: key, ...omitUndefined(config) });
  return [...own, ...servers.filter(({ name }) => own.every((server) => server.name !== name))];
}

const VARIABLES: Record<string, string> = {
  local: "the setting OPENAI_COMPATIBLE_BASE_URL, or ",
  "local-embed": "the setting EMBEDDING_BASE_URL, or ",
};
const missingServer = (prefix: string, model: string) =>
  missingSetting(
    model,
    `${VARIABLES[prefix] ?? ""}a server named ${prefix} under Settings, Models and prices`,
  );

/** The registry's verbs for servers. */
export const serverVerbs = (config: Config, bindings: ModelBindings) => ({
  async servers() {
    const servers = await readServers(config, bindings);
    return await Promise.all(servers.map((server) => stateOf(server, bindings.fetch)));
  },
  serverState: (server: KeyedServer) => stateOf(server, bindings.fetch),
  async problemWithModel(model: string) {
    const prefix = model.slice(0, model.indexOf("/"));
    if (!SERVER_NAME.test(prefix)) return null;
    const server = (await readServers(config, bindings)).find(({ name }) => name === prefix);
    if (server === undefined) return missingServer(prefix, model).message;
    const names = (await stateOf(server, bindings.fetch)).models.map((model) => model.model);
    // Ollama lists llama3.2 as llama3.2:latest; LiteLLM may list patterns.
    const isSameModel = (name: string) =>
      [model, `${model}:latest`].includes(name) || name.includes("*");
    if (names.length === 0 || names.some(isSameModel)) return null;
    return `Model ${model}: its server lists ${names.join(", ")}`;
  },
});

/** It has an address of its own: https://www.alibabacloud.com/help/en/model-studio/text-rerank-api */
const DASHSCOPE_RERANKER = /\/compatible-(?:mode|api)\/v1\/rerank$/;
const DASHSCOPE_RERANKS = "/compatible-api/v1/reranks";

const addressOf = (prefix: string, config: Config) =>
  environmentServers(config).find(({ name }) => name === prefix)?.baseUrl ?? panelAddress(prefix);

/** Any OpenAI-compatible server. */
export const local: ModelProvider = {
  prefix: "local",
  documented: {
    names: "`local/…`, `local-embed/…`, …",
    goesTo: "any OpenAI-compatible server (Ollama, vLLM, llama.cpp, LiteLLM, TEI)",
    needs: "`OPENAI_COMPATIBLE_BASE_URL`, or [a server](#a-local-server) set in the panel",
  },
  contextTokens(model, config) {
    const slash = model.indexOf("/");
    const most = config.OPENAI_COMPATIBLE_CONTEXT_TOKENS;
    const window = windowOf(addressOf(model.slice(0, slash), config), model.slice(slash + 1));
    return Math.min(most ?? Infinity, window?.tokens ?? most ?? UNKNOWN_CONTEXT_TOKENS);
  },
  open({ prefix, model }, config, bindings) {
    const own = environmentServers(config).find(({ name }) => name === prefix);
    if (own === undefined && bindings.keys === undefined) throw missingServer(prefix, model);
    const baseUrl = addressOf(prefix, config);
    const callsAtOnce = config.OPENAI_COMPATIBLE_CALLS_AT_ONCE ?? null;
    const server = { address: baseUrl, callsAtOnce };
    const fetch: typeof globalThis.fetch = async (input, init) => {
      // With a key of the environment, nothing is read.
      const servers = own?.apiKey === undefined ? await readServers(config, bindings) : [own];
      const target = servers.find(({ name }) => name === prefix);
      if (target === undefined) throw new ModelFailure(missingServer(prefix, model).message);
      const url = input instanceof Request ? input.url : input.toString();
      const path = url.slice(baseUrl.length);
      const address = `${target.baseUrl}${path}`.replace(DASHSCOPE_RERANKER, DASHSCOPE_RERANKS);
      return await serverFetch(target, bindings.fetch)(address, init);
    };
    const endpoint = { baseUrl, name: "local", fetch };
    return {
      chat: (name) => openAiChat(endpoint, name),
      serverFacts: (name) => ({
        server,
        window: {
          read: (isAgain) => readWindow(endpoint, name, isAgain),
          learn: (tokens) => void learnWindow(baseUrl, name, tokens),
        },
      }),
      embedding: (name) => ({
        model: openAiEmbedding(endpoint, name, TEXTS_PER_CALL),
        batchLimit: TEXTS_PER_CALL,
        server,
      }),
      reranker: (name) => ({
        model: openAiReranker(endpoint, name),
        batchLimit: DOCUMENTS_PER_CALL,
      }),
    };
  },
};
