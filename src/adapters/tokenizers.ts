import type { Tokenizer } from "../text/tokens.ts";

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
export function tokenizerOf(model: string): Tokenizer {
  const name = model.toLowerCase();
  return TOKENIZERS.find(([pattern]) => pattern.test(name))?.[1] ?? "unknown";
}
