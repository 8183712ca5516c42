import { expect, test, beforeEach, vi } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { parseConfig } from "../../../src/config.ts";
import type { ModelRegistry } from "../../../src/ports/models.ts";
import type { Failure } from "../../doubles/openai-compatible/failures.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { serveOpenAi } from "../../doubles/openai-compatible/serve.ts";
import { eventually } from "../../support/eventually.ts";

/** A double behind a real port: sockets that break, bodies that stop. */
let double: OpenAiDouble;
let models: ModelRegistry;
let close: () => Promise<void>;

beforeEach(async () => {
  double = new OpenAiDouble({ apiKey: "key" });
  const served = await serveOpenAi(double);
  ({ close } = served);
  const config = parseConfig({
    ENVIRONMENT: "development",
    OPENAI_COMPATIBLE_BASE_URL: served.baseUrl,
    OPENAI_COMPATIBLE_API_KEY: "key",
  });
  models = modelRegistry(config, {});
  return () => close();
});

const ask = (abortSignal?: AbortSignal) =>
  models.chat("local/llama").model.doGenerate({
    prompt: [{ role: "user", content: [{ type: "text", text: "What is the answer?" }] }],
    ...(abortSignal === undefined ? {} : { abortSignal }),
  });

test("chat, embeddings and rerank over a real connection", async () => {
  expect((await ask()).content).toEqual([{ type: "text", text: "It is forty-two." }]);
  const { embeddings } = await models.embedder("local/e", 2).model.doEmbed({ values: ["a", "b"] });
  expect(embeddings).toEqual([
    [1, 0],
    [1, 0],
  ]);
  const { ranking } = await models.reranker("local/r").model.doRerank({
    query: "red boat",
    documents: { type: "text", values: ["blue boat", "red boat"] },
  });
  expect(ranking[0]).toEqual({ index: 1, relevanceScore: 1 });
});

test.each([
  [
    { kind: "status", status: 429, retryAfter: "7" },
    { status: 429, retryable: true, retryAfterMs: 7_000 },
  ],
  [
    { kind: "status", status: 500 },
    { status: 500, retryable: true, retryAfterMs: null },
  ],
  [
    { kind: "status", status: 403 },
    { status: 403, retryable: false },
  ],
  [{ kind: "cut" }, { message: "the connection broke", status: null, retryable: true }],
  [{ kind: "malformed" }, { message: "unreadable reply" }],
  [{ kind: "empty-choices" }, { message: "unusable reply", retryable: false }],
] as [Failure, Record<string, unknown>][])("%j is told apart", async (failure, expected) => {
  double.fail("chat", failure);
  await expect(ask()).rejects.toMatchObject({ name: "ModelFailure", ...expected });
});

test.each(["embeddings", "rerank"] as const)("a connection that breaks in %s", async (place) => {
  double.fail(place, { kind: "cut" });
  const calls = {
    embeddings: () => models.embedder("local/e", 2).model.doEmbed({ values: ["a"] }),
    rerank: () =>
      models
        .reranker("local/r")
        .model.doRerank({ query: "red", documents: { type: "text", values: ["boat"] } }),
  };
  const broken = { message: "the connection broke", retryable: true };
  await expect(calls[place]()).rejects.toMatchObject(broken);
});

test("a server that is not there is a connection that failed", async () => {
  await close();
  await expect(ask()).rejects.toMatchObject({ message: "connection failed", retryable: true });
  close = () => Promise.resolve();
});

test("an unknown name and a certificate without trust are said as what may be", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new Error("internal error; reference = x1")));
  await expect(ask()).rejects.toMatchObject({
    message: expect.stringContaining("certificate"),
    retryable: true,
  });
});

test.each([{ kind: "hang" }, { kind: "drip" }] as Failure[])(
  "%j ends with the caller's signal, and not before",
  async (failure) => {
    double.fail("chat", failure);
    const controller = new AbortController();
    const outcome = Promise.resolve(ask(controller.signal)).catch((thrown: unknown) => thrown);
    await eventually(() => expect(double.requests).toHaveLength(1));
    controller.abort(new Error("gone"));
    expect(await outcome).toBeInstanceOf(Error);
  },
);

test("a server that does not answer is asked once for its window, and keeps the last", async () => {
  const urls: string[] = [];
  let isUp = true;
  const list = { data: [{ id: "small", meta: { n_ctx: 2_048 } }] };
  const fetch: typeof globalThis.fetch = (input) => {
    urls.push(input instanceof Request ? input.url : input.toString());
    return isUp ? Promise.resolve(Response.json(list)) : Promise.reject(new TypeError("refused"));
  };
  const variables = { OPENAI_COMPATIBLE_BASE_URL: "http://window.test/v1" };
  const models = modelRegistry(parseConfig({ ENVIRONMENT: "development", ...variables }), {
    fetch,
  });
  const chat = models.chat("local/small");
  await chat.window?.read();
  expect(chat.contextTokens).toBe(2_048);
  isUp = false;
  vi.useFakeTimers({ now: Date.now() + 61 * 60_000, toFake: ["Date"] });
  await chat.window?.read();
  expect(urls).toEqual(Array(2).fill("http://window.test/v1/models"));
  expect(chat.contextTokens).toBe(2_048);
});
