import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { parseConfig } from "../../../src/config.ts";
import { jsonLog } from "../../../src/core/log.ts";
import { runUntraced } from "../../../src/core/trace.ts";
import { Deadline } from "../../../src/core/work/deadline.ts";
import { withRetries } from "../../../src/core/work/with-retries.ts";
import { ModelFailure } from "../../../src/ports/models.ts";
import type { RagIndex } from "../../../src/ports/rag-index.ts";
import { RetrievalReport, runLeg } from "../../../src/retrieval/degradations.ts";
import type { RetrievalCall } from "../../../src/retrieval/degradations.ts";
import { RagShards } from "../../../src/retrieval/rag-shards.ts";
import type { ShardSearch } from "../../../src/retrieval/rag-shards.ts";
import type { RetrievalTarget, SearchPlan } from "../../../src/retrieval/retrieval-request.ts";
import { freeTurns } from "../../support/free-turns.ts";

/** Time is moved by hand: what is shown holds for any budget, and nobody waits for it. */
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const BUDGET_MS = 8_000;

function callOf(): RetrievalCall {
  const config = parseConfig({ ENVIRONMENT: "development" });
  const now = () => Date.now();
  const services = {
    config,
    now,
    log: jsonLog(() => {}),
    trace: runUntraced,
    ragIndexes: () => {
      throw new Error("not asked here");
    },
    vectorIndex: null,
    runInBackground: () => undefined,
    turns: freeTurns(),
    models: modelRegistry(config, {}),
  };
  return { services, deadline: new Deadline(now, BUDGET_MS), report: new RetrievalReport() };
}

const EMBEDDING = { part: "embedding", kind: "embedding", share: 1 } as const;
const RERANKER = { part: "reranker", kind: "reranking", share: 1 } as const;
const INDEX = { part: "index", kind: "search", share: 0.5 } as const;
const hang = () => new Promise<never>(() => {});

test("a leg that hangs is left after its share, and the next has the rest", async () => {
  const call = callOf();
  const startedAt = Date.now();
  const first = runLeg(call, { ...EMBEDDING, share: 0.5 }, hang);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await first).toBeNull();
  expect(Date.now() - startedAt).toBe(4_000);
  const second = runLeg(call, RERANKER, hang);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await second).toBeNull();
  expect(Date.now() - startedAt).toBe(BUDGET_MS);
  expect(call.report.degradations).toEqual([
    "embedding: no answer after 4000 ms",
    "reranker: no answer after 4000 ms",
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

test("with no time left a leg does not start", async () => {
  const call = callOf();
  vi.advanceTimersByTime(BUDGET_MS);
  const work = vi.fn<typeof hang>(hang);
  expect(await runLeg(call, RERANKER, work)).toBeNull();
  expect(work).not.toHaveBeenCalled();
});

test("a leg that answers in time leaves no timer behind", async () => {
  const call = callOf();
  expect(await runLeg(call, INDEX, () => Promise.resolve(7))).toBe(7);
  expect(vi.getTimerCount()).toBe(0);
  expect(call.report.degradations).toEqual([]);
});

test("a caller who goes away ends a leg at once", async () => {
  const controller = new AbortController();
  const call = {
    ...callOf(),
    deadline: new Deadline(() => Date.now(), BUDGET_MS, controller.signal),
  };
  const running = runLeg(call, EMBEDDING, hang);
  controller.abort();
  expect(await running).toBeNull();
  expect(vi.getTimerCount()).toBe(0);
  // Work without a signal, such as ordering, asks for the time that is left.
  expect(call.deadline.remainingMs).toBe(0);
});

const failure = (retryAfterMs: number | null) =>
  new ModelFailure("429", { status: 429, retryable: true, retryAfterMs });

const rules = (more: Partial<Parameters<typeof withRetries>[1]> = {}) => ({
  tries: 4,
  firstDelayMs: 500,
  maxDelayMs: 1_500,
  remainingMs: () => 60_000,
  retryAfterMs: (thrown: unknown) =>
    thrown instanceof ModelFailure ? (thrown.retryAfterMs ?? 0) : null,
  signal: new AbortController().signal,
  random: () => 1,
  ...more,
});

test("waits double up to a bound, and never undercut what was asked for", async () => {
  const times: number[] = [];
  const startedAt = Date.now();
  const work = (retryAfterMs: number | null) => () => {
    times.push(Date.now() - startedAt);
    return Promise.reject(failure(retryAfterMs));
  };
  const failed = withRetries(work(null), rules()).catch((thrown: unknown) => thrown);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await failed).toBeInstanceOf(ModelFailure);
  expect(times).toEqual([0, 500, 1_500, 3_000]);

  times.length = 0;
  const outcome = withRetries(work(7_000), rules({ tries: 2 })).catch((thrown: unknown) => thrown);
  await vi.advanceTimersByTimeAsync(20_000);
  await outcome;
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(7_500);
});

test("a wait longer than the remaining time does not start", async () => {
  const work = vi.fn<() => Promise<never>>(() => Promise.reject(failure(30_000)));
  await expect(withRetries(work, rules({ remainingMs: () => 5_000 }))).rejects.toThrow("429");
  expect(work).toHaveBeenCalledTimes(1);
});

test("an abort ends the wait and leaves no timer", async () => {
  const controller = new AbortController();
  const work = vi.fn<() => Promise<never>>(() => Promise.reject(failure(null)));
  const running = withRetries(work, rules({ signal: controller.signal }));
  const outcome = running.catch((thrown: unknown) => thrown);
  await vi.advanceTimersByTimeAsync(100);
  controller.abort(new Error("gone"));
  expect(await outcome).toMatchObject({ message: "gone" });
  expect(work).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  [1, "the joined text was"],
  [2, "1 of 2 queries were"],
])("the joined text is no query that was not searched: %i", async (unsearched, what) => {
  const call = callOf();
  const index = { search: () => Promise.resolve({ candidates: 0, unsearched }) };
  call.services.ragIndexes = () => index as unknown as RagIndex;
  const target = { rag: { shards: 1 }, restriction: {} } as unknown as RetrievalTarget;
  const shards = new RagShards(call, target, { targets: [] } as unknown as SearchPlan);
  const queries = ["leave", "pay", "leave pay"].map((text) => ({ text, vector: null }));
  await shards.search({ queries } as ShardSearch);
  expect(call.report.degradations).toEqual([`index: ${what} not searched in time`]);
});
