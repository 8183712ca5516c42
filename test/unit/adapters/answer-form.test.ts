import { expect, test } from "vitest";

import { answerIn } from "../../../src/adapters/openai/answer-form.ts";

const choices = [{ message: { content: "Hi" } }];

test("counts of gateways are read under the names of OpenAI", () => {
  const usage = { input_tokens: 5, output_tokens: 2 };
  const counts = { prompt_tokens: 5, completion_tokens: 2 };
  expect(answerIn({ choices, usage }, "message")).toMatchObject({ usage: counts });
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
