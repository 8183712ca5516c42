import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { IndexStore } from "../../../src/rag-index/index-store.ts";
import { rankCandidates, scaleOf } from "../../../src/rag-index/search/fuse.ts";
import {
  countStatements,
  DIMENSIONS,
  indexOf,
  put,
  requestFor,
  search,
  stubOf,
} from "./support.ts";

test("an activated file is found by its words and by its vector", async () => {
  const index = indexOf("first");
  await put(index, "a.md", 1, ["Boilers are serviced every spring.", "Filters last two years."]);
  const found = await search(index, "servicing a boiler");
  expect(found.lexical).toEqual(["Boilers are serviced every spring."]);
  expect(found.vector[0]).toBe("Boilers are serviced every spring.");
  expect(await index.facts()).toEqual({ chunks: 2, files: 1, staged: 0, tombstones: 0 });
});

test("the best of both legs are read in the call that finds them", async () => {
  const index = indexOf("best");
  const texts = ["heather", "moss and heather", "heather on the moor", "moss", "a fern"];
  await put(index, "a.md", 1, [...texts, "heather, heather, heather"]);
  const request = requestFor("heather moss");
  const rule = { mode: "hybrid", weight: 0.5 } as const;
  const best = async (needed: number, threshold: number | null = null) => {
    const wanted = {
      rule,
      needed,
      threshold,
      withCandidates: false,
      withFinds: true,
      withVectors: false,
    };
    const { queries, chunks, best } = await index.search({
      ...request,
      read: { kind: "best", ...wanted },
    });
    expect([queries, best?.candidateCount]).toEqual([[], ranked.length]);
    const [found = new Map()] = best?.finds ?? [];
    expect(best?.finds).toHaveLength(1);
    expect(chunks.map(({ id }) => found.get(id)?.fused)).toEqual(best?.values);
    expect([...found.values()].some(({ lexical }) => lexical > 0)).toBe(true);
    const values = new Map(ranked.map(({ id, value }) => [id, value]));
    expect(best?.values).toEqual(chunks.map(({ id }) => values.get(id)));
    return chunks.map(({ text }) => text);
  };
  const { queries } = await index.search(request);
  const ranked = rankCandidates(
    queries,
    rule,
    queries.map((legs) => scaleOf([legs])),
  );
  const ids = ranked.map(({ id }) => id);
  const { chunks } = await index.hydrate({ ...request, ids, queryVectors: [null] });
  const inOrder = chunks.map(({ text }) => text);
  expect(inOrder[0]).toBe("moss and heather");
  expect(await best(2)).toEqual(inOrder.slice(0, 2));
  // A similarity in memory is rounded: where it decides, others are read to replace what fails.
  expect(await best(2, 0.1)).toEqual(expect.arrayContaining(inOrder.slice(0, 3)));
});

test("what is in memory is not read again by a search", async () => {
  const index = indexOf("read-once");
  const moor = ["heather on the moor", "sundew in the bog", "heather by the path"];
  for (const [at, text] of moor.entries()) await put(index, `${at}.md`, 1, [text]);
  await search(index, "heather moor");
  const { texts: statements } = await runInDurableObject(stubOf("read-once"), (_, { storage }) =>
    countStatements(storage.sql),
  );
  const base = { restriction: { named: null, metadata: [] }, includeDuplicates: false };
  const vector = new Float32Array(DIMENSIONS).fill(1);
  const queries = [{ text: "heather moor", vector }];
  const request = { queries, ...base, limitPerLeg: 20, lexical: true };
  const found = await index.search(request);
  expect([found.queries[0]?.lexical.length, found.queries[0]?.vector.length]).toEqual([2, 3]);
  expect(statements).not.toEqual([]);
  const ofChunks = () => statements.filter((sql) => /\bchunks\b|\bvectors v\b/.test(sql));
  expect(ofChunks()).toEqual([]);
  const rule = { mode: "hybrid", weight: 0.5 } as const;
  const wanted = {
    rule,
    needed: 2,
    threshold: null,
    withCandidates: true,
    withFinds: false,
    withVectors: false,
  };
  const best = await index.search({ ...request, read: { kind: "best", ...wanted } });
  expect(best.chunks).toHaveLength(2);
  expect(best.queries).toEqual(found.queries);
  // Texts and vectors, once.
  expect(ofChunks()).toHaveLength(1);
});

const QUERIES = ["north", "south", "east", "west"];

/** A search of four queries in an object that takes turns for every one. */
async function inTurns(name: string, remainingMs: number, between: (store: IndexStore) => void) {
  return await runInDurableObject(stubOf(name), async (_object, { storage }) => {
    const store = new IndexStore(storage, { comparisonsInOnePiece: 0 });
    const queries = QUERIES.flatMap((text) => requestFor(text).queries);
    const request = { ...requestFor(""), queries, turns: { leg: "leg", remainingMs } };
    let turns = 0;
    const reply = await store.inTurns("search", [request], async () => {
      turns += 1;
      between(store);
    });
    const whole = store.call("search", request);
    if (reply === null) throw new Error("it was not searched in turns");
    const found = reply.queries.map(({ vector }) => vector.length);
    return { turns, unsearched: reply.unsearched, isWhole: equals(reply, whole), found };
  });
}
const equals = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

test("a long search lets others run between its queries, and ends when it must", async () => {
  const index = indexOf("turns");
  for (const text of QUERIES) await put(index, `${text}.md`, 1, [`a stone of the ${text}`]);
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
