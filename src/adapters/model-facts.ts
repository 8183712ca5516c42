import type { Tokenizer } from "../text/tokens.ts";

/** Facts that the providers' APIs do not report, by prefix of the model's name. */
type Facts = { contextTokens: number };

/** For unknown models: small enough for most current servers. */
const UNKNOWN: Facts = { contextTokens: 16_384 };

/** The first match wins: longer prefixes come before shorter ones. */
const KNOWN: [beginning: string, facts: Facts][] = [
  ["embedded/", { contextTokens: 200_000 }],
  ["anthropic/", { contextTokens: 200_000 }],
  ["google-ai-studio/", { contextTokens: 1_000_000 }],
  ["openai/gpt-3.5", { contextTokens: 16_385 }],
  ["openai/", { contextTokens: 128_000 }],
  ["groq/", { contextTokens: 128_000 }],
  ["mistral/", { contextTokens: 128_000 }],
  ["workers-ai/@cf/meta/llama-4", { contextTokens: 131_000 }],
  ["workers-ai/@cf/meta/llama-3.3", { contextTokens: 24_000 }],
  ["workers-ai/@cf/meta/llama-3.2", { contextTokens: 60_000 }],
  ["workers-ai/@cf/meta/llama-3.1-8b-instruct-fp8", { contextTokens: 32_000 }],
  ["workers-ai/@cf/meta/llama-3.1", { contextTokens: 7_968 }],
  ["workers-ai/@cf/meta/llama", { contextTokens: 8_192 }],
  ["workers-ai/@cf/openai/gpt-oss", { contextTokens: 128_000 }],
  ["workers-ai/@cf/mistralai/mistral-small", { contextTokens: 128_000 }],
  ["workers-ai/@cf/qwen/", { contextTokens: 32_768 }],
  ["workers-ai/@cf/google/gemma-3", { contextTokens: 80_000 }],
  ["workers-ai/", { contextTokens: 8_192 }],
];

/** Tokens of prompt and answer together. */
export function contextTokensOf(model: string): number {
  const known = KNOWN.find(([beginning]) => model.startsWith(beginning));
  return (known?.[1] ?? UNKNOWN).contextTokens;
}

/**
 * Tokenizers by what a model's name holds, whoever serves it; the first match wins. These are the
 * vocabularies that the models were published with: `tokenizer.json` of each on Hugging Face, and
 * https://github.com/openai/tiktoken/blob/main/tiktoken/model.py for OpenAI's. A change here cuts
 * documents otherwise: raise `CHUNKING_FORMAT` with it.
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
