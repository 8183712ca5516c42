import { expect, test } from "vitest";

import { answerIn } from "../../../src/adapters/openai/answer-form.ts";

const choices = [{ message: { content: "Hi" } }];

test.each([
  [
    { input_tokens: 5, output_tokens: 2 },
    { prompt_tokens: 5, completion_tokens: 2 },
  ],
  [{ prompt_tokens: 5, completion_tokens: -1 }, { prompt_tokens: 5 }],
])("counts of gateways are read under the names of OpenAI: %j", (usage, counts) => {
  expect(answerIn({ choices, usage }, "message")).toMatchObject({ usage: counts });
});

test.each([{}, { total_tokens: 7 }, { prompt_tokens: 0, completion_tokens: 0 }])(
  "what a gateway did not count is not taken for nothing: %j",
  (usage) => {
    expect(answerIn({ choices, usage }, "message")).toMatchObject({ usage: undefined });
  },
);
