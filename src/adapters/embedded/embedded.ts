import { modelFailed } from "../../core/errors.ts";
import { BUILT_IN_MODELS } from "../../ports/models.ts";
import type { ModelProvider } from "../model-provider.ts";
import { extractiveChat } from "./extractive-chat.ts";
import { hashEmbedder } from "./hash-embedder.ts";
import { lexicalReranker } from "./lexical-reranker.ts";

/** None of them counts tokens; it bounds a prompt. */
const CONTEXT_TOKENS = 200_000;

export const embedded: ModelProvider = {
  prefix: "embedded",
  documented: {
    names: Object.values(BUILT_IN_MODELS)
      .map((name) => `\`${name}\``)
      .join(", "),
    goesTo: "inside the Worker",
    needs: "nothing",
  },
  contextTokens: () => CONTEXT_TOKENS,
  callsFunctions: false,
  open({ model }) {
    const requireModel = (kind: string, name: string) => {
      if (model !== name) {
        throw modelFailed(`Model ${model} is no ${kind}; the embedded one is ${name}`);
      }
    };
    return {
      chat() {
        requireModel("chat model", BUILT_IN_MODELS.chat);
        return extractiveChat();
      },
      embedding(_name, dimensions) {
        requireModel("embedding model", BUILT_IN_MODELS.embedding);
        return hashEmbedder(dimensions);
      },
      image() {
        throw modelFailed(
          `Model ${model} does not see: name one that does, such as local/qwen3-vl`,
        );
      },
      reranker() {
        requireModel("reranker", BUILT_IN_MODELS.reranker);
        return lexicalReranker();
      },
    };
  },
};
