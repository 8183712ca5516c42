import { describe, expect, test } from "vitest";

import { workersAiEmbedding } from "../../../src/adapters/cloudflare/workers-ai.ts";
import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { checkEmbedder } from "../../../src/catalog/models/check-model.ts";
import { embedEach, embedTexts } from "../../../src/catalog/models/embed-texts.ts";
import { parseConfig } from "../../../src/config.ts";
import { OpenAiDouble, sendAll } from "../../doubles/openai-compatible/openai-double.ts";
import { WorkersAiDouble } from "../../doubles/workers-ai/workers-ai-double.ts";

const config = parseConfig({
  ENVIRONMENT: "development",
  OPENAI_COMPATIBLE_BASE_URL: "http://models.test/v1",
  OPENAI_COMPATIBLE_API_KEY: "key",
});
const { signal } = new AbortController();
/** Trying again does not help. */
const FINAL = { retryable: false, message: "the provider reported an error" };
const texts = (count: number) => Array.from({ length: count }, (_, at) => `text ${at}`);

test("ten queries are one embedding call, with the key and no fields servers refuse", async () => {
  const double = new OpenAiDouble({ apiKey: "key", embed: () => [3, 4] });
  // The environment has the key, so that the stored ones are not read.
  const keys = () => Promise.reject(new Error("keys are read"));
  const registry = modelRegistry(config, { fetch: double.fetch, keys });
  const { vectors } = await embedTexts(registry.embedder("local/nomic", 2), texts(10), { signal });
  expect(double.requests).toHaveLength(1);
  expect(double.requests[0]?.url).toBe("http://models.test/v1/embeddings");
  expect(double.requests[0]?.body).toEqual({
    model: "nomic",
    input: texts(10),
    encoding_format: "float",
  });
  expect(Array.from(vectors[9] ?? [])).toEqual([0.6, 0.8].map(Math.fround));
});

test("more texts than a provider takes go in batches that it takes", async () => {
  const ai = new WorkersAiDouble({ embed: (text) => [Number(text.slice(5)) + 1, 0] });
  const model = workersAiEmbedding({ ai, gatewayId: "gate" }, "@cf/baai/bge-m3");
  const embedder = {
    name: "x",
    dimensions: 2,
    model,
    batchLimit: 100,
    tokenizer: "unknown" as const,
    inputLimit: 9,
    fusionWeight: 1,
  };
  const { vectors } = await embedTexts(embedder, texts(250), { signal });
  expect(ai.calls.map(({ inputs }) => (inputs["text"] as string[]).length)).toEqual([100, 100, 50]);
  expect(ai.calls[0]?.options).toMatchObject({ gateway: { id: "gate" } });
  expect(vectors).toHaveLength(250);
});

test("vectors are matched by index where a server answers in another order", async () => {
  const embed = (text: string) => [Number(text.slice(5)), 1];
  const double = new OpenAiDouble({ embed, shuffles: true });
  const registry = modelRegistry(config, { fetch: double.fetch });
  const { vectors } = await embedTexts(registry.embedder("local/shuffling", 2), texts(40), {
    signal,
  });
  const slopes = vectors.map(([x = 0, y = 1]) => Math.round(x / y));
  expect(slopes).toEqual(Array.from({ length: 40 }, (_, at) => at));
});

test("vectors stay in their order where a cache says one index twice", async () => {
  const data = [1, 0, 1].map((index, at) => ({ index, embedding: [at, 1] }));
  const fetch = () => Promise.resolve(Response.json({ data }));
  const embedder = modelRegistry(config, { fetch }).embedder("local/cached", 2);
  const { vectors } = await embedTexts(embedder, texts(3), { signal });
  expect(vectors.map(([x = 0, y = 1]) => Math.round(x / y))).toEqual([0, 1, 2]);
});

/** As llama-server and gateways send vectors. */
test.each<[string, (vector: number[]) => unknown]>([
  ["null for what is no number", (vector) => (vector[0] === 2 ? [null, null] : vector)],
  ["no vector", (vector) => (vector[0] === 2 ? null : vector)],
  ["a vector in a list", (vector) => (vector[0] === 2 ? [vector, vector] : [vector])],
  [
    "base64",
    (vector) =>
      vector[0] === 2 ? "?" : Buffer.from(Float32Array.from(vector).buffer).toString("base64"),
  ],
])("vectors as %s: no text spoils another", async (name, encode) => {
  const fetch: typeof globalThis.fetch = (_url, init) => {
    const { input } = JSON.parse(init?.body as string) as { input: string[] };
    const data = input.map((text, index) => {
      return { index, embedding: encode([Number(text.slice(5)), 1]) };
    });
    return Promise.resolve(Response.json({ data, usage: { total_tokens: null } }));
  };
  const embedder = modelRegistry(config, { fetch }).embedder(`local/${name}`, 2);
  const { outcomes } = await embedEach(embedder, texts(4), { signal });
  const slopes = outcomes.map((outcome) =>
    outcome instanceof Error ? null : Math.round((outcome[0] ?? 0) / (outcome[1] ?? 1)),
  );
  expect(slopes).toEqual([0, 1, null, 3]);
});

