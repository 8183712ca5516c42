import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import type { LegScores } from "../../../src/ports/rag-index.ts";
import { IndexStore } from "../../../src/rag-index/index-store.ts";
import {
  countStatements,
  DIMENSIONS,
  indexOf,
  write,
  requestFor,
  search,
  stubOf,
} from "./support.ts";

test("an activated file is found by its words and by its vector", async () => {
  const index = indexOf("first");
  await write(index, "a.md", 1, ["Boilers are serviced every spring.", "Filters last two years."]);
  const result = await search(index, "servicing a boiler");
  expect(result.lexical).toEqual(["Boilers are serviced every spring."]);
  expect(result.vector[0]).toBe("Boilers are serviced every spring.");
  expect(await index.facts()).toEqual({ chunks: 2, files: 1, staged: 0, tombstones: 0 });
});

test("the best of both legs are fused and read in the call that finds them", async () => {
  const index = indexOf("best");
  const texts = ["heather", "moss and heather", "heather on the moor", "moss", "a fern"];
  await write(index, "a.md", 1, [...texts, "heather, heather, heather"]);
  const best = async (needed: number, threshold: number | null = null) =>
    await index.search(requestFor("heather moss", { needed, threshold }));
  const all = await best(20);
  expect([all.candidates, all.chunks.length]).toEqual([6, 6]);
  const [query] = all.queries;
  const scoresOf = (leg: keyof LegScores) =>
    all.chunks.flatMap(({ scores }) => scores[0]?.[leg] ?? []).sort((a, b) => b - a);
  expect([query?.lexical, query?.vector]).toEqual([scoresOf("lexical"), scoresOf("vector")]);
  expect(query?.lexical).toHaveLength(5);
  const inOrder = all.chunks.map(({ text }) => text);
  expect(inOrder[0]).toBe("moss and heather");
  expect((await best(2)).chunks.map(({ text }) => text)).toEqual(inOrder.slice(0, 2));
  // A similarity in memory is rounded: where it decides, others are read to replace what fails.
  const above = (await best(2, 0.1)).chunks.map(({ text }) => text);
  expect(above).toEqual(expect.arrayContaining(inOrder.slice(0, 3)));
});

test("what is in memory is not read again by a search", async () => {
  const index = indexOf("read-once");
  const moor = ["heather on the moor", "sundew in the bog", "heather by the path"];
  for (const [at, text] of moor.entries()) await write(index, `${at}.md`, 1, [text]);
  await search(index, "heather moor");
  const { texts: statements } = await runInDurableObject(stubOf("read-once"), (_, { storage }) =>
    countStatements(storage.sql),
  );
  const vector = new Float32Array(DIMENSIONS).fill(1);
  const { queries, chunks } = await index.search(requestFor("heather moor", { vector, needed: 2 }));
  expect([queries[0]?.lexical.length, queries[0]?.vector.length]).toEqual([2, 3]);
  expect(chunks).toHaveLength(2);
  // Texts and vectors, once.
  expect(statements.filter((sql) => /\bchunks\b|\bvectors v\b/.test(sql))).toHaveLength(1);
});

const QUERIES = ["north", "south", "east", "west"];

/** A search of four queries in an object that takes turns for every one. */
async function inTurns(name: string, remainingMs: number, between: (store: IndexStore) => void) {
  return await runInDurableObject(stubOf(name), async (_object, { storage }) => {
    const store = new IndexStore(storage, { comparisonsInOnePiece: 0 });
    const queries = QUERIES.flatMap((text) => requestFor(text).queries);
    const request = { ...requestFor(""), queries, turns: { leg: "leg", remainingMs } };
    let turns = 0;
    const reply = await store.searchInTurns("search", [request], async () => {
      turns += 1;
      between(store);
    });
    const whole = store.call("search", request);
    if (reply === null) throw new Error("it was not searched in turns");
    const counts = reply.queries.map(({ vector }) => vector.length);
    const texts = reply.chunks.map(({ text }) => text);
    return {
      turns,
      unsearched: reply.unsearched,
      isWhole: equals(reply, whole),
      found: counts,
      texts,
    };
  });
}
const equals = (first: unknown, second: unknown) =>
  JSON.stringify(first) === JSON.stringify(second);

test("a long search lets others run between its queries, and ends when it must", async () => {
  const index = indexOf("turns");
  for (const text of QUERIES) await write(index, `${text}.md`, 1, [`a stone of the ${text}`]);
  expect(await inTurns("turns", 60_000, () => undefined)).toMatchObject({
    turns: 3,
    unsearched: 0,
    isWhole: true,
  });
  // Its time is over after the first query.
  expect(await inTurns("turns", 0, () => undefined)).toMatchObject({
    unsearched: 3,
    found: [4, 0, 0, 0],
  });
  // Its caller goes away.
  expect(await inTurns("turns", 60_000, (store) => store.call("drop", "leg"))).toMatchObject({
    turns: 1,
    unsearched: 3,
  });
});

test("a file that leaves the scope between the queries of a search is not shown", async () => {
  const index = indexOf("leaving");
  for (const text of QUERIES) await write(index, `${text}.md`, 1, [`a stone of the ${text}`]);
  const { texts } = await inTurns("leaving", 60_000, (store) => {
    store.call("restrictToScopes", null, { paths: ["north.md"], passages: [] });
  });
  expect(texts.toSorted()).toEqual([
    "a stone of the east",
    "a stone of the south",
    "a stone of the west",
  ]);
});
