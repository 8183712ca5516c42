import type { Config } from "../config.ts";
import { modelFailed } from "../core/errors.ts";
import { DEFAULT_IMAGE_MODEL, seesPictures } from "../core/models/model-kind.ts";
import { SERVER_NAME, type ServedModel } from "../core/models/model-servers.ts";
import type { CatalogModel, ModelRegistry } from "../ports/models.ts";
import type { Tokenizer } from "../text/tokens.ts";
import { workersAi } from "./cloudflare/workers-ai.ts";
import { embedded } from "./embedded/embedded.ts";
import { embeddingForm } from "./embedding-forms.ts";
import { limitedFetch } from "./limited-answer.ts";
import type { ModelBindings, ModelProvider } from "./model-provider.ts";
import { gateway } from "./openai/ai-gateway.ts";
import { chatImageReader } from "./openai/chat-image-reader.ts";
import { problemWithKey } from "./openai/check-key.ts";
import { local, serverVerbs } from "./openai/local.ts";

/** Every provider of models; the first whose prefix fits serves a model. */
export const MODEL_PROVIDERS: readonly ModelProvider[] = [embedded, local, workersAi, gateway];

type ListedModel = Pick<ServedModel, "model" | "kind"> &
  Partial<Pick<CatalogModel, "contextTokens" | "price">>;

const chat = (model: string, input: number, output: number): ListedModel => ({
  model,
  kind: "chat",
  price: { input, output },
});
const reranker = (model: string, input: number): ListedModel => ({
  model,
  kind: "reranker",
  price: { input, output: 0 },
});

/**
 * Models that a deployment can use without listing them, with the providers' list prices of
 * November 2026: https://developers.cloudflare.com/workers-ai/platform/pricing/ and the pages that
 * docs/scale-and-cost.md names.
 */
const MODEL_CATALOG: readonly ListedModel[] = [
  chat("embedded/extractive", 0, 0),
  chat("workers-ai/@cf/zai-org/glm-4.7-flash", 0.06, 0.4),
  chat("workers-ai/@cf/google/gemma-4-26b-a4b-it", 0.1, 0.3),
  chat("workers-ai/@cf/meta/llama-3.3-70b-instruct-fp8-fast", 0.293, 2.253),
  chat("openai/gpt-6-luna", 0.1, 0.5),
  chat("openai/gpt-6-sol", 2, 10),
  chat("anthropic/claude-haiku-5-5", 0.1, 0.5),
  chat("anthropic/claude-sonnet-5-5", 2, 10),
  chat("anthropic/claude-opus-5-5", 4, 20),
  chat("google-ai-studio/gemini-3.8-flash", 0.75, 3.75),
  { model: DEFAULT_IMAGE_MODEL, kind: "image" },
  reranker("embedded/lexical", 0),
  reranker("workers-ai/@cf/baai/bge-reranker-base", 0.003),
];

/** A chat model that sees reads pictures, too. */
const isOfKind = ({ model, kind }: ListedModel, wantedKind: CatalogModel["kind"]) =>
  kind === wantedKind || (wantedKind === "image" && kind === "chat" && seesPictures(model));

/** Weight of a trained embedding in hybrid fusion, beside BM25. */
const TRAINED_FUSION_WEIGHT = 0.55;
/** 8,192 tokens, as most embedding models, at few characters a token. */
const EMBEDDING_CHARACTERS = 24_000;
/** A provider's facts of its embedding models take precedence. */
const TRAINED = { inputLimit: EMBEDDING_CHARACTERS, fusionWeight: TRAINED_FUSION_WEIGHT };

/** Names of servers, `local-…`, are of the provider `local`. */
const hasPrefix = ({ prefix: own }: ModelProvider, prefix: string) =>
  own === null || own === prefix || (own === local.prefix && SERVER_NAME.test(prefix));

function parseModelName(providers: readonly ModelProvider[], model: string) {
  const slash = model.indexOf("/");
  const prefix = model.slice(0, Math.max(0, slash));
  const provider = providers.find((candidate) => hasPrefix(candidate, prefix));
  if (prefix === "" || provider === undefined) {
    throw modelFailed(`Model ${model}: the name must have the form provider/name`);
  }
  return { provider, prefix, name: model.slice(slash + 1) };
}

