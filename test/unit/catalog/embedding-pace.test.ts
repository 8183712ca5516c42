import { beforeEach, expect, test, vi } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { embedEach, embedTexts } from "../../../src/catalog/models/embed-texts.ts";
import { parseConfig } from "../../../src/config.ts";
import { toBatches } from "../../../src/core/work/batches.ts";
import { DeadlineExceeded } from "../../../src/core/work/deadline.ts";
import { Lane } from "../../../src/core/work/lane.ts";
import { ModelFailure } from "../../../src/ports/models.ts";
import { LlamaServer } from "../../doubles/openai-compatible/llama-server.ts";

beforeEach(() => void vi.useFakeTimers());
const SECOND_MS = 1_000;
const { signal } = new AbortController();
let servers = 0;

/** A server of its own: what another has shown does not count for it. */
function embedderOf(server: LlamaServer, variables: Record<string, string> = {}) {
  const config = parseConfig({
    ENVIRONMENT: "development",
    OPENAI_COMPATIBLE_BASE_URL: `http://server-${(servers += 1)}.test/v1`,
    ...variables,
  });
  return modelRegistry(config, { fetch: server.fetch }).embedder(`local/small-${servers}`, 2);
}

const abstract = (at: number, tokens = 360) =>
  `${at} ${"some words of an abstract ".repeat(tokens)}`.slice(0, tokens * 4);

/** Lets virtual time pass until the work is done. */
async function finished<Result>(work: Promise<Result>, limitSeconds = 1_000): Promise<Result> {
  const state = { isOver: false };
  const over = work.finally(() => (state.isOver = true));
  over.catch(() => undefined);
  for (let tick = 0; tick < limitSeconds * 10 && !state.isOver; tick++) {
    await vi.advanceTimersByTimeAsync(SECOND_MS / 10);
  }
  if (!state.isOver) throw new Error(`not finished after ${limitSeconds} s`);
  return await over;
}

test("a slow server gets each text once and is never idle; questions go first", async () => {
  const server = new LlamaServer({ speed: 500 });
  const embedder = embedderOf(server);
  const texts = Array.from({ length: 100 }, (_, at) => abstract(at));
  const startedAt = Date.now();
  const portions = toBatches(texts, 16).map((portion, at) =>
    embedTexts(embedder, portion, { signal, group: `rag ${at % 2}` }),
  );
  const waits: number[] = [];
  const ask = async (question: string) => {
    const askedAt = Date.now();
    await embedTexts(embedder, [question], { signal, isAhead: true });
    waits.push(Date.now() - askedAt);
  };
  const asking = [10, 20, 40, 60].map(async (second) => {
    await new Promise((resolve) => setTimeout(resolve, second * SECOND_MS));
    await ask(`What was measured after ${second} seconds?`);
  });
  await finished(Promise.all(portions));
  await finished(Promise.all(asking));
  const seconds = (Date.now() - startedAt) / SECOND_MS;
  expect(server.calls.flat()).toHaveLength(104);
  expect(server.tokens).toBeLessThanOrEqual(36_100);
  expect(seconds).toBeLessThanOrEqual(1.1 * 72);
  expect(Math.max(...waits)).toBeLessThan(4 * SECOND_MS);
});

test("a fast server soon gets large calls", async () => {
  const server = new LlamaServer({ speed: 200_000 });
  const texts = Array.from({ length: 200 }, (_, at) => abstract(at));
  await finished(embedTexts(embedderOf(server), texts, { signal }));
  expect(Math.max(...server.calls.map((call) => call.length))).toBe(32);
  expect(server.calls.length).toBeLessThan(12);
});

test("texts of other RAGs get their turn while a large one is embedded", async () => {
  const server = new LlamaServer({ speed: 500 });
  const embedder = embedderOf(server);
  const large = toBatches(
    Array.from({ length: 60 }, (_, at) => abstract(at)),
    10,
  );
  const all = large.map((texts) => embedTexts(embedder, texts, { signal, group: "large" }));
  await finished(new Promise((resolve) => setTimeout(resolve, 5 * SECOND_MS)));
  const startedAt = Date.now();
  await finished(embedTexts(embedder, [abstract(100)], { signal, group: "small" }));
  expect(Date.now() - startedAt).toBeLessThan(6 * SECOND_MS);
  await finished(Promise.all(all));
});

