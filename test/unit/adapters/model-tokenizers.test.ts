import { expect, test } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { parseConfig } from "../../../src/config.ts";

const models = modelRegistry(parseConfig({ ENVIRONMENT: "development" }), {});

test.each([
  ["workers-ai/@cf/baai/bge-m3", "xlm-roberta"],
  ["workers-ai/@cf/baai/bge-reranker-base", "xlm-roberta"],
  ["local/BAAI/bge-reranker-v2-m3", "xlm-roberta"],
  ["local/intfloat/multilingual-e5-large", "xlm-roberta"],
  ["local/bge-m3:latest", "xlm-roberta"],
  ["workers-ai/@cf/baai/bge-base-en-v1.5", "bert"],
  ["local/all-minilm", "bert"],
  ["openai/text-embedding-3-small", "cl100k"],
  ["openai/gpt-4-turbo", "cl100k"],
  ["openai/gpt-3.5-turbo", "cl100k"],
  ["openai/gpt-4o-mini", "o200k"],
  ["openai/gpt-4.1", "o200k"],
  ["openai/o3-mini", "o200k"],
  ["openai/gpt-5", "o200k"],
  ["workers-ai/@cf/openai/gpt-oss-120b", "o200k"],
  ["workers-ai/@cf/meta/llama-3.3-70b-instruct-fp8-fast", "llama-3"],
  ["groq/llama-3.1-8b-instant", "llama-3"],
  ["local/llama3.2", "llama-3"],
  ["workers-ai/@cf/deepseek-ai/deepseek-r1-distill-qwen-32b", "qwen"],
  ["workers-ai/@cf/qwen/qwen3-embedding-0.6b", "qwen"],
  ["workers-ai/@cf/qwen/qwen1.5-7b-chat-awq", "qwen"],
  ["local/qwen2.5:7b", "qwen"],
  ["local/qwen3.5", "unknown"],
  ["workers-ai/@cf/meta/llama-4-scout-17b-16e-instruct", "unknown"],
  ["workers-ai/@cf/meta/llama-2-7b-chat-fp16", "unknown"],
  ["workers-ai/@cf/baai/bge-reranker-v2-gemma", "unknown"],
  ["google-ai-studio/text-embedding-004", "unknown"],
  ["anthropic/claude-sonnet-4-5", "unknown"],
  ["embedded/hash", "unknown"],
])("%s counts tokens as %s", (model, tokenizer) => {
  expect(models.tokenizerOf(model)).toBe(tokenizer);
});

test("a model that is asked for has the tokenizer of its name", () => {
  const config = parseConfig({
    ENVIRONMENT: "development",
    OPENAI_COMPATIBLE_BASE_URL: "http://localhost:1",
  });
  const local = modelRegistry(config, {});
  expect(local.chat("local/qwen3").tokenizer).toBe("qwen");
  expect(local.embedder("local/bge-m3", 1024).tokenizer).toBe("xlm-roberta");
  expect(local.reranker("local/bge-reranker-v2-m3").tokenizer).toBe("xlm-roberta");
  expect(local.embedder("embedded/hash", 64).tokenizer).toBe("unknown");
});

const BGE = "Represent this sentence for searching relevant passages: ";

test.each([
  ["workers-ai/@cf/baai/bge-base-en-v1.5", BGE, ""],
  ["local/BAAI/bge-small-en-v1.5", BGE, ""],
  ["workers-ai/@cf/baai/bge-m3", "", ""],
  ["local/multilingual-e5-large", "query: ", "passage: "],
  ["local/nomic-embed-text:latest", "search_query: ", "search_document: "],
  ["local/embeddinggemma", "task: search result | query: ", "title: none | text: "],
  ["local/mxbai-embed-large", BGE, ""],
  ["local/snowflake-arctic-embed2", "query: ", ""],
  ["local/snowflake-arctic-embed:33m", BGE, ""],
  ["local/jina-embeddings-v5-text-small", "Query: ", "Document: "],
  ["openai/text-embedding-3-small", "", ""],
  ["embedded/hash", "", ""],
])("%s expects %j before a query and %j before a passage", (model, queryPrefix, passagePrefix) => {
  expect(models.embeddingForm(model)).toMatchObject({ queryPrefix, passagePrefix });
});

test("passages are no longer than the model was trained to read", () => {
  const longest = (model: string) => models.embeddingForm(model).longestPassage;
  expect(longest("local/all-minilm")).toBeLessThan(256);
  expect(longest("local/bge-small-en-v1.5")).toBeLessThan(512);
  expect(longest("openai/text-embedding-3-small")).toBeGreaterThan(8_000);
});

test("two variables say what goes before the texts of the deployment's model", () => {
  const formOf = (variables: object, model: string) =>
    modelRegistry(parseConfig({ ENVIRONMENT: "development", ...variables }), {}).embeddingForm(
      model,
    );
  const variables = {
    EMBEDDING_MODEL: "local/nomic-embed-text",
    EMBEDDING_QUERY_PREFIX: "Instruct: answer\\nQuery: ",
    EMBEDDING_PASSAGE_PREFIX: "none",
  };
  expect(formOf(variables, "local/nomic-embed-text")).toMatchObject({
    queryPrefix: "Instruct: answer\nQuery: ",
    passagePrefix: "",
  });
  expect(formOf(variables, "local/e5-base-v2")).toMatchObject({ queryPrefix: "query: " });
});

test("Vectorize takes 1,536 dimensions, an index object more", () => {
  const parsed = (VECTOR_INDEX: string) => () =>
    parseConfig({ ENVIRONMENT: "development", VECTOR_INDEX, EMBEDDING_DIMENSIONS: "4096" });
  expect(parsed("embedded")().EMBEDDING_DIMENSIONS).toBe(4_096);
  expect(parsed("auto")).toThrow("EMBEDDING_DIMENSIONS: must be at most 1536 with Vectorize");
});