/** Models by `provider/name`; a provider's settings are read when it is first used. */
export function modelRegistry(
  config: Config,
  options: ModelBindings,
  providers: readonly ModelProvider[] = MODEL_PROVIDERS,
): ModelRegistry {
  const fetch = limitedFetch(options.fetch, config.MODEL_ANSWER_MAX_BYTES);
  const bindings = { ...options, fetch };
  const find = (model: string) => {
    const { provider, prefix, name } = parseModelName(providers, model);
    const open = () => provider.open({ prefix, model }, config, bindings);
    return { provider, open, name };
  };
  const isUsable = (model: string) => isOpenable(() => find(model).open());
  return {
    chat(model) {
      const { provider, open, name } = find(model);
      const models = open();
      return {
        ...models.serverFacts?.(name),
        name: model,
        model: models.chat(name),
        tokenizer: tokenizerOf(model),
        callsFunctions: provider.callsFunctions ?? true,
        get contextTokens() {
          return provider.contextTokens(model, config);
        },
      };
    },
    embedder(model, dimensions) {
      const { open, name } = find(model);
      const embedding = open().embedding(name, dimensions);
      return { ...TRAINED, ...embedding, name: model, dimensions, tokenizer: tokenizerOf(model) };
    },
    reranker(model) {
      const { open, name } = find(model);
      const reranker = open().reranker(name);
      return { isAbsolute: true, ...reranker, name: model, tokenizer: tokenizerOf(model) };
    },
    imageReader(model) {
      const { open, name } = find(model);
      return open().image?.(name) ?? chatImageReader(this.chat(model));
    },
    imageModel: options.ai === undefined ? null : DEFAULT_IMAGE_MODEL,
    async listModels(kind) {
      const servers = await serverVerbs(config, bindings).servers();
      const served = servers.flatMap(({ models }) => models);
      const usable = MODEL_CATALOG.filter(({ model }) => isUsable(model));
      const models: ListedModel[] = [...served, ...usable];
      const ofKind = models.filter((model) => isOfKind(model, kind));
      return ofKind.map(({ model, price = null, contextTokens: own }) => {
        const tokens = own === undefined ? find(model).provider.contextTokens(model, config) : own;
        return { model, kind, price, contextTokens: kind === "chat" ? tokens : null };
      });
    },
    ...serverVerbs(config, bindings),
    problemWithKey: (name, key) => problemWithKey(config, bindings.fetch, { name, key }),
    tokenizerOf,
    embeddingForm: (model) => embeddingForm(model, config),
  };
}

function isOpenable(open: () => unknown): boolean {
  try {
    return open() !== null;
  } catch {
    return false;
  }
}

/**
 * By what a model's name holds; the first match wins. From each model's `tokenizer.json` on Hugging
 * Face, and https://github.com/openai/tiktoken/blob/main/tiktoken/model.py for OpenAI's. A change
 * cuts documents otherwise: raise `CHUNKING_FORMAT` with it.
 */
const TOKENIZERS: [name: RegExp, tokenizer: Tokenizer][] = [
  [/gpt-oss|gpt-5|gpt-4o|gpt-4\.[15]|\/o[134](-|$)/, "o200k"],
  [/text-embedding-(3-|ada)|gpt-4(-|$)|gpt-3\.5/, "cl100k"],
  [/bge-m3|bge-reranker-(base|large|v2-m3)|multilingual-e5|xlm-r/, "xlm-roberta"],
  [/bge-(small|base|large)-en|all-minilm/, "bert"],
  [/qwen-?(1\.5|2\.5|[23])(?![.\d])|distill-qwen|qwq/, "qwen"],
  [/llama-?3(?!\d)|distill-llama/, "llama-3"],
];

/** For chat, embedding and reranking models alike. */
function tokenizerOf(model: string): Tokenizer {
  const name = model.toLowerCase();
  return TOKENIZERS.find(([pattern]) => pattern.test(name))?.[1] ?? "unknown";
}
