import { expect, test } from "vitest";

import type { TokenId } from "../../../src/core/ids.ts";
import type { ModelUse } from "../../../src/core/queue-messages.ts";
import { replaceModels } from "../../../src/db/catalog/model-store.ts";
import { runAgent } from "../../../src/inference/run-agent.ts";
import { foldUsage } from "../../../src/jobs/fold-usage.ts";
import { embeddingDouble } from "./failing.ts";
import { agentOf, answerOf, indexedRag, worldWith } from "./support.ts";
import { db, forgetUsageBeforeEach, messageOf, report, services } from "./usage-messages.ts";

forgetUsageBeforeEach();

const caller = { tokenId: "token" as TokenId };
const models = { embeddingModel: "local/embed", reranker: "local/rerank" };
const files = { "leave.md": ["Full-time employees get 26 days of holiday a year."] };

const use = (more: Partial<ModelUse>): ModelUse => ({
  kind: "embedding",
  model: "local/embed",
  ragIds: ["rag-a", "rag-b"],
  calls: 1,
  latencyMs: 20,
  inputTokens: 1_000,
  failed: false,
  ...more,
});

function openWorld() {
  const double = embeddingDouble();
  return { double, world: worldWith({ double }) };
}

test("a search tells what it used: one embedding for all RAGs, one reranking for each", async () => {
  const { double, world } = openWorld();
  const rags = [await indexedRag("one", files, models), await indexedRag("two", files, models)];
  const input = { semanticSearch: ["days of holiday", "leave"], useReranking: true };
  await answerOf(world.services, { model: "local/chat", rags }, input, caller);
  await world.settled();
  expect(world.usage).toHaveLength(1);
  const uses = world.usage[0]?.uses ?? [];
  expect(uses).toMatchObject([
    // The double's own count of tokens.
    { kind: "embedding", model: "local/embed", ragIds: ["one", "two"], inputTokens: 3 },
    { kind: "reranker", model: "local/rerank", ragIds: ["one"], failed: false },
    { kind: "reranker", model: "local/rerank", ragIds: ["two"], failed: false },
  ]);
  // It tells no count for reranking: about what it was sent.
  expect(uses[1]?.inputTokens).toBeGreaterThan(10);
  expect(uses[1]?.inputTokens).toBeLessThan(60);
  expect(double.calls("embeddings")).toHaveLength(1);
});

test("a reranker's own count of tokens is believed", async () => {
  const { double, world } = openWorld();
  double.rerankTokens = 4_321;
  const rags = [await indexedRag("one", files, models)];
  const input = { semanticSearch: ["holiday"], useReranking: true };
  await answerOf(world.services, { model: "local/chat", rags }, input, caller);
  await world.settled();
  expect(world.usage[0]?.uses?.[1]).toMatchObject({ kind: "reranker", inputTokens: 4_321 });
});

test("usage counts also where the model or the embedding itself fails", async () => {
  const { double, world } = openWorld();
  double.fail("chat", { kind: "status", status: 401 });
  double.fail("embeddings", { kind: "status", status: 401 });
  const rags = [await indexedRag("one", files, models)];
  const input = { semanticSearch: ["holiday"] };
  const run = answerOf(world.services, { model: "local/chat", rags }, input, caller);
  await expect(run).rejects.toMatchObject({ kind: "model-failed" });
  await world.settled();
  expect(world.usage).toMatchObject([
    { outcome: "error", uses: [{ kind: "embedding", failed: true, inputTokens: 0 }] },
  ]);
});

test("an agent's searches are in its one message", async () => {
  const { world } = openWorld();
  const agent = agentOf({ model: "local/chat", rags: [await indexedRag("one", files, models)] });
  await runAgent(world.services, { agent, prompt: "holiday", caller });
  await world.settled();
  expect(world.usage).toMatchObject([
    { kind: "agent", agentId: agent.id, uses: [{ kind: "embedding" }, { kind: "reranker" }] },
  ]);
});