test("what comes late is kept, and is no second call", async () => {
  const server = new LlamaServer({ speed: 500 });
  const embedder = embedderOf(server);
  await finished(embedTexts(embedder, [abstract(0)], { signal }));
  const before = server.calls.length;
  server.speed = 10;
  const background: Promise<unknown>[] = [];
  const how = { signal, runInBackground: (work: Promise<unknown>) => void background.push(work) };
  const late = finished(embedTexts(embedder, [abstract(1), abstract(2)], how));
  await expect(late).rejects.toMatchObject({ isLate: true, retryable: true });
  server.speed = 500;
  // The server still works on the late call.
  const repeat = embedTexts(embedder, [abstract(1), abstract(2)], how);
  const { vectors } = await finished(repeat);
  expect(vectors).toHaveLength(2);
  const computed = server.calls.slice(before).flat();
  expect(new Set(computed).size).toBe(computed.length);
});

test("a text that is too long is cut as the server says, and spoils no other", async () => {
  const server = new LlamaServer({ speed: 100_000, physicalBatch: 512 });
  const embedder = embedderOf(server);
  const warmedUp = Array.from({ length: 40 }, (_, at) => abstract(at));
  await finished(embedTexts(embedder, warmedUp, { signal }));
  const texts = [...warmedUp.map((text) => `again ${text}`), abstract(99, 705)];
  const { outcomes } = await finished(embedEach(embedder, texts, { signal }));
  expect(outcomes.every((outcome) => outcome instanceof Float32Array)).toBe(true);
  const cut = server.calls.flat().find((text) => text.startsWith("99 ")) ?? "";
  expect(LlamaServer.tokensOf(cut)).toBeGreaterThan(0.9 * 512);
  expect(LlamaServer.tokensOf(cut)).toBeLessThanOrEqual(512);
});

test("a text that is refused whatever its length fails alone, with the reason", async () => {
  const server = new LlamaServer({ speed: 100_000 });
  const fetch: typeof globalThis.fetch = async (input, init) =>
    JSON.stringify(init?.body).includes("poison")
      ? Response.json({ error: { message: "no such token" } }, { status: 500 })
      : await server.fetch(input, init);
  const config = { OPENAI_COMPATIBLE_BASE_URL: "http://picky.test/v1" };
  const models = modelRegistry(parseConfig({ ENVIRONMENT: "development", ...config }), { fetch });
  const texts = [abstract(1), "poison", abstract(2)];
  const embedder = models.embedder("local/picky", 2);
  const { outcomes } = await finished(embedEach(embedder, texts, { signal }));
  const [first, refusal, last] = outcomes;
  expect([first, last].every((outcome) => outcome instanceof Float32Array)).toBe(true);
  expect(refusal).toMatchObject({ status: 500, reason: "no such token" });
  expect(refusal).toBeInstanceOf(ModelFailure);
});

test("a silent server costs the first question time, and no other", async () => {
  const server = new LlamaServer({ isSilent: true });
  const embedder = embedderOf(server);
  const ask = async () => {
    const startedAt = Date.now();
    const deadline = new AbortController();
    setTimeout(() => deadline.abort(new DeadlineExceeded("embedding", 4_000)), 4_000);
    const how = { signal: deadline.signal, isAhead: true };
    const failed = await finished(embedTexts(embedder, ["What?"], how).catch(() => "failed"));
    return { failed: failed === "failed", ms: Date.now() - startedAt };
  };
  expect((await ask()).ms).toBeGreaterThan(3_000);
  expect((await ask()).ms).toBeLessThan(200);
  await finished(new Promise((resolve) => setTimeout(resolve, 31 * SECOND_MS)));
  expect(await ask()).toMatchObject({ failed: true });
  server.isSilent = false;
});

test("an answer that cannot be used is no silence, and says what is wrong", async () => {
  const server = new LlamaServer({ speed: 100, dimensions: 3 });
  const embedder = embedderOf(server);
  const embed = (how: object) => finished(embedTexts(embedder, [abstract(0)], { signal, ...how }));
  await expect(embed({})).rejects.toThrow("a vector of 3 dimensions");
  await expect(embed({ isAhead: true })).rejects.toThrow("a vector of 3 dimensions");
});

test("a caller that left before its turn costs no call", async () => {
  const server = new LlamaServer();
  const signal = AbortSignal.abort(new Error("left"));
  const work = embedTexts(embedderOf(server), [abstract(0)], { signal });
  await expect(finished(work)).rejects.toThrow("left");
  await vi.advanceTimersByTimeAsync(60 * SECOND_MS);
  expect(server.calls).toEqual([]);
});

test("a question whose request was cut off stops others for half a minute only", async () => {
  const lane = new Lane(1);
  await lane.begin({ leaseMs: 30 * SECOND_MS, isAhead: true });
  const startedAt = Date.now();
  await finished(lane.begin({ leaseMs: 300 * SECOND_MS }));
  expect((Date.now() - startedAt) / SECOND_MS).toBeLessThan(31);
});
