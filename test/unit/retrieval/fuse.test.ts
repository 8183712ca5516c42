import { expect, test } from "vitest";

import type { ChunkId } from "../../../src/core/ids.ts";
import {
  chooseCandidates,
  fuse,
  fusionOf,
  listsOf,
  rankCandidates,
  scaleOf,
} from "../../../src/rag-index/search/fuse.ts";
import type { QueryLegs } from "../../../src/rag-index/search/fuse.ts";

const leg = (scores: Record<string, number>) =>
  Object.entries(scores)
    .map(([id, score]) => ({ id: id as ChunkId, score }))
    .sort((a, b) => b.score - a.score);
const legs = (lexical: Record<string, number>, vector: Record<string, number>): QueryLegs => ({
  lexical: leg(lexical),
  vector: leg(vector),
});
/** Chunks of a RAG in which two queries hardly find the same by chance. */
const MANY = 10_000;
const hybrid = (weight: number) => ({ mode: "hybrid" as const, weight });
const order = (queryLegs: QueryLegs[], rule: Parameters<typeof rankCandidates>[1]) =>
  rankCandidates(queryLegs, rule, MANY).ranked.map(({ id }) => id as string);

test("each leg counts by its weight, on scales from 0 to 1", () => {
  const queryLegs = legs({ a: 10, b: 5 }, { b: 1, c: 0, d: 0.5 });
  const { ranked } = rankCandidates([queryLegs], hybrid(0.25), MANY);
  const values = ranked.map(({ id, value }) => [id, value]);
  expect(Object.fromEntries(values)).toEqual({ a: 0.75, b: 0.625, c: 0, d: 0.125 });
});

test("a weak embedding does not overturn the words; a strong one does", () => {
  const queryLegs = [legs({ words: 12, both: 6 }, { meaning: 0.9, both: 0.6, rest: 0.1 })];
  expect(order(queryLegs, hybrid(0.1))).toEqual(["words", "both", "meaning", "rest"]);
  expect(order(queryLegs, hybrid(0.9))[0]).toBe("meaning");
});

test("a lost leg leaves everything to the other", () => {
  expect(order([legs({ a: 2, b: 9 }, {})], hybrid(0.9))).toEqual(["b", "a"]);
  const { ranked } = rankCandidates([legs({}, { a: 0.2, b: 0.1 })], hybrid(0.1), MANY);
  expect(ranked).toMatchObject([
    { id: "a", value: 1 },
    { id: "b", value: 0 },
  ]);
});

test("semantic order is the similarity; without similarities the words order", () => {
  const semantic = { mode: "semantic" as const, weight: 0.1 };
  expect(order([legs({ a: 9 }, { a: 0.1, b: 0.7 })], semantic)).toEqual(["b", "a"]);
  expect(order([legs({ a: 1, b: 2 }, {})], semantic)).toEqual(["b", "a"]);
});

test("all passages of score 0 are read, since path and position decide between them", () => {
  const queryLegs = [legs({}, { good: 0.4, zero: 0, below: -0.1, lowest: -0.3 })];
  const { ranked } = rankCandidates(queryLegs, { mode: "semantic", weight: 1 }, MANY);
  expect(ranked.map(({ value }) => value)).toEqual([0.4, 0, 0, 0]);
  const limits = { threshold: null, slack: 0 };
  expect(chooseCandidates(ranked, queryLegs, { ...limits, needed: 1 })).toMatchObject([
    { id: "good" },
  ]);
  expect(chooseCandidates(ranked, queryLegs, { ...limits, needed: 2 })).toHaveLength(4);
});

test("parts of one question are ordered by all of it, several questions by each", () => {
  const joinedQuery = legs({ whole: 9, one: 6 }, { one: 0.9, whole: 0.8, joined: 0.3 });
  const parts = [legs({ one: 8, whole: 4 }, {}), legs({ one: 6, whole: 2 }, {}), joinedQuery];
  expect(rankCandidates(parts, hybrid(0.1), MANY).relation).toBe(1);
  expect(order(parts, hybrid(0.1))[0]).toBe("whole");
  const apart = [legs({ one: 8 }, { one: 0.6 }), legs({ other: 2 }, { other: 0.4 }), joinedQuery];
  const { ranked, relation } = rankCandidates(apart, hybrid(0.1), MANY);
  expect(relation).toBe(0);
  expect(ranked).toMatchObject([
    { id: "one", value: 1, similarity: 0.6 },
    { id: "other", value: 1, similarity: 0.4 },
    { value: 0, similarity: null },
    { value: 0, similarity: null },
  ]);
});

test("what two questions have in common by chance in a small RAG does not join them", () => {
  const ids = Array.from({ length: 60 }, (_, at) => `chunk ${at}`);
  const inOrder = (order: string[]) =>
    legs(Object.fromEntries(order.map((id, at) => [id, 60 - at])), {});
  const first = inOrder(ids);
  const second = inOrder([...ids.slice(30, 41), ...ids.slice(0, 30), ...ids.slice(41)]);
  const relation = (searched: number) =>
    rankCandidates([first, second, first], hybrid(0.1), searched).relation;
  expect(relation(60)).toBe(0);
  expect(relation(MANY)).toBeGreaterThan(0);
});

test("queries whose joined text was not searched in time are ordered by each", () => {
  const part = legs({ one: 8, two: 4, three: 2 }, {});
  expect(order([part, part, legs({}, {})], hybrid(0.1))).toEqual(["one", "two", "three"]);
});

test("one scale holds over RAGs: a poor RAG's best ranks below the right one's", () => {
  const lists = [{ answer: 20 }, { noise: 2 }].map((words) => listsOf(legs(words, {})));
  const scale = scaleOf(lists);
  const values = lists.map((own) => {
    const [lexical = null] = own.lexical;
    return fuse({ lexical, vector: null }, fusionOf(own, hybrid(0), scale));
  });
  expect(values).toEqual([1, 0.1]);
});
