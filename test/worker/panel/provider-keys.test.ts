import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import {
  forgetProviderKeys,
  storedProviderKeys,
} from "../../../src/access/secrets/stored-provider-keys.ts";
import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { removeProviderKey, setProviderKey } from "../../../src/catalog/models/provider-keys.ts";
import { composeServices } from "../../../src/compose.ts";
import { modelChoices } from "../../../src/catalog/models/model-choices.ts";
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

/** What the provider was sent, and the status with which it answers. */
const provider = { status: 200, asked: [] as { url: string; headers: Headers }[] };
const ANSWER = { choices: [{ message: { role: "assistant", content: "Yes." } }] };
const MODELS = { data: [{ id: "llama3.2" }, { id: "nomic-embed-text" }] };

const fetch: typeof globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  provider.asked.push({ url: request.url, headers: request.headers });
  if (provider.status === 0) throw new Error("no route");
  const body = request.url.endsWith("/models") ? MODELS : ANSWER;
  return Response.json(body, { status: provider.status });
};

const serviceWith = (more: object = {}) => {
  const own = { ...composed, config: { ...config, ...more } };
  const keys = () => storedProviderKeys(own, own.now());
  return { ...own, models: modelRegistry(own.config, { fetch, keys }) };
};

beforeAll(() => admin.signIn());

/** The headers of one call of a model. */
async function sentTo(model: string, services = serviceWith()): Promise<Headers | undefined> {
  provider.status = 200;
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Well?" }] }];
  await services.models.chat(model).model.doGenerate({ prompt });
  return provider.asked.at(-1)?.headers;
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
  for (const shown of [results, states.body, admin.html, log.body]) {
    expect(JSON.stringify(shown)).not.toContain(KEY);
  }
  await admin.post("/panel/settings/models/keys/remove", { provider: "openai" });
  expect((await sentTo("openai/gpt-6-luna"))?.get("Authorization")).toBeNull();
  await removeProviderKey(services, "gateway");
});

test.each([
  [401, "the provider refuses it (401)"],
  [503, "the provider failed (503): try again later"],
  [404, "the server lists no models: OPENAI_COMPATIBLE_BASE_URL must end in /v1"],
  [0, "the provider did not answer within 8 seconds"],
])("a key that is answered with %s is not stored, and the reason is told", async (status, told) => {
  provider.status = status;
  const setting = setProviderKey(serviceWith(), { provider: "local", key: KEY });
  await expect(setting).rejects.toMatchObject({ fields: [{ field: "key", problem: `: ${told}` }] });
  expect((await sentTo("local/llama3.2"))?.get("Authorization")).toBeNull();
});

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
  expect(admin.html).toContain("OPENAI_COMPATIBLE_BASE_URL must name the server first");
  expect(admin.html).not.toContain(KEY);
  expect(await panel.send("DELETE", "/provider-keys/local")).toMatchObject({ status: 204 });
  expect(await panel.send("DELETE", "/provider-keys/nobody")).toMatchObject({ status: 400 });
});

test("forms offer what the providers have, with price and context, or any other", async () => {
  provider.status = 200;
  const offered = await modelChoices(serviceWith(), "chat");
  const names = offered.map(({ model }) => model);
  expect(names).toEqual(expect.arrayContaining(["local/llama3.2", "openai/gpt-6-luna"]));
  expect(names).not.toContain("local/nomic-embed-text");
  // There is no Workers AI here.
  expect(names.filter((name) => name.startsWith("workers-ai/"))).toEqual([]);
  provider.status = 0;
  expect((await modelChoices(serviceWith(), "chat")).length).toBe(offered.length - 1);

  await panel.send("PUT", "/models", [
    { model: "local/priced", kind: "chat", inputPrice: 1, outputPrice: 2, currency: "EUR" },
  ]);
  await admin.open("/panel/new/inference");
  expect(admin.html).toContain("local/priced (1 in and 2 out EUR per million tokens)");
  expect(admin.html).toMatch(/embedded\/extractive \(free, [\d,]+ tokens of context\)/);
  const asked = { name: "Other", systemPrompt: "Answer.", model: "other" };
  const wrong = await admin.post("/panel/new/inference", { ...asked, "model.other": "nothing" });
  expect(wrong.status).toBe(400);
  expect(admin.html).toMatch(/aria-describedby="field-model-other-problem/);
  const made = await admin.post("/panel/new/inference", {
    ...asked,
    "model.other": "embedded/extractive",
  });
  expect(made.location).toBe("/panel/inferences/other");
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
  void storedProviderKeys(own, own.now());
  expect(await storedProviderKeys(own, own.now())).toBeDefined();
  expect(calls).toBe(2);
});
