import { expect, test } from "vitest";

import type { ChunkId } from "../../../src/core/ids.ts";
import type { SearchReply } from "../../../src/ports/rag-index.ts";
import { mergeShards } from "../../../src/retrieval/merge-shards.ts";

type Word = { word: string; chunks: number };

/** A shard of 100 chunks with 1,000 words, whose one match holds each of its words once. */
function shardOf(id: string, words: Word[]): SearchReply {
  const match = { counts: words.map(() => 1), length: 10 };
  const terms = words.map((word) => ({ ...word, times: 1 }));
  const statistics = { corpus: { chunks: 100, words: 1_000 }, terms };
  const lexical = [{ id: id as ChunkId, score: 0, match }];
  const queries = [{ lexical, vector: [], statistics }];
  return {
    queries,
    unsearched: 0,
    plan: { kind: "none" },
    hasInFlight: false,
    scanned: true,
    chunks: [],
  };
}

test("a word that each shard holds weighs no more for that", () => {
  const shards = [
    ...["a", "b", "c"].map((id) => shardOf(id, [{ word: "common", chunks: 20 }])),
    shardOf("rare", [{ word: "rare", chunks: 20 }]),
  ];
  const { queries } = mergeShards(shards, { queryCount: 1, limitPerLeg: 10 });
  expect(queries[0]?.lexical.map(({ id }) => id)).toEqual(["rare", "a", "b", "c"]);
});
