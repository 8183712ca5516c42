import { expect, test } from "vitest";

import { asCompletionEvents } from "../../../../src/adapters/cloudflare/workers-ai-chat.ts";

const translated = async (text: string) => {
  const bytes = new TextEncoder().encode(text);
  const halves = new ReadableStream<Uint8Array>({
    start(controller) {
      // The second one begins within a line.
      controller.enqueue(bytes.slice(0, bytes.length / 2));
      controller.enqueue(bytes.slice(bytes.length / 2));
      controller.close();
    },
  });
  return await new Response(asCompletionEvents(halves)).text();
};

test.each(["\n\n", "\n", "\r\n", ""])("the last line counts, however it ends: %j", async (end) => {
  const said = await translated(`data: {"response":"grüß Gott"}\n\ndata: [DONE]${end}`);
  expect(said).toContain('"content":"grüß Gott"');
  expect(said).toContain('"finish_reason":"stop"');
  expect(said.endsWith("data: [DONE]\n\n")).toBe(true);
});
