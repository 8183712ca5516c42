import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import {
  forgetProviderKeys,
  readProviderKeys,
} from "../../../src/access/secrets/read-provider-keys.ts";
import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { modelChoices } from "../../../src/catalog/models/model-choices.ts";
import {
  removeProviderKey,
  setModelServer,
  setProviderKey,
} from "../../../src/catalog/models/provider-keys.ts";
import { tryModelServer } from "../../../src/catalog/models/try-model-server.ts";
import { composeServices } from "../../../src/compose.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { Browser } from "../../support/browser-without-script.ts";
import { signedIn } from "../../support/worker-client.ts";

const KEY = "sk-never-shown-0123456789";
const admin = new Browser();
const panel = await signedIn();
const composed = composeServices(env, createExecutionContext());
const config = {
  ...composed.config,
  OPENAI_COMPATIBLE_BASE_URL: "http://models.test/v1",
  AI_GATEWAY_ACCOUNT_ID: "account",
  AI_GATEWAY_ID: "gateway",
};

/** Requests to the provider, and the status with which it answers. */
const provider = { status: 200, requests: [] as { url: string; headers: Headers }[] };
const ANSWER = { choices: [{ message: { role: "assistant", content: "Yes." } }] };
const MODELS = { data: [{ id: "llama3.2", meta: { n_ctx: 4_096 } }, { id: "nomic-embed-text" }] };

const fetch: typeof globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  provider.requests.push({ url: request.url, headers: request.headers });
  if (provider.status === 0) throw new Error("no route");
  const body = request.url.endsWith("/models") ? MODELS : ANSWER;
  return Response.json(body, { status: provider.status });
};

const serviceWith = (more: object = {}) => {
  const own = { ...composed, config: { ...config, ...more } };
  const keys = () => readProviderKeys(own, own.now());
  return { ...own, models: modelRegistry(own.config, { fetch, keys }) };
};

beforeAll(() => admin.signIn());

/** The headers of one call of a model. */
async function sentTo(model: string, services = serviceWith()): Promise<Headers | undefined> {
  provider.status = 200;
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Well?" }] }];
  await services.models.chat(model).model.doGenerate({ prompt });
  return provider.requests.at(-1)?.headers;
}

test("a key that was set is used at once, and is readable nowhere", async () => {
  const services = serviceWith();
  expect((await sentTo("openai/gpt-6-luna"))?.get("Authorization")).toBeNull();
  provider.status = 404;
  await setProviderKey(services, { provider: "openai", key: KEY });
  expect((await sentTo("openai/gpt-6-luna"))?.get("Authorization")).toBe(`Bearer ${KEY}`);
  expect((await sentTo("anthropic/claude-haiku-5-5"))?.get("Authorization")).toBeNull();
  await setProviderKey(services, { provider: "gateway", key: `${KEY}-2` });
  expect((await sentTo("groq/any"))?.get("cf-aig-authorization")).toBe(`Bearer ${KEY}-2`);

  const { results } = await env.DB.prepare("select * from provider_keys").all();
  const states = await panel.send("GET", "/provider-keys");
  expect(states.body).toContainEqual({
    provider: "openai",
    setBy: "panel",
    setAt: expect.any(String),
  });
  await admin.open("/panel/settings/models");
  expect(admin.html).toMatch(/OpenAI, through AI Gateway.*set <time/s);
  const log = await panel.send("GET", "/audit");
  for (const output of [results, states.body, admin.html, log.body]) {
    expect(JSON.stringify(output)).not.toContain(KEY);
  }
  await admin.post("/panel/settings/models/keys/remove", { provider: "openai" });
  expect((await sentTo("openai/gpt-6-luna"))?.get("Authorization")).toBeNull();
  await removeProviderKey(services, "gateway");
});

test.each([
  ["local/llama3.2", 401, "the server needs another key (401)"],
  ["local/llama3.2", 404, "the server lists no models: its address usually ends in /v1 (404)"],
  ["local/llama3.2", 0, "the server does not answer"],
  ["groq/any", 401, "the provider refuses it (401)"],
  ["groq/any", 503, "the provider failed (503): try again later"],
  ["groq/any", 0, "the provider did not answer within 8 seconds"],
])(
  "a key of %s that is answered with %s is not stored, as told",
  async (model, status, problem) => {
    provider.status = status;
    const [name] = model.split("/") as ["local" | "groq"];
    const setting = setProviderKey(serviceWith(), { provider: name, key: KEY });
    await expect(setting).rejects.toMatchObject({
      fields: [{ field: "key", problem: `: ${problem}` }],
    });
    expect((await sentTo(model))?.get("Authorization")).toBeNull();
  },
);

