import { expect, test } from "vitest";

import type { ChunkId, FileId } from "../../../src/core/ids.ts";
import type { HydratedChunk } from "../../../src/ports/rag-index.ts";
import {
  chooseCandidates,
  type QueryLegs,
  type RankedId,
} from "../../../src/rag-index/search/fuse.ts";
import { mergeEqualTexts, mergeLists } from "../../../src/retrieval/merge-lists.ts";
import type { RagFindings } from "../../../src/retrieval/rag-findings.ts";
import {
  compareChunks,
  meetsThreshold,
  similarityOf,
} from "../../../src/retrieval/score-chunks.ts";
import type { ComparesBy, ScoredChunk } from "../../../src/retrieval/score-chunks.ts";

type Given = Partial<ScoredChunk> & { path?: string; position?: number; key?: string };

function chunk(id: string, fields: Given = {}): ScoredChunk {
  const { path = `${id}.md`, position = 0, key = id, ...rest } = fields;
  const file = {
    fileId: id as FileId,
    path,
    name: path,
    externalId: null,
    url: null,
    modifiedAt: 0,
  };
  const place = {
    fileChunks: 1,
    position,
    headings: [],
    languages: "en",
    page: null,
    start: 0,
    end: 1,
  };
  const hydrated: HydratedChunk = {
    id: id as ChunkId,
    text: id,
    duplicateKey: key,
    similarities: [],
    scores: [],
    file,
    ...place,
  };
  const scores = { score: 0.5, scored: true, value: 1, finds: [], words: [] };
  return { ragIdentifier: "one", chunk: hydrated, ...scores, ...rest };
}

const names = (chunks: ScoredChunk[]) => chunks.map(({ chunk: { id } }) => id as string);

test("the score is the best cosine over the queries, not their joined text", () => {
  const similarityWith = (similarities: (number | null)[]) =>
    similarityOf({ ...chunk("a").chunk, similarities });
  expect(similarityWith([0.2, null, 0.7, 0.9])).toBe(0.7);
  expect(similarityWith([-0.4])).toBe(0);
  expect(similarityWith([1.0000002])).toBe(1);
  expect(similarityWith([null, null])).toBeNull();
});

test("the threshold holds for what has a similarity, and passes what has none", () => {
  expect(meetsThreshold(chunk("a", { score: 0.29 }), 0.3)).toBe(false);
  expect(meetsThreshold(chunk("a", { score: 0.3 }), 0.3)).toBe(true);
  expect(meetsThreshold(chunk("a", { score: 0, scored: false }), 0.3)).toBe(true);
});

test("ties are broken by file path, then position, then RAG", () => {
  const chunks = [
    chunk("d", { path: "b.md", position: 1 }),
    chunk("c", { path: "b.md", position: 0, ragIdentifier: "two" }),
    chunk("b", { path: "b.md", position: 0 }),
    chunk("a", { path: "a.md", position: 7 }),
    chunk("first", { path: "z.md", value: 2 }),
  ];
  expect(names(chunks.sort(compareChunks))).toEqual(["first", "a", "b", "c", "d"]);
});

test("equal texts over RAGs are one chunk with the better place and score", () => {
  const firstList = [chunk("a", { key: "same", score: 0.4 }), chunk("b", { value: 0.8 })];
  const otherChunk = chunk("c", { key: "same", score: 0.6, value: 0.9, ragIdentifier: "two" });
  const mergedOnce = mergeEqualTexts(mergeLists(listsOf([firstList, [otherChunk]])));
  expect(names(mergedOnce)).toEqual(["a", "b"]);
  expect(mergedOnce[0]?.score).toBe(0.6);
  expect(names(mergeLists(listsOf([firstList, [otherChunk]])))).toEqual(["a", "c", "b"]);
});

/** Lists of one embedding model; each is in the order of its reranker, if it has one. */
function listsOf(
  lists: ScoredChunk[][],
  fusionWeight = 0.1,
  comparesBy: ComparesBy = { by: "values" },
) {
  const rag = { searchMode: "hybrid", embeddingModel: "m", dimensions: 8 };
  const findings = {
    target: { rag },
    embedded: { fusionWeight },
    relation: 0,
    candidates: 1,
  } as unknown as RagFindings;
  return lists.map((chunks) => ({ findings, chunks, comparesBy }));
}

const merged = (...lists: Parameters<typeof listsOf>) => names(mergeLists(listsOf(...lists)));

const LARGE = [chunk("a", { value: 1, score: 0.2 }), chunk("b", { value: 0.9, score: 0.1 })];
const SMALL = [chunk("x", { value: 0.6, score: 0.3 }), chunk("y", { value: 0.5, score: 0.8 })];

test("lists of one mode are merged by their values", () => {
  expect(merged([LARGE, SMALL], 0.1, { by: "values" })).toEqual(["a", "b", "x", "y"]);
});

test("what one reranker judged is merged by relevance; where it failed, by similarity", () => {
  const similar = [LARGE, SMALL.toReversed()];
  expect(merged(similar, 0.5, { by: "similarity" })).toEqual(["y", "x", "a", "b"]);
  const judged = [LARGE, SMALL].map((list, at) =>
    list.map((item, place) => ({ ...item, relevance: [0.7, 0.1, 0.9, 0.8][2 * at + place] ?? 0 })),
  );
  expect(merged(judged, 0.5, { by: "reranker", model: "local/rerank" })).toEqual([
    "x",
    "y",
    "a",
    "b",
  ]);
  expect(merged(judged, 0.5, { by: "values" })).toEqual(["a", "b", "x", "y"]);
});

const ranked = (count: number, similarity: (at: number) => number | null): RankedId[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `c${at}` as ChunkId,
    value: 1 - at / count,
    similarity: similarity(at),
    scores: [],
  }));

test("a threshold adds those that may pass, and takes none away", () => {
  const candidates = ranked(200, (at) => (at % 2 === 0 ? 0.1 : at < 100 ? null : 0.9));
  const numbersOf = (threshold: number | null, queries: Pick<QueryLegs, "vector">[] = []) =>
    chooseCandidates(candidates, queries, { needed: 20, threshold }).map(({ id }) =>
      Number(id.slice(1)),
    );
  const without = numbersOf(null);
  const selection = numbersOf(0.5);
  expect(selection.slice(0, without.length)).toEqual(without);
  expect(selection.slice(without.length).every((at) => at % 2 === 1)).toBe(true);
  expect(selection.filter((at) => at >= 100).length).toBeGreaterThanOrEqual(20);
  // A query that names its nearest only may be nearer to those that another one names.
  const nearest = { vector: [{ id: "nearest" as ChunkId, score: 0.49 }] };
  expect(
    numbersOf(0.5, [nearest])
      .slice(without.length)
      .some((at) => at % 2 === 0),
  ).toBe(true);
});

test("an approximate similarity just below the threshold is measured exactly", () => {
  const candidates = ranked(100, (at) => (at === 60 ? 0.49 : 0.1));
  const options = { needed: 5, threshold: 0.5 };
  const ids = chooseCandidates(candidates, [], options).map(({ id }) => id);
  expect(ids).toContain("c60");
  expect(ids).not.toContain("c61");
});

test("candidates that tie at the end come along, so that path and position decide", () => {
  const tied = ranked(100, () => 0.5);
  for (const item of tied) item.value = 1;
  const options = { needed: 5, threshold: null };
  expect(chooseCandidates(tied, [], options)).toHaveLength(100);
  const untied = ranked(100, () => 0.5);
  expect(chooseCandidates(untied, [], options).length).toBeLessThan(30);
});
