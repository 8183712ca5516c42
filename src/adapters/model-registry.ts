import type { Config } from "../config.ts";
import { modelFailed } from "../core/errors.ts";
import type { ModelRegistry } from "../ports/models.ts";
import { limitedFetch } from "./limited-answer.ts";
import type { ModelBindings, ModelProvider } from "./model-provider.ts";
import { MODEL_PROVIDERS } from "./models.ts";
import { tokenizerOf } from "./tokenizers.ts";

/** Weight of a trained embedding in hybrid fusion, beside BM25. */
const TRAINED_FUSION_WEIGHT = 0.5;
/**
 * 8,192 tokens, the window of most embedding models, at a low estimate of characters per token.
 */
const EMBEDDING_CHARACTERS = 24_000;
/** What a provider says of its embedding models goes before. */
const TRAINED = { inputLimit: EMBEDDING_CHARACTERS, fusionWeight: TRAINED_FUSION_WEIGHT };

/** Models by `provider/name`; a provider's settings are read when it is first used. */
export function modelRegistry(
  config: Config,
  given: ModelBindings,
  providers: readonly ModelProvider[] = MODEL_PROVIDERS,
): ModelRegistry {
  const bindings = { ...given, fetch: limitedFetch(given.fetch, config.MODEL_ANSWER_MAX_BYTES) };
  const find = (model: string) => {
    const slash = model.indexOf("/");
    const prefix = model.slice(0, Math.max(0, slash));
    const provider = providers.find((one) => one.prefix === null || one.prefix === prefix);
    if (prefix === "" || provider === undefined) {
      throw modelFailed(`Model ${model}: the name must have the form provider/name`);
    }
    const open = () => provider.open({ prefix, model }, config, bindings);
    return { provider, open, name: model.slice(slash + 1) };
  };
  return {
    chat(model) {
      const { provider, open, name } = find(model);
      const contextTokens = provider.contextTokens(model, config);
      return {
        name: model,
        model: open().chat(name),
        tokenizer: tokenizerOf(model),
        contextTokens,
        callsFunctions: provider.callsFunctions ?? true,
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
    tokenizerOf,
  };
}
