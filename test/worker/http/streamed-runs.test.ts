import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, expect, test } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { composeServices } from "../../../src/compose.ts";
import { parseConfig } from "../../../src/config.ts";
import { createApp } from "../../../src/http/app.ts";
import { panelPages } from "../../../src/panel/pages/app.ts";
import { OpenAiDouble, sendAll } from "../../doubles/openai-compatible/openai-double.ts";
import { ORIGIN, signedIn } from "../../support/worker-client.ts";

let double = new OpenAiDouble();
let authorization: string;
let cookie: string;

const app = createApp((bindings, context) => {
  const services = composeServices(bindings, context);
  const config = parseConfig({ ...env, OPENAI_COMPATIBLE_BASE_URL: "http://models.test/v1" });
  return { ...services, models: modelRegistry(config, { fetch: double.fetch }) };
});

app.route("/panel", panelPages());

beforeAll(async () => {
  const admin = await signedIn();
  cookie = admin.cookie;
  const plain = { name: "Plain", identifier: "plain", systemPrompt: "Answer." };
  const model = "embedded/extractive";
  await admin.send("POST", "/inferences", { ...plain, model });
  await admin.send("POST", "/agents", { ...plain, model, identifier: "helper" });
  // The panel lets nobody choose a model that is not configured.
  await env.DB.exec("update inferences set model = 'local/chat'");
  await env.DB.exec("update agents set model = 'local/chat'");
  const covered = { agents: ["*"], inferences: ["*"], rags: [] };
  authorization = `Bearer ${(await admin.create("/tokens", { name: "All", ...covered })).token}`;
});

beforeEach(() => {
  double = new OpenAiDouble();
});

type Event = { name: string; data: unknown };

const eventsIn = (text: string): Event[] =>
  text.split("\n\n").flatMap((block) => {
    const lines = new Map(
      block.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]),
    );
    const data = lines.get("data");
    return data === undefined
      ? []
      : [{ name: lines.get("event") ?? "", data: JSON.parse(data) as unknown }];
  });

type RequestOptions = { as?: Record<string, string>; body?: object };

async function ask(path: string, accept: string | null, { as, body = {} }: RequestOptions = {}) {
  const context = createExecutionContext();
  const accepted = accept === null ? {} : { Accept: accept };
  const request = new Request(`${ORIGIN}/api/${path}`, {
    method: "POST",
    headers: { ...accepted, ...(as ?? { Authorization: authorization }) },
    body: JSON.stringify({ prompt: "What is the answer?", ...body }),
  });
  const response = await app.fetch(request, env, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  return { status: response.status, headers: response.headers, text, events: eventsIn(text) };
}

const EVENTS = "text/event-stream";

test.each(["inferences/plain", "agents/helper/invoke"])(
  "%s: the last event is the JSON of the plain call, byte for byte",
  async (path) => {
    const plain = await ask(path, "*/*");
    expect(plain.headers.get("Content-Type")).toBe("application/json");
    const { status, headers, text, events } = await ask(path, EVENTS, { body: { unknown: 1 } });
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe(EVENTS);
    expect(headers.get("X-Ignored-Fields")).toBe("unknown");
    expect(headers.get("X-Request-Id")).toMatch(/\w/);
    expect(text.endsWith(`event: result\ndata: ${plain.text}\n\n`)).toBe(true);
    const deltas = events.filter(({ name }) => name === "delta");
    expect(deltas.map(({ data }) => data)).toEqual([
      { text: "It" },
      { text: " is" },
      { text: " forty-two." },
    ]);
    expect(events).toHaveLength(deltas.length + 1);
  },
);

test.each([
  [null, false],
  ["application/json", false],
  ["text/*", false],
  ["text/event-stream;q=0", false],
  ["application/json, text/event-stream;q=0.5", false],
  ["text/event-stream, application/json;q=0.5", true],
  ["TEXT/Event-Stream", true],
])("Accept: %s", async (accept, isStream) => {
  const { headers } = await ask("inferences/plain", accept);
  expect(headers.get("Content-Type")).toBe(isStream ? EVENTS : "application/json");
});

test("what fails before the first event is a plain error", async () => {
  double.fail("chat", { kind: "status", status: 401 });
  const failed = await ask("inferences/plain", EVENTS);
  expect(failed.status).toBe(502);
  const error = "Model call failed: provider answered 401 (the key is missing or wrong)";
  expect(JSON.parse(failed.text)).toEqual({ error });
  const refusal = await ask("inferences/plain", EVENTS, { body: { prompt: " " } });
  expect(refusal.status).toBe(400);
  const unknown = { Authorization: "Bearer no" };
  expect((await ask("inferences/plain", EVENTS, { as: unknown })).status).toBe(401);
});

test.each(["inferences/plain", "agents/helper"])(
  "panel, %s: what was written before the model failed is kept, with the reason",
  async (path) => {
    double.send = (events) =>
      sendAll([...events.slice(0, 2), "data: {broken\n\n", ...events.slice(2)]);
    const run = async () => {
      const request = new Request(`${ORIGIN}/panel/${path}/run`, {
        method: "POST",
        headers: { Cookie: cookie, Origin: ORIGIN },
        body: new URLSearchParams({ q: "What is the answer?" }),
      });
      const response = await app.fetch(request, env, createExecutionContext());
      return { status: response.status, text: await response.text() };
    };
    const broken = await run();
    expect(broken.text).toMatch(/The answer broke off\. Model call failed: unread/);
    expect(broken.text).toMatch(/class="answer-text".*<p>It<\/p>/s);
    expect(broken.text).toMatch(/class="question">.*What is the answer\?/);

    double.fail("chat", { kind: "status", status: 401 });
    const failed = await run();
    expect(failed.status).toBe(422);
    expect(failed.text).toContain("Model call failed: provider answered 401");
    expect(failed.text).not.toContain("broke off");
  },
);

test("an administrator's times and usage come with the result", async () => {
  const { events } = await ask("inferences/plain", EVENTS, {
    as: { Cookie: cookie, Origin: ORIGIN },
  });
  expect(events.at(-1)).toMatchObject({
    name: "result",
    data: {
      timings: { totalMs: expect.any(Number) },
      usage: { inputTokens: 100, outputTokens: 20 },
    },
  });
});

test.each(["inferences/plain", "agents/helper/invoke"])(
  "%s: text blocks have citations with includeSources, and else none",
  async (path) => {
    const text = "It is forty-two.";
    const responseWith = async (body: object) => {
      const { response } = JSON.parse((await ask(path, null, { body })).text) as {
        response: unknown;
      };
      return response;
    };
    expect(await responseWith({ includeSources: true })).toEqual([
      { type: "text", text, citations: [] },
    ]);
    expect(await responseWith({})).toEqual([{ type: "text", text }]);
  },
);