test("a server that takes fewer texts is sent fewer, and is known afterwards", async () => {
  const embed = (text: string) => [Number(text.slice(5)), 1];
  const double = new OpenAiDouble({ embed, textsPerCall: 10 });
  const embedder = modelRegistry(config, { fetch: double.fetch }).embedder("local/ten", 2);
  const sizes = () => double.requests.map(({ body }) => (body as { input: [] }).input.length);
  const { vectors } = await embedTexts(embedder, texts(32), { signal });
  expect(vectors.map(([x = 0, y = 1]) => Math.round(x / y))).toEqual([...Array(32).keys()]);
  expect(sizes()).toEqual([32, 16, 8, 8, 16, 8, 8]);
  double.requests.length = 0;
  await embedTexts(embedder, texts(16), { signal });
  expect(sizes()).toEqual([8, 8]);
});

test("a server that failed once gets as many texts as before", async () => {
  const double = new OpenAiDouble({ embed: () => [1, 0] });
  const embedder = modelRegistry(config, { fetch: double.fetch }).embedder("local/failed-once", 2);
  double.fail("embeddings", { kind: "status", status: 500 }, 1);
  await embedTexts(embedder, texts(32), { signal });
  double.requests.length = 0;
  await embedTexts(embedder, texts(32), { signal });
  expect(double.requests).toHaveLength(1);
});

test("a text that a server refuses does not make the calls smaller for good", async () => {
  const embed = (text: string) => (text === "text 5" ? [1] : [1, 0]);
  const double = new OpenAiDouble({ embed });
  const fetch: typeof globalThis.fetch = async (...call) =>
    JSON.stringify(call[1]?.body).includes("text 5")
      ? Response.json({ error: { message: "too long" } }, { status: 400 })
      : await double.fetch(...call);
  const embedder = modelRegistry(config, { fetch }).embedder("local/picky", 2);
  await expect(embedTexts(embedder, texts(32), { signal })).rejects.toMatchObject({ status: 400 });
  double.requests.length = 0;
  await embedTexts(embedder, texts(32).slice(6), { signal });
  expect(double.requests).toHaveLength(1);
});

const errorEvent = (error: object) => `data: ${JSON.stringify({ error })}\n\n`;

test.each<[object, object]>([
  [{ message: "a", type: "invalid_request_error", code: "context_length_exceeded" }, FINAL],
  [{ message: "a", type: "insufficient_quota", code: null }, FINAL],
  [
    { message: "a", code: 400 },
    { retryable: false, status: 400 },
  ],
  [
    { message: "a", code: 503 },
    { retryable: true, status: 503 },
  ],
  [{ message: "a", type: "server_error", code: null }, { retryable: true }],
  [{ message: "a", type: "tokens", code: "rate_limit_exceeded" }, { retryable: true }],
])("an error that a provider tells in its stream: %j", async (error, expected) => {
  const double = new OpenAiDouble();
  double.send = () => sendAll([errorEvent(error)]);
  const { model } = modelRegistry(config, { fetch: double.fetch }).chat("local/llama");
  const content = [{ type: "text" as const, text: "Hello" }];
  const { stream } = await model.doStream({ prompt: [{ role: "user", content }] });
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(part);
  expect(parts.at(-1)).toMatchObject({
    type: "error",
    error: { name: "ModelFailure", ...expected },
  });
});

test("a vector of the wrong length names the setting; a missing one is noticed", async () => {
  const double = new OpenAiDouble({ embed: () => [1, 2, 3] });
  const registry = modelRegistry(config, { fetch: double.fetch });
  const short = embedTexts(registry.embedder("local/nomic", 2), ["a"], { signal });
  await expect(short).rejects.toThrow("a vector of 3 dimensions, but EMBEDDING_DIMENSIONS is 2");
  double.fail("embeddings", { kind: "empty-choices" });
  const none = embedTexts(registry.embedder("local/nomic", 2), ["a"], { signal });
  await expect(none).rejects.toThrow("incomplete reply");
});

test.each(["jina", "tei"] as const)(
  "a reranker that answers as %s does is understood",
  async (form) => {
    const double = new OpenAiDouble({ rerankForm: form });
    const { model } = modelRegistry(config, { fetch: double.fetch }).reranker("local/bge");
    const values = ["about cats", "about red boats", "about boats"];
    const { ranking } = await model.doRerank({
      query: "red boats",
      documents: { type: "text", values },
    });
    expect(ranking.map(({ index }) => index)).toEqual([1, 2, 0]);
  },
);

test("a score that is no number does not lose the others, in a list as Voyage's", async () => {
  const data = [0.1, null, 0.3].map((relevance_score, index) => ({ index, relevance_score }));
  const fetch = () => Promise.resolve(Response.json({ data }));
  const { model } = modelRegistry(config, { fetch }).reranker("local/bge");
  const documents = { type: "text" as const, values: ["a", "b", "c"] };
  const { ranking } = await model.doRerank({ query: "q", documents });
  expect(ranking.map(({ relevanceScore }) => relevanceScore)).toEqual([0.1, 0.1, 0.3]);
});

