import { expect, test } from "vitest";

import { lexicalReranker } from "../../../../src/adapters/embedded/lexical-reranker.ts";

const { model, batchLimit } = lexicalReranker();

async function order(query: string, values: string[], topN?: number) {
  const options = topN === undefined ? {} : { topN };
  const { ranking } = await model.doRerank({
    query,
    documents: { type: "text", values },
    ...options,
  });
  for (const { relevanceScore } of ranking) {
    expect(relevanceScore).toBeGreaterThanOrEqual(0);
    expect(relevanceScore).toBeLessThanOrEqual(1);
  }
  return ranking.map(({ index }) => index);
}

test("what speaks of the query goes before what does not, wherever it stood", async () => {
  const documents = [
    "Holiday allowance is thirty days.",
    "The canteen opens at eleven.",
    "Boilers are serviced every spring by the boiler team.",
  ];
  expect((await order("boiler servicing", documents))[0]).toBe(2);
  expect((await order("canteens", documents))[0]).toBe(1);
});

test("a word that few of them hold weighs more than one that most hold", async () => {
  const documents = ["The boiler is old.", "The boiler is new.", "The boiler has a valve."];
  expect((await order("boiler valve", documents))[0]).toBe(2);
});

test("without anything in common the given order stays", async () => {
  expect(await order("zeppelin", ["one", "two", "three"])).toEqual([0, 1, 2]);
  expect(await order("…", ["one", "two"])).toEqual([0, 1]);
  expect(await order("x", [])).toEqual([]);
  expect(await order("", ["", ""])).toEqual([0, 1]);
});

test("it is a reranking model of the AI SDK", async () => {
  expect([model.modelId, model.specificationVersion]).toEqual(["lexical", "v4"]);
  expect(batchLimit).toBeGreaterThanOrEqual(1_000);
  expect(await order("two", ["one", "two", "three"], 1)).toEqual([1]);
  const { ranking } = await model.doRerank({
    query: "granite",
    documents: { type: "object", values: [{ text: "slate" }, { text: "granite" }] },
  });
  expect(ranking[0]?.index).toBe(1);
});
