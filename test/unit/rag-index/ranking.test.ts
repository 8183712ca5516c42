import * as fc from "fast-check";
import { expect, test } from "vitest";

import { VectorBlock } from "../../../src/rag-index/memory/vector-memory.ts";
import {
  matchExpression,
  POSTINGS_LIMIT,
  queryTerms,
  limitPostings,
} from "../../../src/rag-index/search/query-terms.ts";
import { sumScores } from "../../../src/rag-index/search/word-scores.ts";
import { BestFew } from "../../../src/rag-index/vectors/best-few.ts";
import { queryVector } from "../../../src/rag-index/vectors/query-vector.ts";
import { scopeTest } from "../../../src/rag-index/write/scopes.ts";
import { SEED } from "../../support/seed.ts";

test("the best few are those of a full sort, ties by key", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      (scores, limit) => {
        const best = new BestFew(limit);
        scores.forEach((score, key) => {
          if (score >= best.minScore) best.offer(key, score);
        });
        const expected = scores
          .map((score, key) => ({ key, score }))
          .sort((a, b) => b.score - a.score || a.key - b.key)
          .slice(0, limit);
        expect(best.sortItems()).toEqual(expected);
      },
    ),
    { seed: SEED },
  );
});

const postings: Record<string, number> = { boiler: 12, water: 9_000, plant: 12_000, unit: 30_000 };
const statistics = {
  estimate: (word: string) => postings[word] ?? 0,
  shareOf: () => 0,
  chunks: () => 100_000,
};
const wordsIn = (query: string) => queryTerms(query, statistics).map(({ word }) => word);

test("a query's words: rarest first, repeats kept, unknown and stop words out", () => {
  expect(wordsIn("The unit of the boiler, the boiler's zeppelin water")).toEqual([
    "boiler",
    "boiler",
    "water",
    "unit",
  ]);
});

test("a name is searched with and without the umlauts that keyboards lack", () => {
  const postings: Record<string, number> = {
    muller: 9,
    mueller: 2,
    kobenhavn: 1,
    aase: 1,
    blue: 3,
    blu: 3,
  };
  const wordsOf = (query: string) => {
    const estimate = (word: string) =>
      query === "Mueller" && word === "mueller" ? 0 : (postings[word] ?? 0);
    return queryTerms(query, { ...statistics, estimate }).map(({ word }) => word);
  };
  expect(wordsOf("Mu\u0308ller")).toEqual(["mueller", "muller"]);
  expect(["Mueller", "Koebenhavn", "Åse", "blue"].map(wordsOf)).toEqual([
    ["muller"],
    ["kobenhavn"],
    ["aase"],
    ["blue"],
  ]);
});

test("a word with umlauts counts once, and a function word with umlauts not at all", () => {
  const counts: Record<string, number> = { ferie: 9, pa: 700, sondag: 2 };
  const estimate = (word: string) => counts[word] ?? 0;
  const terms = queryTerms("Hvad er der om ferie på søndag?", {
    ...statistics,
    shareOf: () => 1,
    estimate,
  });
  expect(terms.map(({ word }) => word)).toEqual(["sondag", "ferie"]);
});

test.each([
  ["Can nationality be taken away?", false],
  ["can opener", true],
  ["the can of beans", true],
])("the verb that opens an English question is no word to search for: %s", (query, searched) => {
  const words = queryTerms(query, { ...statistics, estimate: () => 1 });
  expect(words.some(({ word }) => word === "can")).toBe(searched);
});

test("no more postings are read than the bound allows", () => {
  const bounded = limitPostings(queryTerms("plant water boiler unit", statistics));
  expect(bounded.map(({ word }) => word)).toEqual(["boiler", "water"]);
  expect(bounded.reduce((sum, term) => sum + term.postings, 0)).toBeLessThan(POSTINGS_LIMIT);
  expect(limitPostings(queryTerms("unit", statistics))).toEqual([]);
});

test("words are quoted; one character of a script without spaces is a prefix", () => {
  const terms = queryTerms('boiler" OR 東', statistics);
  expect(matchExpression(terms)).toBe('"东" * OR "boiler"');
});

test("scopes match folders at any depth, exact files, and drive items with contents", () => {
  const holds = scopeTest([
    { type: "path", value: "docs/" },
    { type: "path", value: "readme" },
    { type: "path", value: "https://example.org/help/" },
    { type: "externalId", value: "id-1" },
  ]);
  const place = (path: string, externalId: string | null = null, ancestors: string[] = []) =>
    holds({ path, externalId, ancestors });
  expect(
    ["docs/a", "docs/a/b/c", "readme", "https://example.org/help/a"].map((path) => place(path)),
  ).toEqual([true, true, true, true]);
  expect(["docs", "docsx/a", "readme/a", "Readme", "a/docs/b"].map((path) => place(path))).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(place("x", "id-1")).toBe(true);
  expect(place("x", "id-2", ["id-0", "id-1"])).toBe(true);
  expect(place("x", "id-2", ["id-0"])).toBe(false);
  expect(scopeTest(null)({ path: "x", externalId: null, ancestors: [] })).toBe(true);
});

test("what words give a chunk is added in their order, however far chunks are apart", () => {
  const near = fc.constantFrom(0, 8_191, 8_192, 8_193);
  const chunk = fc.oneof(near, fc.nat(30_000), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
  const score = fc.double({ min: 1e-6, max: 20, noNaN: true });
  const word = fc.uniqueArray(fc.tuple(chunk, score), { selector: ([at]) => at, maxLength: 40 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      const sums = new Map<number, number>();
      for (const [at, value] of words.flat()) sums.set(at, (sums.get(at) ?? 0) + value);
      const expected = [...sums].sort(([a], [b]) => a - b);
      const sorted = words.map((scores) => scores.toSorted(([a], [b]) => a - b));
      const { chunks, values } = sumScores(
        sorted.map((scores) => ({
          chunks: Uint32Array.from(scores, ([at]) => at),
          values: Float64Array.from(scores, ([, value]) => value),
        })),
      );
      expect([...chunks].map((at, place) => [at, values[place]])).toEqual(expected);
    }),
    { seed: SEED },
  );
});

test("a scan adds the dimensions up as one after the other, and rounds no sum", () => {
  const block = new VectorBlock(16, 3);
  const vectors = [1, 2, 3].map((seed) =>
    Float32Array.from({ length: 16 }, (_, at) => Math.sin(seed * 17 + at)),
  );
  vectors.forEach((vector, place) => {
    block.put(place, { chunk: place, duplicate: false });
    block.putVector(place, vector);
  });
  for (const count of [0, 1, 3, 4, 5, 8, 11]) {
    const values = Float32Array.from({ length: 16 }, (_, at) => (at < count ? 1 / (at + 3) : 0));
    const query = queryVector(values);
    const sums = new Float64Array(3);
    block.score(query, sums);
    for (const [place, vector] of vectors.entries()) {
      const scale = Math.max(...vector.map(Math.abs)) / 32_767;
      let sum = 0;
      for (const [at, dimension] of query.dimensions.entries()) {
        const component = Math.round((vector[dimension] ?? 0) * (1 / scale));
        sum += (query.values[at] ?? 0) * component;
      }
      expect(sums[place]).toBe(sum * Math.fround(scale));
    }
  }
});