test("a call is counted once; its models bear their own counts, prices and times", async () => {
  const price = { inputPrice: 20, outputPrice: 0 };
  await replaceModels(db, [
    { model: "local/embed", kind: "embedding", ...price, currency: "EUR" },
    { model: "local/embed", kind: "chat", inputPrice: 9, outputPrice: 9, currency: "EUR" },
    { model: "local/rerank", kind: "reranker", ...price, currency: "USD" },
  ]);
  const uses = [
    use({}),
    use({ kind: "reranker", model: "local/rerank", ragIds: ["rag-a"], latencyMs: 500 }),
    use({ kind: "reranker", model: "local/free", ragIds: ["rag-b"], failed: true, inputTokens: 0 }),
  ];
  const run = { kind: "inference", inferenceId: "inference", model: "local/chat" } as const;
  const cost = { inputTokens: 100, outputTokens: 10, cost: 1, currency: "EUR" };
  await foldUsage(services, [messageOf({ ...run, ...cost, uses })]);

  const whole = { calls: 1, errors: 0, inputTokens: 2_100, outputTokens: 10 };
  const euros = (amount: number) => ({ amount, currency: "EUR" });
  const dollars = { amount: 0.02, currency: "USD" };
  for (const group of ["day", "inference", "token"] as const) {
    const [line, ...rest] = await report(group);
    expect(rest).toEqual([]);
    expect(line).toMatchObject(whole);
    expect(line?.cost).toHaveLength(2);
    expect(line?.cost).toEqual(expect.arrayContaining([euros(1.02), dollars]));
    expect(line?.p50Ms).toBe((await report("rag"))[0]?.p50Ms);
  }
  const rags = await report("rag");
  expect(rags.map(({ key, calls, inputTokens }) => [key, calls, inputTokens])).toEqual([
    ["rag-a", 1, 2_100],
    ["rag-b", 1, 1_100],
  ]);
  const byModel = await report("model");
  expect(byModel).toMatchObject([
    { key: "local/chat", calls: 1, inputTokens: 100, cost: [euros(1)] },
    { key: "local/embed", calls: 1, errors: 0, inputTokens: 1_000, cost: [euros(0.02)] },
    { key: "local/free", calls: 1, errors: 1, inputTokens: 0, cost: [] },
    { key: "local/rerank", calls: 1, inputTokens: 1_000, cost: [dollars] },
  ]);
  expect(Math.abs((byModel[3]?.p50Ms ?? 0) - 500)).toBeLessThan(26);
});

test("indexing is no call, and yet its tokens and cost are there, by RAG and by model", async () => {
  const price = { inputPrice: 20, outputPrice: 0, currency: "EUR" };
  await replaceModels(db, [{ model: "local/embed", kind: "embedding", ...price }]);
  const ragIds = ["rag-a"];
  const uses = [use({ ragIds, calls: 7, inputTokens: 50_000 })];
  const usageMessage = messageOf({ kind: "index", tokenId: null, ragIds, latencyMs: 0, uses });
  await foldUsage(services, [usageMessage, usageMessage]);
  await foldUsage(services, [usageMessage]);
  const cost = [{ amount: 1, currency: "EUR" }];
  expect(await report("day")).toMatchObject([{ calls: 0, inputTokens: 50_000, cost, p50Ms: null }]);
  expect(await report("rag")).toMatchObject([{ key: "rag-a", calls: 0, cost }]);
  expect(await report("model")).toMatchObject([{ key: "local/embed", calls: 7, cost }]);
  expect(await report("token")).toEqual([]);
});

test("a message of an earlier deployment, which knows no uses, is folded as ever", async () => {
  const { uses: _, ...earlier } = messageOf({ inputTokens: 5 });
  await foldUsage(services, [earlier]);
  expect(await report("rag")).toMatchObject([
    { key: "rag-a", calls: 1, inputTokens: 5 },
    { key: "rag-b", calls: 1, inputTokens: 5 },
  ]);
});
