import { expect, test } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { parseConfig } from "../../../src/config.ts";
import { sendAll } from "../../doubles/openai-compatible/openai-double.ts";

const config = parseConfig({
  ENVIRONMENT: "development",
  OPENAI_COMPATIBLE_BASE_URL: "http://models.test/v1",
});
const content = [{ type: "text" as const, text: "Hello" }];
const prompt = [{ role: "user" as const, content }];

test("arguments of a tool call that come as an object are read", async () => {
  const toolArguments = { query: "boiler", arguments: { year: 2026 } };
  const call = {
    id: "1",
    type: "function",
    function: { name: "search", arguments: toolArguments },
  };
  const delta = { tool_calls: [{ index: 0, ...call }] };
  const choice = { index: 0, finish_reason: "tool_calls" };
  const model = modelRegistry(config, {
    fetch: (_url, init) =>
      Promise.resolve(
        JSON.stringify(init?.body).includes("stream")
          ? new Response(
              sendAll([
                `data: ${JSON.stringify({ choices: [{ ...choice, delta }] })}\n\n`,
                "data: [DONE]\n\n",
              ]),
              { headers: { "content-type": "text/event-stream" } },
            )
          : Response.json({ choices: [{ ...choice, message: { content: null, ...delta } }] }),
      ),
  }).chat("local/objects").model;
  const { content: parts } = await model.doGenerate({ prompt });
  expect(parts).toMatchObject([{ type: "tool-call", toolName: "search" }]);
  const inputs = parts.flatMap((part) => (part.type === "tool-call" ? [part.input] : []));
  const { stream } = await model.doStream({ prompt });
  for await (const part of stream) if (part.type === "tool-call") inputs.push(part.input);
  expect(inputs.map((input) => JSON.parse(input) as unknown)).toEqual([
    toolArguments,
    toolArguments,
  ]);
});