test("the environment's key counts, and the panel cannot set another", async () => {
  const services = serviceWith({ OPENAI_COMPATIBLE_API_KEY: "from the environment" });
  await expect(setProviderKey(services, { provider: "local", key: KEY })).rejects.toThrow(
    "The environment sets this key: OPENAI_COMPATIBLE_API_KEY",
  );
  const headers = await sentTo("local/llama3.2", services);
  expect(headers?.get("Authorization")).toBe("Bearer from the environment");
});

test("without script a key comes back with what is wrong, and without itself", async () => {
  const path = "/panel/settings/models/keys";
  const { status } = await admin.post(path, { provider: "local", key: KEY });
  expect(status).toBe(400);
  expect(admin.html).toMatch(
    /<span class="problem" id="[^"]*">[^<]*OPENAI_COMPATIBLE_BASE_URL must name the server first/,
  );
  expect(admin.html).not.toContain(KEY);
  expect(await panel.send("DELETE", "/provider-keys/local")).toMatchObject({ status: 204 });
  expect(await panel.send("DELETE", "/provider-keys/nobody")).toMatchObject({
    status: 400,
    body: { error: "Invalid request: id must be the name of a provider or of a server" },
  });
});

test("forms offer what the providers have, with price and context, or any other", async () => {
  provider.status = 200;
  const choices = await modelChoices(serviceWith(), "chat");
  const names = choices.map(({ model }) => model);
  expect(names).toEqual(expect.arrayContaining(["local/llama3.2", "openai/gpt-6-luna"]));
  expect(names).not.toContain("local/nomic-embed-text");
  // There is no Workers AI here.
  expect(names.filter((name) => name.startsWith("workers-ai/"))).toEqual([]);
  provider.status = 0;
  expect((await modelChoices(serviceWith(), "chat")).length).toBe(choices.length - 1);

  await panel.send("PUT", "/models", [
    { model: "local/priced", kind: "chat", inputPrice: 1, outputPrice: 2, currency: "EUR" },
  ]);
  await admin.open("/panel/new/inference");
  expect(admin.html).toContain("local/priced (1 in and 2 out EUR per million tokens)");
  expect(admin.html).toMatch(/embedded\/extractive \(free, [\d,]+ tokens of context\)/);
  const settings = { name: "Other", systemPrompt: "Answer.", model: "other" };
  const wrong = await admin.post("/panel/new/inference", { ...settings, "model.other": "nothing" });
  expect(wrong.status).toBe(400);
  expect(admin.html).toMatch(/aria-describedby="field-model-other-problem/);
  const response = await admin.post("/panel/new/inference", {
    ...settings,
    "model.other": "embedded/extractive",
  });
  expect(response.location).toBe("/panel/inferences/other");
});

const EMBEDDER = { name: "local-embed", baseUrl: "http://embedder.test/v1" };

test("a server that the panel sets is called at its address, with its key alone", async () => {
  const services = serviceWith({ OPENAI_COMPATIBLE_API_KEY: "from the environment" });
  provider.status = 200;
  await setModelServer(services, { ...EMBEDDER, baseUrl: `${EMBEDDER.baseUrl}/`, apiKey: KEY });
  expect((await sentTo("local-embed/gemma", services))?.get("Authorization")).toBe(`Bearer ${KEY}`);
  expect(provider.requests.at(-1)?.url).toBe("http://embedder.test/v1/chat/completions");
  expect((await sentTo("local/gemma", services))?.get("Authorization")).toMatch(/environment$/);
  // Whoever changes the address need not know the key, which stays with the address.
  await setModelServer(services, EMBEDDER);
  expect((await sentTo("local-embed/gemma", services))?.get("Authorization")).toBe(`Bearer ${KEY}`);
  await setModelServer(services, { ...EMBEDDER, baseUrl: "http://other.test/v1" });
  expect((await sentTo("local-embed/gemma", services))?.get("Authorization")).toBeNull();
  expect(await services.models.servers()).toMatchObject([
    { name: "local", setBy: "environment", problem: null },
    {
      name: "local-embed",
      setBy: "panel",
      models: [
        { kind: "chat", contextTokens: 4_096 },
        { kind: "embedding", contextTokens: null },
      ],
    },
  ]);
  const list = await panel.send("GET", "/provider-keys");
  expect(JSON.stringify(list.body)).not.toContain("local-embed");
  expect(await panel.send("DELETE", "/provider-keys/local-embed")).toMatchObject({ status: 204 });
  forgetProviderKeys();
  await expect(sentTo("local-embed/gemma", services)).rejects.toThrow(
    /needs the setting EMBEDDING/,
  );
});

test.each([
  [{ ...EMBEDDER, baseUrl: "http://10.0.0.7/v1" }, 200, "production", "baseUrl"],
  [{ ...EMBEDDER, baseUrl: "http://localhost:8080/v1" }, 200, "preview", "baseUrl"],
  [EMBEDDER, 0, "development", "baseUrl"],
  [EMBEDDER, 401, "development", "apiKey"],
  [{ ...EMBEDDER, name: "local" }, 200, "development", "The environment sets this server"],
])("a server is refused: %j, %i, %s", async (server, status, ENVIRONMENT, message) => {
  provider.status = status;
  const before = provider.requests.length;
  const setting = setModelServer(serviceWith({ ENVIRONMENT, ENCRYPTION_KEY: btoa(KEY) }), server);
  await expect(setting).rejects.toThrow(message);
  if (ENVIRONMENT !== "development") expect(provider.requests).toHaveLength(before);
});

test("a model that its server does not list is refused when it is saved", async () => {
  provider.status = 200;
  const { models } = serviceWith();
  expect(await models.problemWithModel("local/llama3.2")).toBeNull();
  expect(await models.problemWithModel("local/lama3.2")).toBe(
    "Model local/lama3.2: its server lists local/llama3.2, local/nomic-embed-text",
  );
  // A server that is down says nothing about its models.
  provider.status = 0;
  expect(await models.problemWithModel("local/lama3.2")).toBeNull();
});

test("a test lets a server answer once and embed once, and says what fails", async () => {
  const double = new OpenAiDouble({ models: ["qwen3", "bge-m3"], embed: () => [1, 2, 3] });
  const models = modelRegistry(config, { fetch: double.fetch });
  const services = { ...composed, config, models };
  expect(await tryModelServer(services, "local")).toEqual([
    {
      model: "local/qwen3",
      passed: true,
      result: expect.stringMatching(/^first word after \d+ ms, [\d.]+ tokens\/s$/),
    },
    {
      model: "local/bge-m3",
      passed: true,
      result: expect.stringMatching(/^a vector of 3 dimensions after \d+ ms$/),
    },
  ]);
  expect(double.calls("chat")[0]?.body).toMatchObject({ stream: true, max_tokens: 48 });
  double.fail("embeddings", { kind: "status", status: 401 });
  const [, failed] = await tryModelServer(services, "local");
  expect(failed).toMatchObject({ passed: false, result: "401 (the key is missing or wrong)" });
  await expect(tryModelServer(services, "local-none")).rejects.toThrow("Not found");
});

test("without script a server is set, shown, tested and removed", async () => {
  const path = "/panel/settings/models";
  const typed = { name: "local-gpu", baseUrl: "http://localhost:9/v1", apiKey: "" };
  const { status } = await admin.post(`${path}/keys`, { ...typed, name: "gpu" });
  expect(status).toBe(400);
  expect(admin.html).toContain("must be local, or begin with local-");
  expect(admin.html).toContain('value="http://localhost:9/v1"');
  await admin.post(`${path}/keys`, typed);
  expect(admin.html).toContain("the server does not answer");
  // As if it had answered.
  const server = { ...EMBEDDER, name: "local-gpu" };
  provider.status = 200;
  await setModelServer(serviceWith(), server);
  await admin.open(path);
  expect(admin.html).toMatch(/local-gpu\/….*does not answer/s);
  await admin.post(`${path}/test`, { name: "local-gpu" });
  expect(admin.html).toContain("It lists no model to test");
  await admin.post(`${path}/keys/remove`, { provider: "local-gpu" });
  expect(admin.html).not.toContain("local-gpu/…");
  expect((await panel.send("GET", "/model-servers")).body).toEqual([]);
  const localServer = { name: "local-gpu", baseUrl: "http://127.0.0.1:9/v1" };
  expect(await panel.send("PUT", "/provider-keys", localServer)).toMatchObject({ status: 400 });
});

test("a call that was cut off while it read the keys holds up no other call", async () => {
  let calls = 0;
  const { promise: never } = Promise.withResolvers<D1Result<never>[]>();
  const prepare: D1Database["prepare"] = (text) => composed.db.$client.prepare(text);
  const batch: D1Database["batch"] = (statements) => {
    calls += 1;
    return calls === 1 ? never : composed.db.$client.batch(statements);
  };
  const own = { ...composed, db: { $client: { prepare, batch } } };
  forgetProviderKeys();
  void readProviderKeys(own, own.now());
  expect(await readProviderKeys(own, own.now())).toBeDefined();
  expect(calls).toBe(2);
});
