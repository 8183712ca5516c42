import { describe, expect, test } from "vitest";

import { hashEmbedding } from "../../../src/adapters/embedded/hash-embedder.ts";
import type { ChunkId } from "../../../src/core/ids.ts";
import { DAY_MS } from "../../../src/core/time.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { applySearchMode } from "../../../src/retrieval/search-mode.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { WorkersAiDouble } from "../../doubles/workers-ai/workers-ai-double.ts";
import { requestOf } from "../../support/retrieval-requests.ts";
import { indexedRag, worldWith } from "../inference/support.ts";
import { DIMENSIONS, factsOf, indexOf, write, vectorIndexOf } from "../rag-index/support.ts";

const embed = (text: string) => hashEmbedding(text, DIMENSIONS);
/** One file of many passages that differ in their numbers. */
const many = (count: number) => ({
  "notes.md": Array.from(
    { length: count },
    (_, at) => `Note ${at} about the boiler service in house ${at * 7}.`,
  ),
});

const texts = (result: { chunks: { text: string }[] }) => result.chunks.map(({ text }) => text);

test("words and meaning find; the score is the exact cosine, also for word matches", async () => {
  const rag = await indexedRag("one", {
    "a.md": ["The boiler gets its service in spring."],
    "b.md": ["Bicycles are parked behind the hall."],
  });
  const { services } = worldWith({});
  const { chunks, degradations } = await retrieve(services, requestOf([rag]));
  expect(degradations).toEqual([]);
  expect(chunks[0]?.text).toBe("The boiler gets its service in spring.");
  const [query, text] = [embed("boiler service"), embed(chunks[0]?.text ?? "")];
  const cosine = query.reduce((sum, value, at) => sum + value * (text[at] ?? 0), 0);
  expect(chunks[0]?.score).toBeCloseTo(cosine, 3);
  expect(chunks[0]?.source).toEqual({
    ragIdentifier: "one",
    filePath: "a.md",
    name: "a.md",
    externalId: null,
    modifiedAt: "1970-01-01T00:00:00.000Z",
    url: null,
    position: 0,
    page: null,
    headings: [],
    start: 0,
    end: 38,
  });
});

test("ten queries over two RAGs of one model make one embedding call", async () => {
  const double = new OpenAiDouble({ embed });
  const { services } = worldWith({ double });
  const more = { embeddingModel: "local/embed" };
  const first = await indexedRag("ten-a", { "a.md": ["boiler"] }, more);
  const second = await indexedRag("ten-b", { "b.md": ["service"] }, more);
  const queries = Array.from({ length: 10 }, (_, at) => `boiler service ${at}`);
  const { chunks } = await retrieve(services, requestOf([first, second], { queries }));
  expect(chunks).toHaveLength(2);
  expect(double.requests).toHaveLength(1);
  const input = [...queries, queries.join(" ")];
  expect(double.requests[0]?.body).toMatchObject({ input });
});

test("the threshold comes before the cut, and the cut is at topK", async () => {
  const rag = await indexedRag("cut", many(60));
  const { services } = worldWith({});
  const all = await retrieve(services, requestOf([rag], { topK: 50 }));
  expect(all.chunks).toHaveLength(50);
  const scores = all.chunks.map(({ score }) => score).sort((a, b) => b - a);
  const similarityThreshold = scores[9] ?? 1;
  const above = await retrieve(services, requestOf([rag], { topK: 100, similarityThreshold }));
  expect(above.chunks.length).toBeGreaterThanOrEqual(10);
  expect(above.chunks.every(({ score }) => score >= similarityThreshold)).toBe(true);
  const few = await retrieve(services, requestOf([rag], { topK: 3, similarityThreshold }));
  expect(texts(few)).toEqual(texts(above).slice(0, 3));
});

describe("passages below the similarity of questions about something else are left out", () => {
  const spring = "The boiler gets its service in spring.";
  const room = "The boiler room is closed.";
  const files = { "a.md": [spring], "b.md": [room], "c.md": ["Bicycles are parked in the hall."] };
  const textsWith = async (
    unrelatedSimilarity: number | null,
    more: object = {},
    failing = false,
  ) => {
    const double = new OpenAiDouble({ embed });
    if (failing) double.fail("embeddings", { kind: "status", status: 400 });
    const { services } = worldWith({ double });
    const settings = { embeddingModel: "local/embed", unrelatedSimilarity, ...more };
    const rag = await indexedRag("unrelated", files, settings);
    return texts(await retrieve(services, requestOf([rag], { queries: ["boiler service"] })));
  };

  test.each([
    ["unless they hold most of the query's words", 0.99, {}, false, [spring]],
    ["only where the RAG has one", null, {}, false, [spring, room, ...files["c.md"]]],
    ["only where they are below", 0.3, {}, false, [spring, room]],
    ["not where words alone decide", 0.99, { searchMode: "keyword" }, false, [spring, room]],
    ["not while the embedding model fails", 0.99, {}, true, [spring, room]],
  ])("%s", async (_, similarity, more, failing, expected) => {
    const passages = await textsWith(similarity, more, failing);
    expect(passages.toSorted()).toEqual(expected.toSorted());
  });

  test("an equal passage of a RAG that leaves nothing out is found", async () => {
    const { services } = worldWith({ double: new OpenAiDouble({ embed }) });
    const model = { embeddingModel: "local/embed" };
    const strict = { ...model, unrelatedSimilarity: 0.99 };
    const rags = [
      await indexedRag("strict", { "a.md": [room] }, strict),
      await indexedRag("willing", { "b.md": [room] }, model),
    ];
    const request = requestOf(rags, { queries: ["boiler service"] });
    const { chunks } = await retrieve(services, request);
    expect(chunks.map(({ source }) => source.ragIdentifier)).toEqual(["willing"]);
  });
});

