import { describe, expect, test } from "vitest";

import { modelFailed } from "../../../src/core/errors.ts";
import type { InferenceResult } from "../../../src/inference/types.ts";
import { streamTurn } from "../../../src/protocols/openai/answer-turn.ts";
import { outputOf } from "../../../src/protocols/openai/output.ts";
import { responses } from "../../../src/protocols/openai/responses-answer.ts";
import { readResponse } from "../../../src/protocols/openai/responses-request.ts";
import type { RetrievedChunk } from "../../../src/retrieval/score-chunks.ts";
import { log, resultOf, type Run } from "./run-results.ts";

const turnWith = (more: object = {}) =>
  readResponse({ model: "agent/helper", input: "Hello", stream: true, ...more });

const source = { ragIdentifier: "notes", filePath: "a.md" } as RetrievedChunk["source"];
const items: RetrievedChunk[] = [{ text: "It is so.", score: 1, source }];
const cited = {
  type: "text" as const,
  text: "It is so.",
  citations: [{ item: 0, start: 0, end: 9 }],
};
const call = { id: "call_1", name: "get_weather", arguments: '{"city":"Ghent"}' };

const citedResult = (more: Partial<InferenceResult> = {}) =>
  resultOf({ response: [cited], items, ...more });

type Event = { type: string; sequence_number: number; response?: object; delta?: string };

async function eventsOf(run: Run, turn = turnWith()) {
  const { signal } = new AbortController();
  const text = await new Response(await streamTurn({ run, signal, log }, turn, responses)).text();
  return text
    .trim()
    .split("\n\n")
    .map((event) => {
      const [, name, data = ""] = /^event: (\S+)\ndata: (.*)$/.exec(event) ?? [];
      const payload = JSON.parse(data) as Event;
      expect(payload.type).toBe(name);
      return payload;
    });
}

const short = (events: Event[]) => events.map(({ type }) => type.replace("response.", ""));

const BEGUN = ["created", "in_progress"];
const ADDED = ["output_item.added", "content_part.added"];
const DONE = ["output_text.done", "content_part.done", "output_item.done"];
const CALLED = [
  "output_item.added",
  "function_call_arguments.delta",
  "function_call_arguments.done",
  "output_item.done",
];

describe("a streamed response", () => {
  test("has OpenAI's events, numbered, and ends with the whole response", async () => {
    const events = await eventsOf(async ({ emit }) => {
      await emit({ type: "retrieval", items, degradations: [] });
      await emit({ type: "delta", text: "Wait.", step: 0 });
      await emit({ type: "delta", text: "It is so.", step: 1 });
      return citedResult({ functionCalls: [call], degradations: ["reranker: 503"] });
    });
    const texts = ["output_text.delta", "output_text.delta", "output_text.annotation.added"];
    expect(short(events)).toEqual([...BEGUN, ...ADDED, ...texts, ...DONE, ...CALLED, "completed"]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    const fullText = events
      .map(({ type, delta }) => (type.endsWith("text.delta") ? delta : ""))
      .join("");
    expect(fullText).toBe("Wait.\n\nIt is so.");
    const annotation = {
      type: "file_citation",
      file_id: "notes/a.md",
      filename: "a.md",
      index: 16,
    };
    expect(events.at(-1)?.response).toMatchObject({
      status: "completed",
      store: false,
      output: [
        {
          type: "message",
          status: "completed",
          content: [{ type: "output_text", text: fullText, annotations: [annotation] }],
        },
        { type: "function_call", call_id: "call_1", name: call.name, arguments: call.arguments },
      ],
      usage: { input_tokens: 7, input_tokens_details: { cached_tokens: 5 }, output_tokens: 2 },
      degraded: { occurred: true },
    });
  });

  test.each<[string, Partial<InferenceResult>, string[]]>([
    ["calls alone", { response: [], functionCalls: [call] }, [...CALLED, "completed"]],
    [
      "an answer that was cut off",
      { finish: "length" },
      [...ADDED, "output_text.delta", "output_text.annotation.added", ...DONE, "incomplete"],
    ],
  ])("%s", async (_, result, ending) => {
    const events = await eventsOf(async () => citedResult(result));
    expect(short(events)).toEqual([...BEGUN, ...ending]);
  });

  test("a failure is its last event, in both forms that clients read", async () => {
    const events = await eventsOf(async ({ emit }) => {
      await emit({ type: "delta", text: "It", step: 0 });
      throw modelFailed("Model call failed: provider answered 503");
    });
    const error = { message: "Model call failed: provider answered 503", code: "model_failed" };
    expect(events.at(-1)).toMatchObject({ type: "error", sequence_number: 5, ...error, error });
  });
});

test("a response that the provider's filter cut is not complete", () => {
  const cut = outputOf(turnWith({}), citedResult({ finish: "content_filter" }));
  expect(responses.answer(turnWith({}), cut)).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "content_filter" },
  });
});

