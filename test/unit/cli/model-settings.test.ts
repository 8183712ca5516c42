import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { modelSettings } from "../../../src/cli/demo/model-settings.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { serveOpenAi } from "../../doubles/openai-compatible/serve.ts";

let state: string;
let close: () => Promise<void>;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "quarry-settings-"));
  close = () => Promise.resolve();
});
afterEach(async () => {
  await close();
  rmSync(state, { recursive: true, force: true });
});

async function served(models: string[], dimensions = 768) {
  const embed = () => Array.from({ length: dimensions }, () => 1);
  const double = new OpenAiDouble({ models, embed, apiKey: "key" });
  const server = await serveOpenAi(double);
  ({ close } = server);
  return { OPENAI_COMPATIBLE_BASE_URL: server.baseUrl, OPENAI_COMPATIBLE_API_KEY: "key" };
}

test("without a server the built-in models are used, and the Worker gets no settings", async () => {
  const none = { OPENAI_COMPATIBLE_BASE_URL: "" };
  expect(await modelSettings(none, state, { places: [] })).toEqual({
    chatModel: "embedded/extractive",
    embeddingModel: "embedded/hash",
    dimensions: null,
    baseUrl: null,
    about: "Models: embedded/extractive answers, embedded/hash embeds.",
    vars: [],
    envFiles: [],
  });
});

test("a size of vectors that is set counts for the built-in models, and is told", async () => {
  const named = { OPENAI_COMPATIBLE_BASE_URL: "", EMBEDDING_DIMENSIONS: "512" };
  for (const choice of [{ places: [] }, { embedded: true }]) {
    const { about, ...settings } = await modelSettings(named, state, choice);
    expect(settings).toMatchObject({ dimensions: "512", vars: ["EMBEDDING_DIMENSIONS:512"] });
    expect(about).toMatch(/ Its vectors have 512 dimensions, as EMBEDDING_DIMENSIONS says\.$/);
  }
});

test.each([
  [["nomic-embed-text:latest", "llama3.2:latest"], "llama3.2:latest", "nomic-embed-text:latest"],
  [["whisper-1", "bge-reranker-v2-m3", "bge-m3", "qwen3:8b"], "qwen3:8b", "bge-m3"],
  [["intfloat/multilingual-e5-large", "mistral"], "mistral", "intfloat/multilingual-e5-large"],
  [["gpt-4o-mini", "text-embedding-3-small"], "gpt-4o-mini", "text-embedding-3-small"],
  [["all-minilm", "gemma3"], "gemma3", "all-minilm"],
  [["gpt-oss:120b-cloud", "qwen2.5-coder", "mistral", "bge-m3"], "mistral", "bge-m3"],
])("of %j the right ones are chosen", async (models, chat, embedding) => {
  const environment = await served(models);
  const settings = await modelSettings(environment, state);
  expect(settings).toMatchObject({
    chatModel: `local/${chat}`,
    embeddingModel: `local/${embedding}`,
  });
  expect(settings.vars).toEqual([
    `OPENAI_COMPATIBLE_BASE_URL:${environment.OPENAI_COMPATIBLE_BASE_URL}`,
    `EMBEDDING_MODEL:local/${embedding}`,
    "EMBEDDING_DIMENSIONS:768",
  ]);
});

test("a server without embedding models leaves embedding to the built-in one", async () => {
  const settings = await modelSettings(await served(["llama3.2"]), state);
  expect(settings).toMatchObject({ chatModel: "local/llama3.2", embeddingModel: "embedded/hash" });
  expect(settings.vars).toHaveLength(1);
});

test("what the environment names is taken, and the server is not asked", async () => {
  const named = {
    OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9/v1",
    CHAT_MODEL: "local/mine",
    EMBEDDING_MODEL: "local/my-embedder",
    EMBEDDING_DIMENSIONS: "12",
  };
  expect(await modelSettings(named, state)).toMatchObject({
    chatModel: "local/mine",
    embeddingModel: "local/my-embedder",
    dimensions: "12",
  });
});

test("a server that is not there, has another key or too long vectors is told of", async () => {
  const nowhere = { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9/v1" };
  await expect(modelSettings(nowhere, state)).rejects.toThrow("/v1/models does not answer");
  const environment = await served(["some-embed", "chat"], 4_096);
  const wrongKey = { ...environment, OPENAI_COMPATIBLE_API_KEY: "other" };
  await expect(modelSettings(wrongKey, state)).rejects.toThrow("answers 401");
  await expect(modelSettings(environment, state)).rejects.toThrow("4096 dimensions");
  const empty = await served(["some-embed", "chat"], 0);
  await expect(modelSettings(empty, state)).rejects.toThrow("0 dimensions");
});

test("an interrupted change to the built-in model goes on, though a server is named", async () => {
  const environment = await served(["nomic-embed-text", "bge-m3", "llama3.2"]);
  const begunWith = "embedded/hash";
  expect(await modelSettings(environment, state, { madeWith: begunWith, begunWith })).toMatchObject(
    { chatModel: "local/llama3.2", embeddingModel: "embedded/hash", dimensions: null },
  );
  const named = { ...environment, EMBEDDING_MODEL: "local/bge-m3" };
  expect(await modelSettings(named, state, { madeWith: begunWith, begunWith })).toMatchObject({
    embeddingModel: "local/bge-m3",
  });
});
