import { expect, test } from "vitest";

import { applyCallerLimits } from "../../../src/protocols/openai/answer-turn.ts";
import { readChat } from "../../../src/protocols/openai/chat-request.ts";
import type { Runner } from "../../../src/protocols/run.ts";
import type { Services } from "../../../src/services.ts";

type Settings = {
  systemPrompt?: string;
  temperature: number | null;
  maxOutputTokens: number | null;
};

function lowered(configured: Settings, callerLimits: object) {
  const agent = { systemPrompt: "Be kind.", ...configured };
  const messages = [{ role: "user", content: "Hello" }];
  const chat = readChat({ model: "agent/a", messages, ...callerLimits });
  const models = { chat: () => ({ contextTokens: 8_001 }) } as unknown as Services["models"];
  // Only these settings are read.
  const runner = applyCallerLimits(models, { kind: "agent", agent } as unknown as Runner, chat);
  return runner.kind === "agent" ? runner.agent : null;
}

test("a caller lowers what is configured and never raises it", () => {
  const set = { temperature: 0.5, maxOutputTokens: 100 };
  expect(lowered(set, {})).toMatchObject(set);
  expect(lowered(set, { temperature: 0.2, max_tokens: 50 })).toMatchObject({
    temperature: 0.2,
    maxOutputTokens: 50,
  });
  expect(lowered(set, { temperature: 2, max_completion_tokens: 4_000 })).toMatchObject(set);
  const both = { max_tokens: 70, max_completion_tokens: 60 };
  expect(lowered(set, both)).toMatchObject({ maxOutputTokens: 60 });
  const open = { temperature: null, maxOutputTokens: null };
  expect(lowered(open, {})).toMatchObject(open);
  expect(lowered(open, { temperature: 2, max_tokens: 50 })).toMatchObject({
    temperature: 1,
    maxOutputTokens: 50,
  });
  // The passages need the rest of the window.
  expect(lowered(open, { max_tokens: 1e9 })).toMatchObject({ maxOutputTokens: 4_000 });
  expect(lowered({ ...open, maxOutputTokens: 6_000 }, { max_tokens: 1e9 })).toMatchObject({
    maxOutputTokens: 6_000,
  });
});

test("system messages come after the configured prompt, in their order", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello" },
    { role: "developer", content: [{ type: "text", text: "Rhyme." }] },
    { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
    { role: "user", content: "Again" },
  ];
  const open = { temperature: null, maxOutputTokens: null };
  expect(lowered(open, { messages })).toMatchObject({
    systemPrompt: "Be kind.\n\nBe brief.\n\nRhyme.",
  });
  expect(lowered({ ...open, systemPrompt: "" }, { messages })).toMatchObject({
    systemPrompt: "Be brief.\n\nRhyme.",
  });
});
