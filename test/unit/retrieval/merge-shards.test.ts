import { expect, test } from "vitest";

import { sumStatistics } from "../../../src/retrieval/merge-shards.ts";

const partOf = (word: string, times = 1) => ({
  corpus: { chunks: 100, words: 1_000 },
  terms: [{ word, chunks: 20, times }],
});

test("a word that each shard holds counts all its chunks, and once in the query", () => {
  const whole = sumStatistics([
    ...["common", "common", "common"].map((word) => partOf(word)),
    partOf("rare"),
  ]);
  expect(whole).toEqual({
    corpus: { chunks: 400, words: 4_000 },
    terms: [
      { word: "common", chunks: 60, times: 1 },
      { word: "rare", chunks: 20, times: 1 },
    ],
  });
});