/** Parts of an answer that is streamed with these pieces of calls. */
async function partsOf(pieces: object[]) {
  const choices = [
    ...pieces.map((call) => ({ index: 0, delta: { tool_calls: [call] } })),
    { index: 0, delta: {}, finish_reason: "tool_calls" },
  ];
  const events = choices.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  const headers = { "content-type": "text/event-stream" };
  const fetch = () => Promise.resolve(new Response(sendAll(events), { headers }));
  const { model } = modelRegistry(config, { fetch }).chat("local/odd");
  const { stream } = await model.doStream({ prompt });
  const parts: object[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const CALL = { index: 0, id: "1", type: "function" };

/** As gpt-oss on vLLM, Qwen and gateways write them. */
test.each<[string, string, string]>([
  ["with a mark behind its name", "search<|channel|>commentary", '{"a":1}'],
  ["with arguments that are a text once more", "search", '"{\\"a\\":1}"'],
])("a call %s is read", async (_, name, args) => {
  const call = { ...CALL, function: { name, arguments: args } };
  const parts = await partsOf([call]);
  const expected = { type: "tool-call", toolName: "search", input: '{"a":1}' };
  expect(parts).toContainEqual(expect.objectContaining(expected));
});

// https://github.com/CherryHQ/cherry-studio/pull/16322
test("a call whose id is a number, as of GLM, is read", async () => {
  const call = { ...CALL, id: 7, function: { name: "search", arguments: "{}" } };
  const expected = { type: "tool-call", toolCallId: "7", input: "{}" };
  expect(await partsOf([call])).toContainEqual(expect.objectContaining(expected));
});

test("a later piece of a call's arguments stays as it is", async () => {
  const first = { ...CALL, function: { name: "search", arguments: '{"a":' } };
  const later = { index: 0, function: { arguments: '"{\\"b\\":1}"' } };
  const last = { index: 0, function: { arguments: "}" } };
  const input = '{"a":"{\\"b\\":1}"}';
  expect(await partsOf([first, later, last])).toContainEqual(
    expect.objectContaining({ type: "tool-call", input }),
  );
});

test.each([undefined, ""])("arguments before their call's name (%j) are kept", async (name) => {
  const first = { ...CALL, function: { name, arguments: '{"a":' } };
  const later = { index: 0, function: { name: "search", arguments: "1}" } };
  const expected = { type: "tool-call", toolName: "search", input: '{"a":1}' };
  expect(await partsOf([first, later])).toContainEqual(expect.objectContaining(expected));
});

const SEARCH = {
  type: "function" as const,
  name: "search",
  inputSchema: {
    type: "object" as const,
    properties: { query: { type: "string" as const }, top: { type: "integer" as const } },
  },
};
const RAW_CALL = '{"name": "search", "arguments": {"query": "boiler", "top": 3}}';

/** Text and calls of an answer whose text is this, streamed letter by letter and not. */
async function readText(text: string) {
  const events = Array.from(text, (letter) => ({
    delta: { content: letter },
    finish_reason: null,
  }));
  const end = { delta: {}, finish_reason: "stop" };
  const streamed = [...events, end].map((choice) => JSON.stringify({ choices: [choice] }));
  const fetch: typeof globalThis.fetch = (_url, init) =>
    Promise.resolve(
      JSON.stringify(init?.body).includes("stream")
        ? new Response(sendAll(streamed.map((data) => `data: ${data}\n\n`)))
        : Response.json({ choices: [{ message: { content: text }, finish_reason: "stop" }] }),
    );
  const { model } = modelRegistry(config, { fetch }).chat("local/raw");
  const { content: parts, finishReason } = await model.doGenerate({ prompt, tools: [SEARCH] });
  const whole = { text: "", calls: [] as unknown[], end: finishReason.unified };
  const pieces = { text: "", calls: [] as unknown[], end: "" };
  for (const part of parts) {
    if (part.type === "text") whole.text += part.text;
    if (part.type === "tool-call") whole.calls.push([part.toolName, JSON.parse(part.input)]);
  }
  const { stream } = await model.doStream({ prompt, tools: [SEARCH] });
  for await (const part of stream) {
    if (part.type === "text-delta") pieces.text += part.delta;
    if (part.type === "tool-call") pieces.calls.push([part.toolName, JSON.parse(part.input)]);
    if (part.type === "finish") pieces.end = part.finishReason.unified;
  }
  expect(pieces).toEqual(whole);
  return whole;
}

test.each([
  ["", `<tool_call>\n${RAW_CALL}\n</tool_call>`],
  ["I search. ", `<tool_call>${RAW_CALL}</tool_call><tool_response>`],
  ["", `\`\`\`json\n${RAW_CALL}\n\`\`\``],
  ["", RAW_CALL.replace("arguments", "parameters")],
  ["", `[TOOL_CALLS][${RAW_CALL}]`],
  [
    "",
    "<tool_call>\n<function=search>\n<parameter=query>\nboiler\n</parameter>\n<parameter=top>3</parameter>\n</function>\n</tool_call>",
  ],
  [
    "I search.\n",
    "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>boiler</arg_value>\n<arg_key>top</arg_key><arg_value>3</arg_value>\n</tool_call>",
  ],
  ["", '[TOOL_CALLS]search[ARGS]{"query": "boiler", "top": 3}'],
  ["I search. ", '[TOOL_CALLS]search[CALL_ID]a1B2c3D4e[ARGS]{"query": "boiler", "top": 3}'],
])("a call that a model writes as text is a call: %s%s", async (before, text) => {
  const calls = [["search", { query: "boiler", top: 3 }]];
  expect(await readText(before + text)).toEqual({ text: before, calls, end: "tool-calls" });
});

test.each([
  '{"name": "Ann", "arguments": {}}',
  "[1] says that a <tool is here",
  `Write <tool_call>${RAW_CALL.slice(0, 20)}`,
  `The call is ${RAW_CALL}`,
  "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>boil",
  "<tool_call>\n<function=search>\n<parameter=query>\nboil",
])("any other text stays text: %s", async (text) => {
  expect(await readText(text)).toEqual({ text, calls: [], end: "stop" });
});
