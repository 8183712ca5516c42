import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";

import { runWorkersAi } from "../../../../src/adapters/cloudflare/workers-ai-failures.ts";
import { workersAiChat } from "../../../../src/adapters/cloudflare/workers-ai.ts";

/** As the binding throws them. */
const failing = (message: string) => {
  const error = Object.assign(new Error(message), { name: "InferenceUpstreamError" });
  return runWorkersAi(
    { ai: { run: () => Promise.reject(error) }, gatewayId: undefined },
    "@cf/baai/bge-m3",
    {},
    undefined,
  );
};

test.each([
  ["3040: Capacity temporarily exceeded, please try again.", 429, true],
  ["3036: you have used up your daily free allocation of 10,000 neurons", 429, true],
  ["3007: Request timeout", 408, true],
  ["5007: No such model @cf/x or task", 400, false],
  ["5016: User has not agreed to Llama3.2 model terms", 403, false],
  ["3042: The model name is invalid", 404, false],
  ["3006: Request is too large", 413, false],
  ["502: Bad Gateway", 502, true],
  ["9999: something new", null, false],
  ["no code at all", null, false],
])("%s", async (message, status, retryable) => {
  await expect(failing(message)).rejects.toMatchObject({ name: "ModelFailure", status, retryable });
});

test("what the service said stays out of the message", async () => {
  await expect(failing("5004: Invalid data: the text of a document")).rejects.toThrow(/^5004$/);
});

test.each(["\n\n", "\n", "\r\n", ""])("the last line counts, however it ends: %j", async (end) => {
  const bytes = new TextEncoder().encode(`data: {"response":"grüß Gott"}\n\ndata: [DONE]${end}`);
  const halves = new ReadableStream<Uint8Array>({
    start(controller) {
      // The second one begins within a line.
      controller.enqueue(bytes.slice(0, bytes.length / 2));
      controller.enqueue(bytes.slice(bytes.length / 2));
      controller.close();
    },
  });
  const ai = { run: () => Promise.resolve(halves) };
  const model = workersAiChat({ ai, gatewayId: undefined, maxBytes: 1_000 }, "@cf/meta/llama");
  const content = [{ type: "text" as const, text: "Hello" }];
  const { stream } = await model.doStream({ prompt: [{ role: "user", content }] });
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  expect(parts).toContainEqual({ type: "text-delta", id: "txt-0", delta: "grüß Gott" });
  expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
});
