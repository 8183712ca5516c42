// Evaluated before any clock runs.
import "../../../src/inference/ai-sdk.ts";

import { Hono } from "hono";
/** Streamed answers over a model whose own stream is cut, breaks, hangs, or is left alone. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { parseConfig } from "../../../src/config.ts";
import { newId, type InferenceId } from "../../../src/core/ids.ts";
import { jsonLog } from "../../../src/core/log.ts";
import type { UsageMessage } from "../../../src/core/queue-messages.ts";
import { runUntraced } from "../../../src/core/trace.ts";
import type { InferenceRecord } from "../../../src/db/records.ts";
import type { Caller } from "../../../src/http/caller.ts";
import { handleError } from "../../../src/http/errors.ts";
import { streamRun } from "../../../src/http/run-stream.ts";
import { runInference } from "../../../src/inference/run-inference.ts";
import type { InferenceServices } from "../../../src/inference/types.ts";
import { estimateTokens } from "../../../src/text/tokens.ts";
import { OpenAiDouble, sendAll } from "../../doubles/openai-compatible/openai-double.ts";
import { Dice } from "../../support/dice.ts";
import { noLimits } from "../../support/no-limits.ts";

const log = jsonLog(() => {});
const caller = { tokenId: null, isAdmin: false } as Caller;
const inference: InferenceRecord = {
  id: newId<InferenceId>(Date.now()),
  name: "Ask",
  identifier: "ask",
  systemPrompt: "Answer briefly.",
  temperature: null,
  maxOutputTokens: null,
  openToMembers: false,
  createdAt: 0,
  updatedAt: 0,
  model: "local/chat",
  rags: [],
  nativeRag: true,
  conversation: "rewrite",
  planning: "off",
};
const input = {
  prompt: "What is the answer?",
  topK: 5,
  useReranking: false,
  candidateMultiplier: 2,
  includeDuplicates: false,
  useAllFiles: true,
};

/** One call; `usage` is what was recorded of it. */
async function call(double: OpenAiDouble, modelTimeoutMs: number) {
  const config = parseConfig({
    ENVIRONMENT: "development",
    OPENAI_COMPATIBLE_BASE_URL: "http://models.test/v1",
    MODEL_TIMEOUT_MS: String(modelTimeoutMs),
  });
  const usage: UsageMessage[] = [];
  const background: Promise<unknown>[] = [];
  const services = {
    config,
    now: () => Date.now(),
    log,
    trace: runUntraced,
    models: modelRegistry(config, { fetch: double.fetch }),
    spending: noLimits,
    // Without a price list.
    db: {},
    queue: { usage: async (message: UsageMessage) => void usage.push(message) },
    runInBackground: (work: Promise<unknown>) => background.push(work),
  } as unknown as InferenceServices;
  const app = new Hono();
  app.onError((thrown, context) => handleError(thrown, context as never));
  app.post("/", async (context) =>
    streamRun(context, {
      run: (listening) => runInference(services, { inference, input, caller, ...listening }),
      answerOf: ({ response }) => ({ response }),
      includeSources: false,
      caller,
      log,
    }),
  );
  const response = await app.request("/", { method: "POST" });
  const settled = async () => {
    for (let at = 0; at < background.length; at++) await background[at];
    return usage;
  };
  return { response, settled };
}

type Event = { name: string; data: { text?: string; error?: string; response?: unknown } };

function eventsIn(text: string): Event[] {
  expect(text === "" || text.endsWith("\n\n")).toBe(true);
  return text.split("\n\n").flatMap((block) => {
    const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    return data === "" ? [] : [{ name, data: JSON.parse(data) as Event["data"] }];
  });
}

const TEXT = 'Sechsundzwanzig Tage \u{1F3D6}, 二十六日, und \u{1F469}‍\u{1F4BB} auch "so"\nviele.';

type Fate = "ends" | "breaks" | "hangs" | "is garbled";

/** Sends bytes in random parts up to a place, and then meets its fate; a second call is whole. */
function cutAt(bytes: Uint8Array, place: number, fate: Fate, step: () => number) {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at < place) {
          const to = Math.min(place, at + step());
          controller.enqueue(bytes.slice(at, to));
          at = to;
        } else if (fate === "ends") controller.close();
        else if (fate === "breaks") controller.error(new TypeError("terminated"));
        else if (fate === "hangs") await new Promise(() => {});
        else {
          controller.enqueue(new TextEncoder().encode("\n\ndata: {garbled\n\n"));
          controller.close();
        }
      },
    },
    { highWaterMark: 0 },
  );
}

const ENDS: Record<Fate, RegExp> = {
  // In the middle of an event, or before the first one.
  ends: /^Model call failed: (?:the connection broke|unreadable reply)$/,
  "is garbled": /^Model call failed: unreadable reply$/,
  hangs: /no answer after \d+ ms$/,
  breaks: /^Model call failed: the connection broke$/,
};

