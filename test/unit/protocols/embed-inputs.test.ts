import { expect, test } from "vitest";

import { jsonLog } from "../../../src/core/log.ts";
import type { UsageMessage } from "../../../src/core/queue-messages.ts";
import { ModelFailure, type Embedder } from "../../../src/ports/models.ts";
import { embeddingsBody, embedInputs } from "../../../src/protocols/openai/embed-inputs.ts";
import type { Embedding } from "../../../src/protocols/openai/embed-inputs.ts";

type Reply = (values: string[], signal?: AbortSignal) => Promise<number[][]>;

function world(reply: Reply) {
  const usageMessages: UsageMessage[] = [];
  const background: Promise<unknown>[] = [];
  const services = {
    now: () => Date.now(),
    log: jsonLog(() => {}),
    config: { MODEL_TIMEOUT_MS: 600_000 },
    queue: { usage: async (message: UsageMessage) => void usageMessages.push(message) },
    runInBackground: (work: Promise<unknown>) => void background.push(work),
  } as unknown as Embedding;
  const model = {
    doEmbed: async ({ values, abortSignal }: { values: string[]; abortSignal?: AbortSignal }) => {
      const embeddings = await reply(values, abortSignal);
      return { embeddings, usage: { tokens: values.length } };
    },
  };
  const embedder = { name: "some/model", dimensions: 2, model, batchLimit: 2, inputLimit: 100 };
  const embed = (count: number, signal = new AbortController().signal) =>
    embedInputs(services, {
      embedder: embedder as unknown as Embedder,
      texts: Array.from({ length: count }, (_, at) => `${at}`),
      tokenId: null,
      signal,
    });
  return { usageMessages, background, embed };
}

const vectorsOf = (values: string[]) => values.map((value) => [1, Number(value)]);

test("many texts are embedded by a few calls at a time, in their order", async () => {
  let open = 0;
  let most = 0;
  const { embed } = world(async (values) => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return vectorsOf(values);
  });
  const { vectors, tokens } = await embed(25);
  expect({ most, tokens }).toEqual({ most: 4, tokens: 25 });
  const ratios = vectors.map(([x = 0, y = 0]) => Math.round(y / x));
  expect(ratios).toEqual(Array.from({ length: 25 }, (_, at) => at));
});

test("calls before one that fails count, and none is made after it", async () => {
  let calls = 0;
  const { embed, usageMessages } = world(async (values) => {
    calls += 1;
    if (values.includes("8")) throw new ModelFailure("down", { status: 503 });
    return vectorsOf(values);
  });
  await expect(embed(40)).rejects.toMatchObject({ kind: "model-failed" });
  expect(calls).toBe(8);
  expect(usageMessages).toMatchObject([{ outcome: "error", uses: [{ calls: 8, failed: true }] }]);
  expect(usageMessages[0]?.uses?.[0]?.inputTokens).toBeGreaterThanOrEqual(8);
});

test("what a caller who leaves has used counts, in the background", async () => {
  const controller = new AbortController();
  const { embed, usageMessages, background } = world(async (values, signal) => {
    if (!values.includes("8")) return vectorsOf(values);
    return await new Promise<never>((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new Error("aborted")));
      setImmediate(() => controller.abort());
    });
  });
  embed(40, controller.signal).catch(() => undefined);
  await background[0];
  expect(usageMessages).toHaveLength(1);
  expect(usageMessages[0]?.uses?.[0]?.inputTokens).toBeGreaterThanOrEqual(8);
});

test("the answer comes a vector at a time and is one JSON text", async () => {
  const vectors = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
  const body = embeddingsBody({ vectors, tokens: 3 }, { model: 'a"b', isBase64: false });
  const pieces: string[] = [];
  for await (const piece of body) pieces.push(new TextDecoder().decode(piece));
  expect(pieces).toHaveLength(3);
  expect(JSON.parse(pieces.join(""))).toEqual({
    object: "list",
    data: [
      { object: "embedding", index: 0, embedding: [1, 0] },
      { object: "embedding", index: 1, embedding: [0, 1] },
    ],
    model: 'a"b',
    usage: { prompt_tokens: 3, total_tokens: 3 },
  });
});
