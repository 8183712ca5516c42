import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { sendRetrievalUsage } from "../../../src/catalog/usage/send-usage.ts";
import { newId, type RagId, type TokenId } from "../../../src/core/ids.ts";
import type { UsageMessage } from "../../../src/core/queue-messages.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../src/core/time.ts";
import { purgeExpired } from "../../../src/db/access/session-store.ts";
import { replaceModels } from "../../../src/db/catalog/model-store.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { runInference } from "../../../src/inference/run-inference.ts";
import { foldUsage } from "../../../src/jobs/fold-usage.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { countedRows, noRows } from "../../support/counted-rows.ts";
import { answerOf, inferenceOf, inputOf, nobody, worldWith } from "./support.ts";
import { db, forgetUsageBeforeEach, messageOf, NOON, report, services } from "./usage-messages.ts";

forgetUsageBeforeEach();

const PAID = { inputTokens: 100, outputTokens: 10, cost: 0.5, currency: "EUR" };
const RUN = { kind: "inference", inferenceId: "inference", model: "local/llama" } as const;
const message = (more: Partial<UsageMessage>) => messageOf({ ...RUN, ...PAID, ...more });

test("a message that a queue kept for days counts once, whatever the sweep forgot", async () => {
  const late = message({});
  await foldUsage(services, [late]);
  const now = services.now() + 3 * DAY_MS;
  await purgeExpired(db, now);
  await foldUsage({ db, now: () => now }, [late]);
  expect((await report("day"))[0]).toMatchObject({ calls: 1, inputTokens: 100 });
});

test("each message counts once, however often and in whatever company it comes", async () => {
  const [first, second, third] = [message({}), message({}), message({})];
  await foldUsage(services, [first, second, first]);
  await foldUsage(services, [second, third]);
  await foldUsage(services, [third, second, first]);
  const [line] = await report("day");
  expect(line).toMatchObject({ key: "2026-05-04", calls: 3, inputTokens: 300, outputTokens: 30 });
  expect(line?.cost).toEqual([{ amount: 1.5, currency: "EUR" }]);
});

test("two deliveries at the same time that share a message count it once", async () => {
  const [first, second, third] = [message({}), message({}), message({})];
  const batches = [
    [first, second],
    [second, third],
  ];
  await Promise.allSettled(batches.map((batch) => foldUsage(services, batch)));
  for (const batch of batches) await foldUsage(services, batch);
  expect((await report("day"))[0]?.calls).toBe(3);
});

test("a thousand retrievals cost less than a hundred rows, whatever their latencies", async () => {
  const counts = noRows();
  const countedDb = openDatabase(countedRows(env.DB, counts));
  const perSecond = 50;
  const use = { kind: "embedding" as const, model: "local/embed", ragIds: ["rag-a"], calls: 1 };
  const retrievals = Array.from({ length: 1_000 }, (_, at) => {
    const latencyMs = 20 + (at % 97) * 13;
    const uses = [{ ...use, latencyMs, inputTokens: 9, failed: false }];
    const what = { kind: "retrieve" as const, inferenceId: null, model: null, ragIds: ["rag-a"] };
    const how = { inputTokens: 0, outputTokens: 0, cost: null, currency: null, latencyMs };
    const time = NOON + (at * SECOND_MS) / perSecond;
    return message({ id: newId(time), ...what, ...how, at: time, uses });
  });
  for (let at = 0; at < retrievals.length; at += 100) {
    await foldUsage({ db: countedDb, now: services.now }, retrievals.slice(at, at + 100));
  }
  const forgetting = { db: countedDb, now: () => NOON + 30 * DAY_MS };
  await foldUsage(forgetting, [message({ at: NOON + 30 * DAY_MS })]);
  expect(counts.written).toBeLessThan(100);
  expect(counts.read).toBeLessThan(10_000);
  expect(await report("rag")).toMatchObject([{ key: "rag-a", calls: 1_000, inputTokens: 9_000 }]);
  const { count } = (await db.$client
    .prepare("select count(*) as count from usage_counted")
    .first<{ count: number }>()) ?? { count: 0 };
  expect(count).toBe(1);
});

