import { expect, test } from "vitest";

import { answerIn, normalizeStream } from "../../../src/adapters/openai/answer-form.ts";

const choices = [{ message: { content: "Hi" } }];

test("counts of gateways are read under the names of OpenAI", () => {
  const usage = { input_tokens: 5, output_tokens: 2 };
  const counts = { prompt_tokens: 5, completion_tokens: 2 };
  expect(answerIn({ choices, usage }, "message")).toMatchObject({ usage: counts });
});

test("a text that is no message is the answer", () => {
  const answer = { choices: [{ index: 0, text: "Hi", logprobs: null, finish_reason: "length" }] };
  expect(answerIn(answer, "message")).toMatchObject({
    choices: [{ message: { content: "Hi" }, finish_reason: "length" }],
  });
});

test("pieces of a text that is no message are streamed", async () => {
  const pieces = [
    { text: "Hi", finish_reason: null },
    { text: "!", finish_reason: "length" },
  ];
  const events = pieces.map((piece) => `data: ${JSON.stringify({ choices: [piece] })}\n\n`);
  const { body } = new Response(events.join(""));
  if (body === null) throw new Error("no body");
  const text = await new Response(normalizeStream(body)).text();
  expect(text.match(/"content":"[^"]*"|"finish_reason":"[^"]*"/g)).toEqual([
    '"content":"Hi"',
    '"content":"!"',
    '"finish_reason":"length"',
  ]);
});

test.each([
  {},
  { total_tokens: 7 },
  { prompt_tokens: 0, completion_tokens: 0 },
  { prompt_tokens: 5, completion_tokens: -1 },
  { prompt_tokens: 5, completion_tokens: null },
])("what a gateway did not count is not taken for nothing: %j", (usage) => {
  expect(answerIn({ choices, usage }, "message")).toMatchObject({ usage: undefined });
});
