import { expect, test } from "vitest";

import { jsonLog } from "../../../src/core/log.ts";
import { modelFailed } from "../../../src/core/errors.ts";
import { chatStream } from "../../../src/doors/openai/chat-stream.ts";
import { readChat } from "../../../src/doors/openai/chat-request.ts";
import type { Listening } from "../../../src/inference/run-events.ts";
import type { InferenceResult } from "../../../src/inference/types.ts";

const log = jsonLog(() => {});
const chat = (more: object = {}) =>
  readChat({
    model: "agent/helper",
    messages: [{ role: "user", content: "Hello" }],
    stream: true,
    ...more,
  });

const resultOf = (more: Partial<InferenceResult> = {}): InferenceResult => ({
  response: [{ type: "text", text: "All of it." }],
  items: [],
  toolCalls: [],
  finish: "stop",
  systemPrompt: "",
  degradations: [],
  timings: { contextMs: 0, rerankingMs: 0, modelMs: 0, totalMs: 0 },
  usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3, cost: null },
  ...more,
});

type Run = (listening: Listening) => Promise<InferenceResult>;

async function textOf(run: Run, asked = chat()): Promise<string> {
  const { signal } = new AbortController();
  return await new Response(await chatStream(run, asked, { signal, log })).text();
}

const eventsIn = (text: string) =>
  text
    .trim()
    .split("\n\n")
    .map((event) => event.replace(/^data: /, ""));

const contentIn = (text: string) =>
  eventsIn(text)
    .filter((event) => event.startsWith("{"))
    .map((event) => JSON.parse(event) as { choices?: { delta: { content?: string } }[] })
    .map(({ choices = [] }) => choices[0]?.delta.content ?? "")
    .join("");

test("texts come as they are written; a further text is set off", async () => {
  const said = await textOf(async ({ tell }) => {
    await tell({ type: "retrieval", items: [], degradations: [] });
    await tell({ type: "delta", text: "Let me", step: 0 });
    await tell({ type: "delta", text: " look.", step: 0 });
    await tell({ type: "tool", id: "1", tool: "search", state: "started" });
    await tell({ type: "delta", text: "It is so.", step: 1 });
    return resultOf({ finish: "length", degradations: ["reranker: 503"] });
  });
  expect(contentIn(said)).toBe("Let me look.\n\nIt is so.");
  const [last, done] = eventsIn(said).slice(-2);
  expect(JSON.parse(last ?? "")).toMatchObject({
    choices: [{ delta: {}, finish_reason: "length" }],
    degraded: { occurred: true },
  });
  expect(done).toBe("[DONE]");
});

test("an answer that nobody heard comes whole", async () => {
  expect(contentIn(await textOf(async () => resultOf()))).toBe("All of it.");
  const response_format = { type: "json_object" };
  const structured = await textOf(
    async () => resultOf({ response: { a: 1 } }),
    chat({ response_format }),
  );
  expect(contentIn(structured)).toBe('{"a":1}');
});

test("a failure is thrown before the first byte, and the last event after it", async () => {
  const failing: Run = () =>
    Promise.reject(modelFailed("Model call failed: provider answered 503"));
  await expect(textOf(failing)).rejects.toThrow("provider answered 503");
  const said = await textOf(async ({ tell }) => {
    await tell({ type: "delta", text: "It", step: 0 });
    throw modelFailed("Model call failed: provider answered 503");
  });
  const last = eventsIn(said).at(-1) ?? "";
  expect(JSON.parse(last)).toEqual({
    error: {
      message: "Model call failed: provider answered 503",
      type: "server_error",
      param: null,
      code: "model_failed",
    },
  });
  expect(said).not.toContain("[DONE]");
});

test("a reader that goes away ends the run", async () => {
  let ended = false;
  const run: Run = async ({ tell, signal }) => {
    await tell({ type: "delta", text: "It", step: 0 });
    return await new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        ended = true;
        reject(new Error("aborted"));
      });
    });
  };
  const { signal } = new AbortController();
  const reader = (await chatStream(run, chat(), { signal, log })).getReader();
  await reader.read();
  await reader.cancel();
  expect(ended).toBe(true);
});
