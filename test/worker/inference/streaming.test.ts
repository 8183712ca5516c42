import { beforeAll, expect, inject, test } from "vitest";

import type { RagRecord } from "../../../src/db/records.ts";
import { runAgent } from "../../../src/inference/run-agent.ts";
import { runEvents, type RunEvent } from "../../../src/inference/run-events.ts";
import { runInference } from "../../../src/inference/run-inference.ts";
import type { InferenceInput } from "../../../src/inference/types.ts";
import { sayByDefault, type ChatBody } from "../../doubles/openai-compatible/chat-answer.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { WorkersAiDouble } from "../../doubles/workers-ai/workers-ai-double.ts";
import {
  agentOf,
  answerOf,
  indexedRag,
  inferenceOf,
  inputOf,
  nobody,
  worldWith,
} from "./support.ts";
import type { World } from "./support.ts";

const HOLIDAY = "Full-time employees get 26 days of holiday a year.";

let rag: RagRecord;

beforeAll(async () => {
  rag = await indexedRag("handbook", { "leave.md": [HOLIDAY] });
});

const streamed = (world: World, more: Partial<InferenceInput> = {}, model = "local/chat") =>
  runEvents((listening) =>
    runInference(world.services, {
      inference: inferenceOf({ model, rags: [rag] }),
      input: inputOf({ semanticSearch: ["days of holiday"], ...more }),
      caller: nobody,
      ...listening,
    }),
  );

