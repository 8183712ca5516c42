import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { composeServices } from "../../../src/compose.ts";
import { parseConfig } from "../../../src/config.ts";
import { createApp } from "../../../src/http/app.ts";
import { protocols } from "../../../src/protocols/app.ts";
import { eventually } from "../../support/eventually.ts";
import { freshAddress, ORIGIN } from "../../support/worker-client.ts";
import { setUpProtocols } from "./world.ts";

/** Whether the server stops before its answer or within it. */
let begins = false;
let embeds = true;
const MODEL_CALL = /^\/v1\/(chat\/completions|embeddings)$/;
/** The paths of all calls that the model server got. */
const calls: string[] = [];
/** Why each of them was given up. */
const ends: string[] = [];

/** A model server that never comes to an end, and does not tell of its models. */
const neverEnding: typeof fetch = (input, init) => {
  const { url, signal } = new Request(input, init);
  const { pathname } = new URL(url);
  if (!MODEL_CALL.test(pathname)) return Promise.resolve(new Response(null, { status: 404 }));
  calls.push(pathname);
  const rejection = new Promise<never>((_resolve, reject) =>
    signal.addEventListener("abort", () => {
      ends.push(String(signal.reason));
      reject(new Error("aborted"));
    }),
  );
  if (!begins) return rejection;
  const firstBytes = new TextEncoder().encode('{"choices": [');
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(firstBytes),
    pull: () => rejection,
  });
  return Promise.resolve(new Response(body, { headers: { "Content-Type": "application/json" } }));
};

const app = createApp((bindings, context) => {
  const services = composeServices(bindings, context);
  const config = parseConfig({ ...env, OPENAI_COMPATIBLE_BASE_URL: "http://models.test/v1" });
  const local = modelRegistry(config, { fetch: neverEnding });
  const chat = () => local.chat("local/chat");
  const embedder = () => local.embedder("local/letters", 16);
  const models = { ...services.models, chat, ...(embeds ? {} : { embedder }) };
  return { ...services, models };
});
app.route("/", protocols());

let token: string;
beforeAll(async () => {
  const world = await setUpProtocols();
  token = await world.token();
});

const query = "boiler";
const prompt = "What of the boiler?";
const semanticSearch = [query];
const messages = [{ role: "user", content: prompt }];
const tool = (name: string, input: object) => {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } };
};
const retrieval_setting = { top_k: 5, score_threshold: 0 };
const EVENTS = "text/event-stream";
const RUN = ["/api/inferences/ask", { prompt, semanticSearch }] as const;
const INVOKE = ["/api/agents/helper/invoke", { prompt }] as const;
const CHAT = "/v1/chat/completions";
const CHATS = ["/v1/chat/completions"];
const EMBEDDINGS = ["/v1/embeddings"];

test.each<[string, readonly [string, object], { accept?: string; hangs?: string }?]>([
  ["an inference", RUN],
  ["an inference within the model's answer", RUN, { hangs: "within its answer" }],
  ["an inference, streamed", RUN, { accept: EVENTS }],
  ["an inference that searches", RUN, { hangs: "embedding" }],
  ["an agent", INVOKE],
  ["an agent, streamed", INVOKE, { accept: EVENTS }],
  ["a chat", [CHAT, { model: "inference/ask", messages }]],
  ["a chat, streamed", [CHAT, { model: "agent/helper", messages, stream: true }]],
  ["a response", ["/v1/responses", { model: "inference/ask", input: prompt }]],
  [
    "a response, streamed",
    ["/v1/responses", { model: "agent/helper", input: prompt, stream: true }],
  ],
  ["an inference over MCP", ["/mcp", tool("ask_ask", { prompt })]],
  ["an agent over MCP", ["/mcp", tool("agent_helper", { prompt })]],
  ["a retrieval", ["/api/rags/notes/retrieve", { semanticSearch }], { hangs: "embedding" }],
  ["a vector store", ["/v1/vector_stores/notes/search", { query }], { hangs: "embedding" }],
  [
    "embeddings",
    ["/v1/embeddings", { model: "embedded/hash", input: query }],
    { hangs: "embedding" },
  ],
  [
    "Dify",
    ["/dify/retrieval", { knowledge_id: "notes", query, retrieval_setting }],
    { hangs: "embedding" },
  ],
  ["MCP", ["/mcp", tool("search", { query, rag: "notes" })], { hangs: "embedding" }],
])("the work for a caller who is gone ends: %s", async (_what, [path, body], how = {}) => {
  begins = how.hangs === "within its answer";
  embeds = how.hangs !== "embedding";
  calls.length = 0;
  ends.length = 0;
  const controller = new AbortController();
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: how.accept ?? "application/json, text/event-stream;q=0.5",
    "X-Forwarded-For": freshAddress(),
  };
  const init = { method: "POST", headers, body: JSON.stringify(body), signal: controller.signal };
  const context = createExecutionContext();
  const answered = (async () => {
    const response = await app.fetch(new Request(`${ORIGIN}${path}`, init), env, context);
    await response.text();
    await waitOnExecutionContext(context);
  })();
  await eventually(() => expect(calls).toHaveLength(1));
  controller.abort(new Error("hung up"));
  await answered;
  // Not because its own time was over.
  expect(ends).toEqual(["Error: hung up"]);
  expect(calls).toEqual(embeds ? CHATS : EMBEDDINGS);
});
