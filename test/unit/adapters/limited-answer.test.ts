import { expect, test } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { parseConfig } from "../../../src/config.ts";

const MIB = 1_024 * 1_024;

/** A provider that never ends: JSON whose text goes on, or an event without an end. */
function endless(contentType: string, begin: string) {
  let total = 0;
  const body = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(begin)),
      pull(controller) {
        total += MIB / 4;
        controller.enqueue(new Uint8Array(MIB / 4).fill(0x61));
      },
    });
  const fetch = async () => new Response(body(), { headers: { "Content-Type": contentType } });
  const config = parseConfig({
    ENVIRONMENT: "development",
    OPENAI_COMPATIBLE_BASE_URL: "http://provider.example/v1",
  });
  const models = modelRegistry(config, { fetch });
  return { models, sentBytes: () => total };
}

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Why?" }] }];

test("an answer without an end is given up after 8 MiB, in every kind of call", async () => {
  const { models, sentBytes } = endless("application/json", '{"choices":[{"message":{"content":"');
  const failure = { name: "ModelFailure", message: "the answer is too long", retryable: false };
  const { model } = models.chat("local/llama");
  await expect(model.doGenerate({ prompt })).rejects.toMatchObject(failure);
  expect(sentBytes()).toBeLessThan(10 * MIB);
  const embedder = models.embedder("local/e", 2).model;
  await expect(embedder.doEmbed({ values: ["a"] })).rejects.toMatchObject(failure);
  const documents = { type: "text" as const, values: ["a"] };
  const reranker = models.reranker("local/r").model;
  await expect(reranker.doRerank({ query: "a", documents })).rejects.toMatchObject(failure);
});

test("an event without an end is given up after 1 MiB", async () => {
  const { models, sentBytes } = endless(
    "text/event-stream",
    'data: {"choices":[{"delta":{"content":"',
  );
  const { stream } = await models.chat("local/llama").model.doStream({ prompt });
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(part);
  expect(parts.at(-1)).toMatchObject({
    type: "error",
    error: { name: "ModelFailure", message: "the answer is too long" },
  });
  expect(sentBytes()).toBeLessThan(3 * MIB);
});