async function allOf(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const types = (events: RunEvent[]) =>
  events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
const textOf = (events: RunEvent[]) =>
  events.map((event) => (event.type === "delta" ? event.text : "")).join("");

test("the passages are told before the model has said a word", async () => {
  const double = new OpenAiDouble();
  double.send = () =>
    new ReadableStream({
      pull: () => new Promise(() => {}),
    });
  const events = streamed(worldWith({ double, variables: { MODEL_TIMEOUT_MS: "250" } }));
  const { value } = await events.next();
  expect(value).toMatchObject({ type: "retrieval", items: [{ text: HOLIDAY }], degradations: [] });
  await expect(events.next()).rejects.toThrow(/no answer after \d+ ms/);
});

test.each(["local/chat", "workers-ai/@cf/meta/llama", "embedded/extractive"])(
  "%s: the deltas are the text of the result, and usage is counted",
  async (model) => {
    const world = worldWith({ double: new OpenAiDouble(), ai: new WorkersAiDouble() });
    const events = await allOf(streamed(world, {}, model));
    expect(types(events)).toEqual(["retrieval", "delta", "result"]);
    const last = events.at(-1);
    if (last?.type !== "result") throw new Error("no result");
    expect(last.result.response).toEqual([{ type: "text", text: textOf(events) }]);
    expect(last.result.usage.outputTokens).toBeGreaterThan(0);
    await world.settled();
    const { inputTokens, outputTokens } = last.result.usage;
    expect(world.usage).toMatchObject([{ outcome: "ok", inputTokens, outputTokens }]);
  },
);

test("a server that others keep streams, too", async () => {
  const variables = { OPENAI_COMPATIBLE_BASE_URL: `${inject("aimockUrl")}/v1` };
  const events = await allOf(streamed(worldWith({ fetch, variables })));
  expect(types(events)).toEqual(["retrieval", "delta", "result"]);
  expect(textOf(events)).toBe("It is forty-two.");
});

test("a model of Workers AI that answers whole although it is asked to stream", async () => {
  const ai = new WorkersAiDouble();
  ai.streams = false;
  const world = worldWith({ ai });
  const agent = agentOf({ model: "workers-ai/@cf/meta/llama", rags: [rag] });
  const run = { agent, prompt: "How long?", caller: nobody };
  const events = await allOf(
    runEvents((listening) => runAgent(world.services, { ...run, ...listening })),
  );
  expect(types(events)).toEqual(["tool", "retrieval", "tool", "delta", "result"]);
  expect(textOf(events)).toBe("It is forty-two.");
});

test("a server that refuses to stream is asked for the whole", async () => {
  const double = new OpenAiDouble();
  double.fail("chat", { kind: "status", status: 422 }, 1);
  const events = await allOf(streamed(worldWith({ double })));
  expect(types(events)).toEqual(["retrieval", "delta", "result"]);
  expect(events.at(-1)).toMatchObject({
    result: { usage: { inputTokens: 100, outputTokens: 20 } },
  });
  expect(double.calls("chat")).toHaveLength(2);
});

test("structured output comes whole, after its repair", async () => {
  const double = new OpenAiDouble();
  double.script = ({ messages }) => ({
    text: messages.length > 2 ? '{"answer":"26"}' : '{"wrong":1}',
  });
  const jsonSchema = JSON.stringify({ type: "object", required: ["answer"] });
  const events = await allOf(streamed(worldWith({ double }), { jsonSchema }));
  expect(types(events)).toEqual(["retrieval", "result"]);
  expect(events.at(-1)).toMatchObject({ result: { response: { answer: "26" } } });
});

test.each(["local/chat", "workers-ai/@cf/meta/llama"])(
  "an agent's searches are told as they begin and end (%s)",
  async (model) => {
    const world = worldWith({ double: new OpenAiDouble(), ai: new WorkersAiDouble() });
    const agent = agentOf({ model, rags: [rag] });
    const events = await allOf(
      runEvents((listening) =>
        runAgent(world.services, { agent, prompt: "How long?", caller: nobody, ...listening }),
      ),
    );
    const tool = { type: "tool", tool: "search_handbook" };
    expect(events.slice(0, 3)).toMatchObject([
      { ...tool, state: "started" },
      { type: "retrieval", items: [{ text: HOLIDAY }] },
      { ...tool, state: "finished", ok: true },
    ]);
    expect(types(events.slice(3))).toEqual(["delta", "result"]);
    expect(events.at(-1)).toMatchObject({
      result: { items: [{ text: HOLIDAY }], toolCalls: [{ tool: "search_handbook", ok: true }] },
    });
  },
);

test("a plain call does not ask the model to stream", async () => {
  const double = new OpenAiDouble();
  const { services } = worldWith({ double });
  await answerOf(services, { model: "openai/gpt-5" });
  const [request] = double.calls("chat").map(({ body }) => body as ChatBody);
  expect(request?.stream).toBeUndefined();
});

/** A model that answers at once, and marks what it took from the first passage. */
function citing(): OpenAiDouble {
  const double = new OpenAiDouble();
  double.script = (body) => {
    const prompt = JSON.stringify(body.messages);
    const word = /\[cite-([a-z]{8}):n\]/.exec(prompt)?.[1];
    const searched = body.messages.some(({ role }) => role !== "system" && role !== "user");
    if (body.tools !== undefined && !searched) return sayByDefault(body);
    return { text: `It is 26 days [cite-${word}:1]. Ask [cite-${word}:9] \u{1F642} again.` };
  };
  return double;
}

const CITED = {
  type: "text",
  text: "It is 26 days. Ask \u{1F642} again.",
  citations: [{ item: 0, start: 0, end: 13 }],
};

test.each([true, false])(
  "an answer cites where it is asked to (streamed: %s)",
  async (isStreamed) => {
    const double = citing();
    const { services } = worldWith({ double });
    const run = {
      inference: inferenceOf({ model: "local/chat", rags: [rag] }),
      input: inputOf({ semanticSearch: ["days of holiday"] }),
      cites: true,
      caller: nobody,
    };
    const events = isStreamed
      ? await allOf(runEvents((listening) => runInference(services, { ...run, ...listening })))
      : [];
    const last = events.at(-1);
    const result = last?.type === "result" ? last.result : await runInference(services, run);
    expect(result.response).toEqual([CITED]);
    if (isStreamed) expect(textOf(events)).toBe(CITED.text);
  },
);

test("an agent cites what its searches found, by the number it was shown", async () => {
  const { services } = worldWith({ double: citing() });
  const agent = agentOf({ model: "local/chat", rags: [rag] });
  const run = { agent, prompt: "How long?", cites: true, caller: nobody };
  expect((await runAgent(services, run)).response).toEqual([CITED]);
});

test("the built-in model cites its sentences exactly, also as an agent", async () => {
  const { services } = worldWith({});
  const prompt = "How many days of holiday?";
  const input = inputOf({ prompt, semanticSearch: [prompt] });
  const inference = inferenceOf({ rags: [rag] });
  const options = { cites: true, caller: nobody };
  const text = `${HOLIDAY}\n\nSource: handbook: leave.md`;
  const citations = [{ item: 0, start: 0, end: HOLIDAY.length }];
  const response = [{ type: "text", text, citations }];
  const streamedRun = runEvents((listening) =>
    runInference(services, { inference, input, ...options, ...listening }),
  );
  expect((await allOf(streamedRun)).at(-1)).toMatchObject({ result: { response } });
  const agent = agentOf({ rags: [rag] });
  expect(await runAgent(services, { agent, prompt, ...options })).toMatchObject({ response });
});

test("who does not ask for citations changes nothing of the prompt, nor of the answer", async () => {
  const double = citing();
  const { services } = worldWith({ double });
  const input = { semanticSearch: ["days of holiday"] };
  const { response } = await answerOf(services, { model: "local/chat", rags: [rag] }, input);
  const [request] = double.calls("chat").map(({ body }) => JSON.stringify(body));
  expect(request).toContain("Where you use one, you may cite it by its source.");
  expect(request).not.toContain("[cite-");
  expect(response).toEqual([{ type: "text", text: expect.stringContaining("[cite-undefined:1]") }]);
});
