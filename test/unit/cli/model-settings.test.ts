import type { RequestListener } from "node:http";
import { beforeEach, expect, test } from "vitest";

import type { ModelPlace } from "../../../src/cli/demo/model-server.ts";
import { modelSettings, type ModelChoice } from "../../../src/cli/demo/model-settings.ts";
import { listen } from "../../doubles/listen.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { serveOpenAi } from "../../doubles/openai-compatible/serve.ts";

const DIMENSIONS = 8;
let closers: (() => Promise<void>)[] = [];
let doubles: OpenAiDouble[] = [];

beforeEach(async () => {
  closers = [];
  doubles = [];
  nobody = { ...(await listening(() => undefined)), program: "vLLM" };
  await Promise.all(closers.splice(0).map((close) => close()));
  return () => Promise.all(closers.map((close) => close()));
});

/** A program that serves these models, at a port that stands for its usual one. */
async function serving(program: string, models: string[], size = DIMENSIONS): Promise<ModelPlace> {
  const double = new OpenAiDouble({ models, embed: () => Array.from({ length: size }, () => 1) });
  doubles.push(double);
  const { baseUrl, close } = await serveOpenAi(double);
  closers.push(close);
  return { program, port: Number(new URL(baseUrl).port) };
}

async function listening(listener: RequestListener): Promise<ModelPlace> {
  const { port, stop } = await listen(listener);
  closers.push(stop);
  return { program: "Ollama", port };
}

/** A place where nothing listens. */
let nobody: ModelPlace = { program: "vLLM", port: 0 };
const choose = (choice: ModelChoice, environment: NodeJS.ProcessEnv = {}) =>
  modelSettings(environment, choice);

test("a server of this machine is used, first one with both kinds of models, and said", async () => {
  const answering = await serving("llama.cpp", ["mistral"]);
  const alone = await choose({ places: [nobody, answering] });
  expect(alone).toMatchObject({ chatModel: "local/mistral", embeddingModel: "embedded/hash" });
  const ollama = await serving("Ollama", ["qwen3:8b", "nomic-embed-text:latest"]);
  const result = await choose({ places: [nobody, answering, ollama] });
  const baseUrl = `http://127.0.0.1:${ollama.port}/v1`;
  expect(result.variables).toEqual({
    OPENAI_COMPATIBLE_BASE_URL: baseUrl,
    EMBEDDING_MODEL: "local/nomic-embed-text:latest",
    EMBEDDING_DIMENSIONS: String(DIMENSIONS),
  });
  expect(result.chatModel).toBe("local/qwen3:8b");
  expect(result.about).toBe(
    `Models: local/qwen3:8b answers, local/nomic-embed-text:latest embeds, with Ollama at ${baseUrl}. ` +
      "To use others, set CHAT_MODEL and EMBEDDING_MODEL; --embedded uses the built-in ones.",
  );
});

test("chat and embedding servers that the environment names are asked, and no others", async () => {
  const chat = await serving("llama.cpp", ["qwen3"]);
  const embedder = await serving("llama.cpp", ["bge-m3"]);
  const [chatUrl, embeddingUrl] = [chat, embedder].map(({ port }) => `http://127.0.0.1:${port}/v1`);
  const environment = { OPENAI_COMPATIBLE_BASE_URL: chatUrl, EMBEDDING_BASE_URL: embeddingUrl };
  const places = [await serving("Ollama", ["mistral"])];
  expect(await choose({ places }, environment)).toMatchObject({
    chatModel: "local/qwen3",
    embeddingModel: "local-embed/bge-m3",
    dimensions: String(DIMENSIONS),
    about: `Models: local/qwen3 answers, local-embed/bge-m3 embeds, local/… at ${chatUrl}, local-embed/… at ${embeddingUrl}.`,
  });
  // As TEI, it lists nothing.
  const silent = { ...environment, EMBEDDING_BASE_URL: "http://127.0.0.1:9/v1" };
  expect((await choose({ places }, silent)).embeddingModel).toBe("embedded/hash");
});

