import { expect, test } from "vitest";

import { modelMessages, offerTools } from "../../../src/inference/tools/caller-functions.ts";
import { readChat } from "../../../src/protocols/openai/chat-request.ts";
import { readFunctions } from "../../../src/protocols/openai/functions.ts";
import { schemaOf } from "../../../src/protocols/openai/response-format.ts";

test("a function named __proto__ is offered like any other", async () => {
  const functions = readFunctions([{ name: "__proto__" }, { name: "other" }], "auto", true);
  const { tools, handedBack } = await offerTools({}, functions);
  expect(Object.keys(tools)).toEqual(["__proto__", "other"]);
  expect([...handedBack]).toEqual(["__proto__", "other"]);
});

test("a schema that is nested too deeply to be written again is refused", () => {
  let schema: Record<string, unknown> = {};
  for (let at = 0; at < 50_000; at++) schema = { a: schema };
  const tools = [{ type: "function", function: { name: "deep", parameters: schema } }];
  const messages = [{ role: "user", content: "Hello" }];
  const readRequest = () => readChat({ model: "agent/helper", messages, tools });
  expect(readRequest).toThrow("tools[0].function.parameters is nested too deeply");
  const format = { type: "json_object" as const, schema };
  expect(() => schemaOf(format, "text.format.schema")).toThrow("nested too deeply");
});

test("a refusal does not repeat names and ids of any length", () => {
  const long = "a".repeat(100_000);
  const calls = [{ id: long, type: "function", function: { name: "f", arguments: "{}" } }];
  const question = { role: "user", content: "Hello" };
  const unanswered = [{ role: "assistant", tool_calls: calls }, question];
  const tool_choice = { type: "function", function: { name: long } };
  for (const body of [{ messages: unanswered }, { messages: [question], tool_choice }]) {
    expect(() => readChat({ model: "agent/helper", ...body })).toThrow(/^.{1,300}$/s);
  }
});

test("parameters without a type are those of an object", () => {
  const properties = { city: { type: "string" } };
  const tools = [{ name: "a" }, { name: "b", parameters: { properties } }];
  expect(readFunctions(tools, "auto", true)?.functions).toMatchObject([
    { parameters: { type: "object", properties: {} } },
    { parameters: { type: "object", properties } },
  ]);
});

const CALL = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };

test.each<[string, object, string]>([
  ["a hosted tool", { tool_choice: { type: "file_search" } }, "auto, none, required or a function"],
  [
    "parameters that no provider takes",
    { tools: [{ type: "function", function: { name: "f", parameters: { type: "array" } } }] },
    "tools[0].function.parameters must be a JSON Schema of type object",
  ],
  ...(
    [
      [{ properties: 5 }, "#/properties"],
      [{ properties: { a: 5 } }, "#/properties"],
      [{ properties: { a: { anyOf: [{ type: "text" }] } } }, "#/properties/a/anyOf/0/type"],
      [{ properties: { a: { $ref: "#/$defs/gone" } } }, "#/properties/a/$ref"],
      [{ $defs: { "a/b": { required: true } } }, "#/$defs/a~1b/required"],
    ] as const
  ).map(([parameters, place]): [string, object, string] => [
    `a wrong ${place}`,
    { tools: [{ type: "function", function: { name: "f", parameters } }] },
    `tools[0].function.parameters must be a JSON Schema: ${place} does not follow`,
  ]),
  [
    "two calls with one id",
    { messages: [{ role: "assistant", tool_calls: [CALL, CALL] }] },
    "one id",
  ],
  [
    "a role of earlier versions",
    { messages: [{ role: "function", name: "f", content: "a" }] },
    "messages[0].role must be system, developer, user, assistant or tool",
  ],
])("%s is refused in words that say what to send", (_, body, message) => {
  const messages = [{ role: "user", content: "Hello" }];
  expect(() => readChat({ model: "agent/helper", messages, ...body })).toThrow(message);
});

test("a call whose arguments are an empty text has none", () => {
  const calls = [{ id: "1", name: "now", arguments: "" }];
  const [message] = modelMessages([{ role: "assistant", content: "", calls }]);
  expect(message?.content).toMatchObject([{ type: "tool-call", input: {} }]);
});