test("of passages that fit alike the newer goes first, where the RAG lets age count", async () => {
  const dated = { "a.md": 400, "b.md": 1, "c.md": 4_000 };
  const index = indexOf("recency");
  for (const [path, days] of Object.entries(dated)) {
    const modifiedAt = Date.now() - days * DAY_MS;
    const text = `The boiler gets its service, says ${path}.`;
    await write(index, factsOf(path, { modifiedAt }), 1, [text]);
  }
  const clear = "Boiler service: how the boiler gets its service, and who does it.";
  await write(index, factsOf("old.md", { modifiedAt: 0 }), 1, [clear]);
  const { services } = worldWith({});
  const inOrder = async (recencyHalfLifeDays: number | null, query: string) => {
    const rag = await indexedRag("recency", {}, { recencyHalfLifeDays });
    const { chunks } = await retrieve(services, requestOf([rag], { queries: [query] }));
    return chunks.map(({ source }) => source.filePath);
  };
  const alike = "what says";
  expect((await inOrder(30, alike)).slice(0, 3)).toEqual(["b.md", "a.md", "c.md"]);
  expect((await inOrder(null, alike)).slice(0, 3)).toEqual(["a.md", "b.md", "c.md"]);
  expect((await inOrder(30, "who does the boiler service and how"))[0]).toBe("old.md");
});

test("an explanation tells where each leg had a passage, over shards as in one index", async () => {
  const texts = ["boiler service", "boiler, boiler, boiler", "The canteen serves soup at noon."];
  const files = Object.entries({ "a.md": texts[0], "b.md": texts[1], "c.md": texts[2] });
  const { services } = worldWith({});
  const explain = async (name: string, shards: number) => {
    const rag = await indexedRag(name, {}, { shards });
    for (const [at, [path, text = ""]] of files.entries()) {
      const shard = at % shards;
      const index = services.ragIndexes({ ragId: rag.id, generation: 1, shard });
      await write(index, factsOf(path), 1, [text]);
    }
    const { explanations = [] } = await retrieve(services, requestOf([rag]), { explain: true });
    return explanations.map(({ queries, fusedRank }) => {
      const ranks = queries.map(({ lexical, vector }) => [lexical?.rank, vector?.rank]);
      return { ranks, fusedRank };
    });
  };
  const inOne = await explain("explained", 1);
  expect(inOne).toEqual([
    { ranks: [[1, 1]], fusedRank: 1 },
    { ranks: [[2, 2]], fusedRank: 2 },
    { ranks: [[undefined, 3]], fusedRank: 3 },
  ]);
  expect(await explain("explained-shards", 2)).toEqual(inOne);
});

test("equal texts of several RAGs are one chunk; with includeDuplicates each is shown", async () => {
  const first = await indexedRag("equal-a", { "a.md": ["The boiler  gets SERVICE."] });
  const second = await indexedRag("equal-b", { "b.md": ["The boiler gets service."] });
  const { services } = worldWith({});
  expect((await retrieve(services, requestOf([first, second]))).chunks).toHaveLength(1);
  const both = await retrieve(services, requestOf([first, second], { includeDuplicates: true }));
  expect(both.chunks).toHaveLength(2);
});

test("a call that names nothing finds nothing, and makes no other call", async () => {
  const double = new OpenAiDouble({ embed });
  const { services } = worldWith({ double });
  const rag = await indexedRag("none", { "a.md": ["boiler"] }, { embeddingModel: "local/embed" });
  const restriction = { named: { files: [], folders: [] }, metadata: [] };
  const request = { ...requestOf([]), targets: [{ rag, restriction }] };
  expect(await retrieve(services, request)).toMatchObject({ chunks: [], degradations: [] });
  expect(double.requests).toEqual([]);
});