test("an index of built-in vectors is kept, and the way to a server's is said", async () => {
  const ollama = await serving("Ollama", ["qwen3", "bge-m3"]);
  const result = await choose({ places: [ollama], madeWith: "embedded/hash" });
  expect(result.embeddingModel).toBe("embedded/hash");
  expect(result.about).toMatch(/, start with EMBEDDING_MODEL=local\/bge-m3\.$/);
  expect((await choose({ places: [ollama] })).about).not.toContain("start with");
  const chat = await serving("llama.cpp", ["mistral"]);
  const embedder = await serving("llama.cpp", ["bge-m3"]);
  const [chatUrl, embeddingUrl] = [chat, embedder].map(({ port }) => `http://127.0.0.1:${port}/v1`);
  const { about } = await choose({ places: [chat, nobody, embedder] });
  expect(
    about.endsWith(
      `start with OPENAI_COMPATIBLE_BASE_URL=${chatUrl} EMBEDDING_BASE_URL=${embeddingUrl} EMBEDDING_MODEL=local-embed/bge-m3.`,
    ),
  ).toBe(true);
});

test("a server that still loads its model is told of", async () => {
  const loading = await listening((_request, response) => response.writeHead(503).end());
  expect((await choose({ places: [loading] })).about).toContain("still loads its model (503)");
});

test("--embedded, and what the environment names, win over what is found", async () => {
  const places = [await serving("Ollama", ["qwen3", "llama3.2:latest", "bge-m3"])];
  expect((await choose({ places, embedded: true })).variables).toEqual({});
  const result = await choose({ places }, { CHAT_MODEL: "local/llama3.2" });
  expect(result).toMatchObject({
    chatModel: "local/llama3.2:latest",
    embeddingModel: "local/bge-m3",
  });
  const remote = await choose({ places }, { CHAT_MODEL: "openai/gpt-4o" });
  expect(remote).toMatchObject({ chatModel: "openai/gpt-4o", embeddingModel: "embedded/hash" });
  expect(remote.variables).toEqual({});
  const missing = choose({ places }, { CHAT_MODEL: "local/absent" });
  await expect(missing).rejects.toThrow(/No server .* lists local\/absent/);
});