test("a plain response says what was asked, and what came of it", () => {
  const metadata = { user: "7" };
  const turn = turnWith({ instructions: "Be brief.", metadata, max_output_tokens: 9 });
  const plain = responses.answer(turn, outputOf(turn, citedResult({ finish: "length" })));
  expect(plain).toMatchObject({
    object: "response",
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    instructions: "Be brief.",
    max_output_tokens: 9,
    metadata,
    store: false,
    previous_response_id: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
  });
  const uncited = turnWith({ includeSources: false });
  expect(responses.answer(uncited, outputOf(uncited, citedResult()))).toMatchObject({
    output: [{ content: [{ annotations: [] }] }],
  });
});

const question = { role: "user", content: [{ type: "input_text", text: "What now?" }] };
const called = { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" };
const returned = { type: "function_call_output", call_id: "call_1", output: "rain" };

test("items are read as a conversation", () => {
  const message = { type: "message", role: "assistant", id: "msg_1", status: "completed" };
  const parts = [{ type: "output_text", text: "Hi.", annotations: [], logprobs: [] }];
  const secondCall = { ...called, call_id: "call_2" };
  const turn = turnWith({
    instructions: "Be brief.",
    input: [
      { role: "developer", content: "Rhyme." },
      { role: "user", content: "Hello" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
      { type: "web_search_call", id: "ws_1", status: "completed" },
      { ...message, content: parts },
      question,
      // The text that went with the calls, as a client that counts on a store has it.
      { type: "item_reference", id: "msg_2" },
      called,
      secondCall,
      returned,
      { ...returned, call_id: "call_2" },
    ],
  });
  const calls = ["call_1", "call_2"].map((id) => ({ id, name: "f", arguments: "{}" }));
  expect(turn).toMatchObject({
    systemNote: "Be brief.\n\nRhyme.",
    prompt: "What now?",
    messages: [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi." },
    ],
    followUp: [
      { role: "assistant", content: "", calls },
      { role: "tool", call: calls[0], content: "rain" },
      { role: "tool", call: calls[1], content: "rain" },
    ],
  });
});

test("a call may be sent by its id alone, as clients do that count on a store", () => {
  const result = citedResult({ response: [], functionCalls: [call] });
  const { output } = responses.answer(turnWith(), outputOf(turnWith(), result)) as {
    output: { id: string }[];
  };
  const calls = output.map(({ id }) => ({ type: "item_reference", id }));
  const input = [question, ...calls, { ...returned, call_id: call.id }];
  expect(turnWith({ input }).followUp).toEqual([
    { role: "assistant", content: "", calls: [call] },
    { role: "tool", call, content: "rain" },
  ]);
});

test.each<[string, object, string]>([
  ["previous_response_id", { previous_response_id: "resp_1" }, "send the earlier items in input"],
  ["conversation", { conversation: "conv_1" }, "send the earlier items in input"],
  ["prompt", { prompt: { id: "pmpt_1" } }, "send instructions and input"],
  ["background", { background: true }, "use stream"],
  ["tools[0].type", { tools: [{ type: "web_search" }] }, "searches without a tool"],
  ["tool_choice", { tool_choice: "required" }, "without tools"],
  ["text.format.schema", { text: { format: { type: "json_schema", name: "a" } } }, "is required"],
  ["input", { input: [], instructions: "Rhyme." }, "must not be empty"],
  ["instructions", { instructions: "\ud800" }, "must be well-formed Unicode"],
  [
    "tools[0].parameters",
    { tools: [{ type: "function", name: "f", parameters: { properties: 5 } }] },
    "#/properties",
  ],
  ["input", { input: " " }, "must not be blank"],
  ["input[0].content", { input: [{ role: "system", content: " " }] }, "must not be blank"],
  ["input[0].content", { input: [{ role: "system", content: "" }] }, "must not be blank"],
  ["input", { instructions: "Hi", input: [{ type: "reasoning", summary: [] }] }, "a message"],
  ["input[0].type", { input: [{ type: "compaction" }] }, "must be message"],
  ["input[0].type", { input: [{ type: "item_reference", id: "m" }, question] }, "store: false"],
  [
    "input[0].content[0].type",
    { input: [{ ...question, content: [{ type: "input_image" }] }] },
    "",
  ],
  ["input[1]", { input: [question, called] }, "call_1"],
  ["input[1].call_id", { input: [question, returned] }, "must name a call"],
  ["input[1]", { input: [called, returned] }, "must follow a message of the user"],
])("a response is refused for %s: %j", (param, more, words) => {
  let thrown: unknown;
  try {
    turnWith(more);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ kind: "invalid", param });
  expect(String(thrown)).toContain(words);
});