test("a call counts for everything that it touched", async () => {
  await foldUsage(services, [
    message({ outcome: "error" }),
    message({ outcome: "degraded", ragIds: ["rag-a"] }),
    message({ kind: "agent", inferenceId: null, agentId: "agent", tokenId: null, ragIds: [] }),
  ]);
  const keys = async (group: Parameters<typeof report>[0]) =>
    (await report(group)).map(({ key, calls, errors, degraded }) => [key, calls, errors, degraded]);
  expect(await keys("inference")).toEqual([["inference", 2, 1, 1]]);
  expect(await keys("agent")).toEqual([["agent", 1, 0, 0]]);
  expect(await keys("token")).toEqual([["token", 2, 1, 1]]);
  expect(await keys("model")).toEqual([["local/llama", 3, 1, 1]]);
  expect(await keys("rag")).toEqual([
    ["rag-a", 2, 1, 1],
    ["rag-b", 1, 1, 0],
  ]);
});

test("percentiles come out of the buckets within five percent", async () => {
  const all = Array.from({ length: 100 }, (_, at) => message({ latencyMs: (at + 1) * 10 }));
  await foldUsage(services, all);
  const [line] = await report("inference");
  expect(Math.abs((line?.p50Ms ?? 0) - 500)).toBeLessThan(25 + 1);
  expect(Math.abs((line?.p95Ms ?? 0) - 950)).toBeLessThan(48 + 1);
});

test("a report holds its span of time and nothing else; currencies stay apart", async () => {
  await foldUsage(services, [
    message({ at: NOON - HOUR_MS }),
    message({ at: NOON + 5 }),
    message({ at: NOON + HOUR_MS, currency: "USD", cost: 2 }),
    message({ at: NOON + HOUR_MS, currency: null, cost: null }),
    message({ at: NOON + DAY_MS }),
  ]);
  const [line, ...rest] = await report("day", NOON, NOON + 2 * HOUR_MS);
  expect(rest).toEqual([]);
  expect(line).toMatchObject({ calls: 3 });
  expect(line?.cost.toSorted((a, b) => a.amount - b.amount)).toEqual([
    { amount: 0.5, currency: "EUR" },
    { amount: 2, currency: "USD" },
  ]);
  expect((await report("day", NOON - HOUR_MS, NOON + 2 * DAY_MS)).map(({ key }) => key)).toEqual([
    "2026-05-04",
    "2026-05-05",
  ]);
});

test("a run costs what the price list says, in the answer and in its record", async () => {
  const prices = { inputPrice: 2, outputPrice: 10, currency: "USD" };
  await replaceModels(db, [{ model: "local/llama", kind: "chat", ...prices }]);
  const world = worldWith({ double: new OpenAiDouble() });
  const inference = inferenceOf({ model: "local/llama" });
  const caller = { tokenId: "token" as TokenId };
  const result = await runInference(world.services, { inference, input: inputOf({}), caller });
  expect(result.usage.cost).toEqual({ amount: (100 * 2 + 20 * 10) / 1e6, currency: "USD" });
  await world.settled();
  expect(world.usage).toMatchObject([
    { kind: "inference", inferenceId: inference.id, tokenId: "token", cost: 0.0004, outcome: "ok" },
  ]);
});

test("usage that cannot be recorded fails no call", async () => {
  const world = worldWith({ double: new OpenAiDouble() });
  const queue = { ...world.services.queue, usage: () => Promise.reject(new Error("down")) };
  const broken = { ...world.services, queue };
  const result = await answerOf(broken, { model: "local/llama" });
  expect(result.response).toHaveLength(1);
  await world.settled();
});

test("a retrieval without a model is recorded too", async () => {
  const world = worldWith({});
  const ragIds = ["rag" as RagId];
  const degradations = ["reranker: 503 after 2 ms"];
  const timings = { contextMs: 8, rerankingMs: 4 };
  sendRetrievalUsage(world.services, { ragIds, ...nobody }, { degradations, uses: [], timings });
  await world.settled();
  expect(world.usage).toMatchObject([
    { kind: "retrieve", ragIds, model: null, outcome: "degraded", latencyMs: 12 },
  ]);
});