test("a server that hangs, breaks, never ends or is none leaves the built-in models", async () => {
  const hanging = await listening(() => undefined);
  const broken = await listening((_request, response) => response.destroy());
  const endless = await listening((_request, response) => {
    const more = () => {
      while (response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    more();
  });
  const guarded = await listening((_request, response) => response.writeHead(401).end());
  const empty = await listening((_request, response) => response.end('{"data":null}'));
  const { variables, about } = await choose({
    places: [hanging, broken, endless, guarded, empty, nobody],
  });
  expect(variables).toEqual({});
  expect(about.replaceAll(/http:\S+:/g, "")).toBe(
    "Models: embedded/extractive answers, embedded/hash embeds. No model server is used: " +
      [
        `${hanging.port}/v1 (port of Ollama) does not answer`,
        `${broken.port}/v1 (port of Ollama) does not answer`,
        `${endless.port}/v1 (port of Ollama) does not list its models (200)`,
        `${guarded.port}/v1 (port of Ollama) needs another key (401)`,
        `${empty.port}/v1 (port of Ollama) lists no model that would be used.`,
      ].join("; "),
  );
});

test("a model that cannot embed leaves the built-in ones, and is said", async () => {
  const places = [await serving("Ollama", ["qwen3", "large-embed"], 8_192)];
  const { variables, about } = await choose({ places });
  expect(variables).toEqual({});
  expect(about).toMatch(/could not embed with local\/large-embed\.$/);
});

test("an existing index keeps its embedding model until another is named", async () => {
  const places = [await serving("Ollama", ["qwen3", "new-embed", "bge-m3"])];
  const builtIn = await choose({ places, madeWith: "embedded/hash" });
  expect(builtIn).toMatchObject({ chatModel: "local/qwen3", embeddingModel: "embedded/hash" });
  const result = await choose({ places, madeWith: "local/bge-m3" });
  expect(result.embeddingModel).toBe("local/bge-m3");
  const environment = { EMBEDDING_MODEL: "local/new-embed" };
  const changed = await choose({ places, madeWith: "local/bge-m3" }, environment);
  expect(changed.embeddingModel).toBe("local/new-embed");
});

test("an index whose embedding model is not served is left alone, and said", async () => {
  const places = [nobody, await serving("Ollama", ["qwen3"])];
  const start = choose({ places, madeWith: "local/bge-m3" });
  await expect(start).rejects.toThrow(
    /lists local\/bge-m3\. .*made with local\/bge-m3: with --embedded/,
  );
  const embedded = await choose({ places, madeWith: "local/bge-m3", embedded: true });
  expect(embedded.embeddingModel).toBe("embedded/hash");
});

test("no key goes to a server that was only found", async () => {
  const places = [await serving("Ollama", ["qwen3", "bge-m3"])];
  const { variables } = await choose({ places }, { OPENAI_COMPATIBLE_API_KEY: "secret" });
  expect(Object.keys(variables)).not.toContain("OPENAI_COMPATIBLE_API_KEY");
  const requestHeaders = doubles.flatMap(({ requests }) => requests.map(({ headers }) => headers));
  expect(requestHeaders.map((headers) => headers.get("authorization"))).toEqual([null]);
});

async function served(models: string[], dimensions = 768) {
  const embed = () => Array.from({ length: dimensions }, () => 1);
  const double = new OpenAiDouble({ models, embed, apiKey: "key" });
  const { baseUrl, close } = await serveOpenAi(double);
  closers.push(close);
  return { OPENAI_COMPATIBLE_BASE_URL: baseUrl, OPENAI_COMPATIBLE_API_KEY: "key" };
}

test("a size of vectors that is set counts for the built-in models, and is told", async () => {
  const environment = { OPENAI_COMPATIBLE_BASE_URL: "", EMBEDDING_DIMENSIONS: "512" };
  for (const choice of [{ places: [] }, { embedded: true }]) {
    const { about, ...settings } = await choose(choice, environment);
    expect(settings).toMatchObject({
      dimensions: "512",
      variables: { EMBEDDING_DIMENSIONS: "512" },
    });
    expect(about).toMatch(/ Its vectors have 512 dimensions, as EMBEDDING_DIMENSIONS says\.$/);
  }
});

test.each([
  [["nomic-embed-text:latest", "llama3.2:latest"], "llama3.2:latest", "nomic-embed-text:latest"],
  [["whisper-1", "bge-reranker-v2-m3", "bge-m3", "qwen3:8b"], "qwen3:8b", "bge-m3"],
  [["intfloat/multilingual-e5-large", "mistral"], "mistral", "intfloat/multilingual-e5-large"],
  [["gpt-4o-mini", "text-embedding-3-small"], "gpt-4o-mini", "text-embedding-3-small"],
  [["all-minilm", "gemma3"], "gemma3", "all-minilm"],
  [
    ["my-embeddings/chat.gguf", "models/code/bge_m3.gguf"],
    "my-embeddings/chat.gguf",
    "models/code/bge_m3.gguf",
  ],
  [["gpt-oss:120b-cloud", "qwen2.5-coder", "mistral", "bge-m3"], "mistral", "bge-m3"],
])("of %j the right ones are chosen", async (models, chat, embedding) => {
  const environment = await served(models);
  const settings = await modelSettings(environment);
  expect(settings).toMatchObject({
    chatModel: `local/${chat}`,
    embeddingModel: `local/${embedding}`,
  });
  expect(settings.variables).toEqual({
    OPENAI_COMPATIBLE_BASE_URL: environment.OPENAI_COMPATIBLE_BASE_URL,
    EMBEDDING_MODEL: `local/${embedding}`,
    EMBEDDING_DIMENSIONS: "768",
  });
});

test("what the environment names is taken, and the server is not asked", async () => {
  const environment = {
    OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9/v1",
    CHAT_MODEL: "local/mine",
    EMBEDDING_MODEL: "local/my-embedder",
    EMBEDDING_DIMENSIONS: "12",
  };
  expect(await modelSettings(environment)).toMatchObject({
    chatModel: "local/mine",
    embeddingModel: "local/my-embedder",
    dimensions: "12",
  });
});

test("a server that is not there, has another key or too long vectors is told of", async () => {
  const nowhere = { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9/v1" };
  await expect(modelSettings(nowhere)).rejects.toThrow("/v1/models does not answer");
  const environment = await served(["some-embed", "chat"], 8_192);
  const wrongKey = { ...environment, OPENAI_COMPATIBLE_API_KEY: "other" };
  await expect(modelSettings(wrongKey)).rejects.toThrow("needs another key (401)");
  await expect(modelSettings(environment)).rejects.toThrow("8192 dimensions");
  const empty = await served(["some-embed", "chat"], 0);
  await expect(modelSettings(empty)).rejects.toThrow("a text without a vector");
});
