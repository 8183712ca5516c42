import assert from "node:assert/strict";

import { dataOf, publicApi } from "../../src/cli/api/clients.ts";
import { indexNotes } from "./notes.ts";
import { until, type Tools } from "./tools.ts";

/** A server of models, and what it says of its chat model and of its embedder. */
export type ModelServer = {
  baseUrl: string;
  key: string;
  chat: string;
  /** Tokens of prompt and answer that the server tells. */
  window: number;
  /** `local/…` of the same server, or `local-embed/…` of another one, which takes no key. */
  embedder: { model: string; dimensions: number; baseUrl?: string };
};

type Usage = { prompt_tokens: number; completion_tokens: number };

const PATIENCE_MS = 60_000;
const ANSWER_TOKENS = 24;

/** Answers, streams and embeds with a real server, and reads its limits and errors. */
export async function checkModelServer(tools: Tools, server: ModelServer) {
  const { embedder } = server;
  const service = await tools.quarryWithRag([
    `OPENAI_COMPATIBLE_BASE_URL:${server.baseUrl}`,
    `OPENAI_COMPATIBLE_API_KEY:${server.key}`,
    `EMBEDDING_MODEL:${embedder.model}`,
    `EMBEDDING_DIMENSIONS:${embedder.dimensions}`,
    ...(embedder.baseUrl === undefined ? [] : [`EMBEDDING_BASE_URL:${embedder.baseUrl}`]),
  ]);
  const { api, url, token } = service;
  const naming = { name: "Answering", identifier: "answering" };
  const model = `local/${server.chat}`;
  const limits = { maxOutputTokens: ANSWER_TOKENS, systemPrompt: "Be brief." };
  await dataOf(api.POST("/inferences", { body: { ...naming, model, ...limits } }));
  const caller = publicApi(url, token);
  const params = { path: { identifier: "answering" } };
  const ask = async (prompt: string) =>
    await caller.POST("/api/inferences/{identifier}", { params, body: { prompt } });
  const chat = async (body: object, signal = AbortSignal.timeout(PATIENCE_MS)) =>
    await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ model: "inference/answering", ...body }),
      signal,
    });
  const messages = [{ role: "user", content: "How many days of leave are there?" }];

  await tools.check("its models are listed with their window", async () => {
    // A list has two seconds, which a busy machine may not keep.
    await until(async () => {
      const servers = await dataOf(api.GET("/model-servers"));
      const local = servers.find(({ name }) => name === "local");
      const listing = local?.models.find((entry) => entry.model === model);
      assert.equal(local?.problem, null);
      assert.equal(listing?.contextTokens, server.window);
    });
  });
  await tools.check("its embeddings index files, and a search uses them", async () => {
    await indexNotes(api);
    const query = { semanticSearch: ["days of leave"], topK: 2 };
    const params = { path: { id: "docs" } };
    const answer = await dataOf(api.POST("/rags/{id}/search", { params, body: query }));
    assert.equal(answer.chunks.length, 2, JSON.stringify(answer));
    assert.ok(!JSON.stringify(answer).includes('"degraded":true'), JSON.stringify(answer));
  });
  await tools.check("it answers, with usage", async () => {
    assert.notEqual((await dataOf(ask("How many days of leave are there?"))).response, "");
    const answer = (await (await chat({ messages })).json()) as { usage: Usage };
    assert.ok(answer.usage.prompt_tokens > 0 && answer.usage.completion_tokens > 0);
  });
  await tools.check("it streams, usage last", async () => {
    const body = { messages, stream: true, stream_options: { include_usage: true } };
    const text = await (await chat(body)).text();
    const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => json);
    assert.match(text, /data: \[DONE\]\s*$/);
    assert.ok(events.length > 2, text);
    const { usage } = JSON.parse(events.at(-1) ?? "{}") as { usage?: Usage };
    assert.ok((usage?.completion_tokens ?? 0) > 0, text.slice(-1_000));
  });
  await tools.check("a prompt that is too long is refused in words", async () => {
    await assert.rejects(ask("word ".repeat(server.window)), /too long.*\(400\)/);
  });
  await tools.check("a model that it lacks is refused where it is set", async () => {
    const inference = { name: "Lost", identifier: "lost", model: "local/none", ...limits };
    await assert.rejects(dataOf(api.POST("/inferences", { body: inference })), /local\/none/);
  });
  return { ...service, chat, messages };
}