test.each(["mode", "api"])("DashScope reranks at its own address (compatible-%s)", async (kind) => {
  const host = "https://dashscope.example/compatible";
  const addresses: string[] = [];
  const fetch = (address: unknown) => {
    addresses.push(String(address));
    return Promise.resolve(Response.json({ results: [{ index: 0, relevance_score: 0.9 }] }));
  };
  const server = { ENVIRONMENT: "development", OPENAI_COMPATIBLE_BASE_URL: `${host}-${kind}/v1` };
  const { model } = modelRegistry(parseConfig(server), { fetch }).reranker("local/qwen3-rerank");
  await model.doRerank({ query: "q", documents: { type: "text", values: ["a"] } });
  expect(addresses).toEqual([`${host}-api/v1/reranks`]);
});

describe("over AI Gateway", () => {
  const gateway = {
    ENVIRONMENT: "development",
    AI_GATEWAY_ACCOUNT_ID: "account",
    AI_GATEWAY_ID: "gate",
    AI_GATEWAY_TOKEN: "token",
    AI_GATEWAY_BASE_URL: "http://gateway.test/v1",
  };
  const open = (double: OpenAiDouble) =>
    modelRegistry(parseConfig(gateway), { fetch: double.fetch });

  test.each([
    ["openai/text-embedding-3-small", "openai/embeddings", { dimensions: 2 }],
    ["openai/text-embedding-ada-002", "openai/embeddings", {}],
    ["mistral/mistral-embed", "mistral/v1/embeddings", {}],
  ])("%s embeds queries and documents at its own path", async (name, path, more) => {
    const double = new OpenAiDouble();
    const embedder = open(double).embedder(name, 2);
    await embedTexts(embedder, ["a"], { signal });
    await embedTexts(embedder, ["a"], { signal, isAhead: true });
    const [request, ofDocuments] = double.requests;
    expect(ofDocuments?.body).toEqual(request?.body);
    expect(request?.url).toBe(`http://gateway.test/v1/account/gate/${path}`);
    const model = name.slice(name.indexOf("/") + 1);
    expect(request?.body).toEqual({ model, input: ["a"], encoding_format: "float", ...more });
    expect(request?.headers.get("cf-aig-authorization")).toBe("Bearer token");
    expect(request?.headers.get("authorization")).toBeNull();
  });

  test("Cohere reranks at its own path, and gets no field that it does not know", async () => {
    const double = new OpenAiDouble();
    const { model } = open(double).reranker("cohere/rerank-v3.5");
    const documents = { type: "text" as const, values: ["about cats", "about red boats"] };
    const { ranking } = await model.doRerank({ query: "red boats", documents });
    expect(ranking[0]?.index).toBe(1);
    const [request] = double.requests;
    expect(request?.url).toBe("http://gateway.test/v1/account/gate/cohere/v1/rerank");
    expect(request?.body).toEqual({
      model: "rerank-v3.5",
      query: "red boats",
      documents: documents.values,
      top_n: 2,
      return_documents: false,
    });
  });

  test("what it does not serve is refused, with what it does", () => {
    const registry = open(new OpenAiDouble());
    expect(() => registry.embedder("anthropic/claude", 2)).toThrow("openai/… and mistral/…");
    expect(() => registry.reranker("openai/gpt-5")).toThrow("rerankers of cohere/…");
  });
});

test("a RAG cannot be made where the deployment's embedding model cannot be had", async () => {
  const wrong = parseConfig({ ENVIRONMENT: "development", EMBEDDING_MODEL: "local/nomic" });
  const services = { config: wrong, models: modelRegistry(wrong, {}) };
  await expect(checkEmbedder(services)).rejects.toThrow(
    "EMBEDDING_MODEL: Model local/nomic needs the setting OPENAI_COMPATIBLE_BASE_URL",
  );
});

test.each([
  ["local/llama", {}, "OPENAI_COMPATIBLE_BASE_URL"],
  ["openai/gpt-5", {}, "AI_GATEWAY_ACCOUNT_ID"],
  ["openai/gpt-5", { AI_GATEWAY_ACCOUNT_ID: "account" }, "AI_GATEWAY_ID"],
  ["workers-ai/@cf/meta/llama-4", {}, "binding AI"],
  ["embedded/gpt", {}, "embedded/extractive"],
  ["workers-ai/@cf/meta/llama-3.1-8b-instruct", {}, "workers-ai/@cf/zai-org/glm-4.7-flash"],
  ["nonsense", {}, "provider/name"],
])("%s without its setting names it", (name, variables, message) => {
  const registry = modelRegistry(parseConfig({ ENVIRONMENT: "development", ...variables }), {});
  expect(() => registry.chat(name)).toThrow(message);
});