describe("reranking", () => {
  test("changes the order and never the score", async () => {
    const double = new OpenAiDouble({ relevance: (_, text) => (text.includes("last") ? 1 : 0) });
    const { services } = worldWith({ double });
    const files = { "a.md": ["boiler service, boiler service", "the last boiler"] };
    const rag = await indexedRag("order", files, { reranker: "local/rerank" });
    const plain = await retrieve(services, requestOf([rag]));
    const ranked = await retrieve(services, requestOf([rag], { useReranking: true }));
    expect(texts(plain)[1]).toBe("the last boiler");
    expect(texts(ranked)[0]).toBe("the last boiler");
    const scores = (result: typeof plain) =>
      new Map(result.chunks.map(({ text, score }) => [text, score]));
    expect(scores(ranked)).toEqual(scores(plain));
  });

  test("topK 100 with multiplier 10 goes to Workers AI in batches, several at once", async () => {
    const ai = new WorkersAiDouble({ embed });
    const { services } = worldWith({ ai });
    const reranker = "workers-ai/@cf/baai/bge-reranker-base";
    const rag = await indexedRag("batches", many(1_000), { reranker });
    const wish = { topK: 100, candidateMultiplier: 10, useReranking: true };
    const { chunks, degradations } = await retrieve(services, requestOf([rag], wish));
    expect(degradations).toEqual([]);
    expect(chunks).toHaveLength(100);
    const sizes = ai.calls.map(({ inputs }) => (inputs["contexts"] as unknown[]).length);
    expect(sizes).toEqual(Array(10).fill(100));
    // The platform keeps six connections open at most.
    expect(ai.maxAtOnce).toBe(6);
  });

  test("no more than topK × candidateMultiplier are scored", async () => {
    const double = new OpenAiDouble();
    const { services } = worldWith({ double });
    const rag = await indexedRag("bound", many(80), { reranker: "local/rerank" });
    const wish = { topK: 4, candidateMultiplier: 3, useReranking: true };
    await retrieve(services, requestOf([rag], wish));
    const scored = double.calls("rerank").map(({ body }) => (body as { documents: [] }).documents);
    expect(scored.flat()).toHaveLength(12);
  });

  test("the embedded reranker needs no network", async () => {
    const { services } = worldWith({});
    const rag = await indexedRag("lexical", many(20), { reranker: "embedded/lexical" });
    const queries = ["boiler service in house 77"];
    const wish = { useReranking: true, queries, topK: 1 };
    const { chunks, degradations } = await retrieve(services, requestOf([rag], wish));
    expect(degradations).toEqual([]);
    expect(chunks[0]?.text).toContain("house 77.");
  });
});

describe("with a vector index outside", () => {
  async function world(identifier: string) {
    const files = {
      "x/a.md": ["The boiler gets its service."],
      "y/b.md": ["Warm water is made here."],
    };
    const rag = await indexedRag(identifier, files);
    const versions = Object.entries(files).map(([path, passages]) => {
      return { facts: factsOf(path), passages, folder: path.split("/")[0] ?? "" };
    });
    const { vectorize, vectorIndex } = await vectorIndexOf(rag.id, versions);
    const { services } = worldWith({});
    return { rag, vectorize, services: { ...services, vectorIndex } };
  }

  test("its neighbours are hydrated with exact scores, one query call each", async () => {
    const { rag, vectorize, services } = await world("outside");
    const semantic = { ...rag, searchMode: "semantic" as const };
    const queries = ["Warm water is made here.", "boiler service"];
    const { chunks, degradations } = await retrieve(services, requestOf([semantic], { queries }));
    expect(degradations).toEqual([]);
    expect(chunks[0]).toMatchObject({ text: "Warm water is made here." });
    expect(chunks[0]?.score).toBeCloseTo(1, 3);
    expect(vectorize.calls.filter(({ name }) => name === "query")).toHaveLength(2);
  });

  test("a selective restriction is scanned exactly in the RAG's own index", async () => {
    const { rag, vectorize, services } = await world("selective");
    const restriction = { named: { files: ["y/b.md"], folders: [] }, metadata: [] };
    const request = { ...requestOf([]), targets: [{ rag, restriction }] };
    const { chunks } = await retrieve(services, { ...request, queries: ["boiler service"] });
    expect(texts({ chunks })).toEqual(["Warm water is made here."]);
    expect(vectorize.calls.filter(({ name }) => name === "query")).toHaveLength(0);
  });

  test("in keyword mode it is not asked, and the scores are similarities all the same", async () => {
    const { rag, vectorize, services } = await world("words-outside");
    const request = requestOf([applySearchMode(rag, { searchMode: "keyword" })]);
    const { chunks, degradations } = await retrieve(services, request);
    expect(degradations).toEqual([]);
    expect(chunks.map(({ source }) => source.filePath)).toEqual(["x/a.md"]);
    expect(chunks[0]?.score).toBeGreaterThan(0.3);
    expect(vectorize.calls.filter(({ name }) => name === "query")).toHaveLength(0);
  });

  test("an id that no index knows is left out", async () => {
    const { rag, services } = await world("stray");
    const stray = { id: "f".repeat(40) as ChunkId, score: 0.99 };
    const { vectorIndex } = services;
    const query: typeof vectorIndex.query = async (...call) => {
      const { matches, floor } = await vectorIndex.query(...call);
      return { matches: [stray, ...matches], floor };
    };
    const strayed = { ...services, vectorIndex: { ...vectorIndex, query } };
    const { chunks, degradations } = await retrieve(strayed, requestOf([rag]));
    expect(degradations).toEqual([]);
    expect(chunks).toHaveLength(2);
  });
});