async function cutOnce(seed: number): Promise<string> {
  const dice = new Dice(seed);
  const fates = ["ends", "breaks", "hangs", "is garbled"] as const;
  const fate = dice.pick(fates);
  const double = new OpenAiDouble();
  double.script = () => ({ text: TEXT });
  let wasWhole = false;
  double.send = (events) => {
    const bytes = new TextEncoder().encode(events.join(""));
    if (double.calls("chat").length > 1) return sendAll(events);
    const place = dice.roll(bytes.length + 1);
    wasWhole = new TextDecoder().decode(bytes.slice(0, place)).includes('"finish_reason":"stop"}]');
    return cutAt(bytes, place, fate, () => 1 + dice.roll(700));
  };
  const { response, settled } = await call(double, fate === "hangs" ? 150 : 60_000);
  const text = await response.text();
  const usage = await settled();
  expect(usage).toHaveLength(1);
  if (response.status !== 200) {
    // Nothing was sent yet; only silence is not tried again.
    expect([response.status, fate]).toEqual([502, "hangs"]);
    expect(text).toMatch(/^\{"error":"Model call failed: no answer after \d+ ms"\}$/);
    return "error before the stream";
  }
  const events = eventsIn(text);
  const deltas = events.filter(({ name }) => name === "delta").map(({ data }) => data.text ?? "");
  const last = events.at(-1);
  expect(events).toHaveLength(deltas.length + 1);
  expect(TEXT.startsWith(deltas.join(""))).toBe(true);
  if (last?.name === "result") {
    expect(last.data).toEqual({ response: [{ type: "text", text: TEXT }] });
    expect(deltas.join("")).toBe(TEXT);
    expect(wasWhole || double.calls("chat").length === 2).toBe(true);
    expect(usage).toMatchObject([{ outcome: "ok" }]);
    return "result";
  }
  expect(last?.name).toBe("error");
  expect(last?.data.error).toMatch(ENDS[fate]);
  expect(double.calls("chat")).toHaveLength(1);
  expect(usage).toMatchObject([{ outcome: "error" }]);
  expect(usage[0]?.outputTokens).toBeGreaterThan(0);
  return "error";
}

test("300 random cuts of the model's stream end as they should", async () => {
  const seeds = new Dice(300);
  const ends = await Promise.all(
    Array.from({ length: 300 }, async () => cutOnce(seeds.roll(2 ** 32))),
  );
  const count = (end: string) => ends.filter((candidate) => candidate === end).length;
  expect(count("result")).toBeGreaterThan(20);
  expect(count("error")).toBeGreaterThan(50);
  expect(count("error before the stream")).toBeGreaterThan(3);
});

test("a client that leaves at any event ends the model's stream, and is counted", async () => {
  const leave = async (after: number) => {
    const double = new OpenAiDouble();
    double.script = () => ({ text: TEXT });
    const cancelled = Promise.withResolvers<void>();
    double.send = (events) => {
      const bytes = new TextEncoder().encode(events.slice(0, -3).join(""));
      const body = cutAt(bytes, bytes.length, "hangs", () => 100);
      const reader = body.getReader();
      return new ReadableStream({
        async pull(controller) {
          const { value } = await reader.read();
          if (value !== undefined) controller.enqueue(value);
        },
        cancel: () => cancelled.resolve(),
      });
    };
    const { response, settled } = await call(double, 60_000);
    const reader = response.body?.getReader();
    for (let at = 0; at < after; at++) await reader?.read();
    await reader?.cancel();
    await cancelled.promise;
    const [used] = await settled();
    expect(used).toMatchObject({ outcome: "error" });
    // Estimated, as the server never came to its count: the prompt, and what was written.
    expect(used?.inputTokens).toBeGreaterThan(10);
    if (after > 1) expect(used?.outputTokens).toBeGreaterThan(0);
  };
  await Promise.all([0, 1, 2, 3, 5, 8].map(leave));
});

/** Bytes that are held after everything that can be freed was freed. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

test("an answer of 100,000 tokens: never far ahead of its reader, memory flat", async () => {
  const events = 5_000;
  // Twenty tokens an event.
  const text = `${"word,".repeat(10)} `.repeat(events);
  const double = new OpenAiDouble();
  double.script = () => ({ text });
  let sentCount = 0;
  double.send = (all) => {
    const each = sendAll(all).getReader();
    return new ReadableStream(
      {
        async pull(controller) {
          const { done, value } = await each.read();
          if (done) return controller.close();
          sentCount += 1;
          controller.enqueue(value);
        },
      },
      { highWaterMark: 0 },
    );
  };
  const { response } = await call(double, 60_000);
  const reader = response.body?.getReader();
  let readCount = 0;
  let ahead = 0;
  let length = 0;
  const heapSizes: number[] = [];
  for (;;) {
    // Whoever could run ahead does so now.
    if (readCount % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    if (readCount % 1_000 === 100) heapSizes.push(heldBytes());
    const part = await reader?.read();
    if (part?.done !== false) break;
    readCount += 1;
    length += part.value.length;
    ahead = Math.max(ahead, sentCount - readCount);
  }
  expect(readCount).toBeGreaterThan(events);
  expect(ahead).toBeLessThan(20);
  expect(estimateTokens(text, "unknown")).toBeGreaterThan(100_000);
  // The text came twice: in parts, and whole with the result.
  expect(length).toBeGreaterThan(2 * text.length);
  // Code that runs for the first time is held as well: measured is what comes after.
  const [, first = 0, ...later] = heapSizes;
  expect(later).toHaveLength(5 - 2);
  // Memory grows by the collected answer, and by nothing for each event of its stream.
  expect(Math.max(...later) - first).toBeLessThan(3 * text.length);
});
