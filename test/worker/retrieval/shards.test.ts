import { expect, test } from "vitest";

import { hashEmbedding } from "../../../src/adapters/embedded/hash-embedder.ts";
import { hash32, shardOf } from "../../../src/core/hash.ts";
import type { FileId } from "../../../src/core/ids.ts";
import type { RagRecord } from "../../../src/db/records.ts";
import type { RagIndexes } from "../../../src/ports/rag-index.ts";
import type { RetrievalServices } from "../../../src/retrieval/degradations.ts";
import type { RetrievalRequest } from "../../../src/retrieval/retrieval-request.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import {
  applySearchMode,
  type SearchedRag,
  type SearchMode,
} from "../../../src/retrieval/search-mode.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { requestOf } from "../../support/retrieval-requests.ts";
import { indexedRag, worldWith } from "../inference/support.ts";
import { DIMENSIONS, factsOf, write, vectorIndexOf } from "../rag-index/support.ts";

const SHARDS = 4;
const FILES = 90;
const WORDS = "granite quartz basalt slate chalk flint marble gneiss schist tuff".split(" ");
const NOTICE = "The same notice stands at the end of many files.";
const QUERIES = [
  "granite",
  "quartz and basalt",
  "chalk flint marble of the cliff",
  "tuff tuff tuff schist",
  "notice at the end",
  "nothing of this stands anywhere zzz",
];

/** Commoner words first, as in any text; lengths differ a lot. */
function passage(file: number, at: number): string {
  const length = 4 + (hash32(`length ${file} ${at}`) % 60);
  const words = Array.from({ length }, (_, place) => {
    const share = (hash32(`${file} ${at} ${place}`) % 1_000) / 1_000;
    return WORDS[Math.floor(share * share * WORDS.length)];
  });
  return `Passage ${file}.${at}: ${words.join(" ")}.`;
}

const passagesOf = (file: number) => [
  passage(file, 0),
  passage(file, 1),
  ...(file % 5 === 0 ? [file % 10 === 0 ? NOTICE : NOTICE.toUpperCase()] : []),
];

const pathOf = (file: number) =>
  `${file % 3 === 0 ? "a" : "b"}/${String(file).padStart(3, "0")}.md`;

const factsAt = (file: number) =>
  factsOf(pathOf(file), { fileId: `file ${String(file).padStart(3, "0")}` as FileId });

/** Indexes equal files in one index object and in four. */
async function both(name: string, files = FILES): Promise<{ single: RagRecord; four: RagRecord }> {
  const { services } = worldWith({});
  const single = await indexedRag(`${name}-one`, {});
  const four = await indexedRag(`${name}-four`, {}, { shards: SHARDS });
  for (let file = 0; file < files; file++) {
    const facts = factsAt(file);
    for (const { id, shards } of [single, four]) {
      const shard = shardOf(facts.fileId, shards);
      const index = services.ragIndexes({ ragId: id, generation: 1, shard });
      await write(index, facts, 1, passagesOf(file));
    }
  }
  return { single, four };
}

async function answer(
  services: RetrievalServices,
  rag: RagRecord,
  { folder, ...more }: Partial<RetrievalRequest> & { folder?: string } = {},
) {
  const selection = folder === undefined ? null : { files: [], folders: [folder] };
  const request = requestOf([rag], { named: selection, queries: QUERIES, topK: 40, ...more });
  const { chunks, degradations } = await retrieve(services, request);
  return {
    degradations,
    lines: chunks.map(
      ({ text, score, source }) => `${score.toFixed(3)} ${source.filePath} ${text}`,
    ),
  };
}

test("four shards answer as one index does: the same chunks, scores and order", async () => {
  const { services } = worldWith({});
  const { single, four } = await both("equal");
  for (const query of QUERIES) {
    for (const more of [{}, { folder: "a" }, { includeDuplicates: true }, { topK: 5 }]) {
      const request = { queries: [query], ...more };
      const expected = await answer(services, single, request);
      expect(expected.degradations).toEqual([]);
      expect({ asked: request, ...(await answer(services, four, request)) }).toEqual({
        asked: request,
        ...expected,
      });
    }
  }
  const inOrder = await answer(services, single, { topK: 10 });
  for (const topK of [1, 3]) {
    const best = await answer(services, single, { topK });
    expect(best.lines).toEqual(inOrder.lines.slice(0, topK));
  }
  const semantic = { searchMode: "semantic" as const };
  // Passages without any similarity tie, so either may be among those that are looked at.
  for (const query of QUERIES.slice(0, 4)) {
    const request = { queries: [query] };
    expect(await answer(services, { ...four, ...semantic }, request)).toEqual(
      await answer(services, { ...single, ...semantic }, request),
    );
  }
  const ofOne = (await answer(services, single, { topK: 10 })).lines;
  const ofFour = (await answer(services, four, { topK: 10 })).lines;
  // How much several queries belong together is judged by the candidates of each shard.
  expect(ofFour.filter((line) => ofOne.includes(line)).length).toBeGreaterThan(6);
});

test("a threshold leaves out exactly the passages whose own score is below it", async () => {
  const relevance = (_query: string, text: string) => (hash32(text) % 1_000) / 1_000;
  const { services } = worldWith({ double: new OpenAiDouble({ relevance }) });
  const { single, four } = await both("threshold", 24);
  const reranker = "local/rerank";
  const askedOf = { one: [single], four: [four], two: [single, { ...four, identifier: "other" }] };
  const settings: [keyof typeof askedOf, Partial<SearchedRag>][] = [
    ["one", {}],
    ["four", {}],
    ["two", {}],
    ["one", { searchMode: "semantic" }],
    ["two", { searchMode: "semantic" }],
    ["one", { searchMode: "keyword" }],
    ["four", { searchMode: "keyword" }],
    ["one", { reranker }],
    ["two", { reranker }],
    ["one", { recencyHalfLifeDays: 9 }],
  ];
  for (const [name, setting] of settings) {
    const rags = askedOf[name].map((rag) => Object.assign({}, rag, setting));
    for (const queries of [QUERIES, ["granite"]]) {
      const search = async (topK: number, similarityThreshold: number | null) => {
        const wish = { queries, topK, similarityThreshold, useReranking: true };
        const { chunks } = await retrieve(services, requestOf(rags, wish));
        return chunks.map(({ text, score }) => ({ text, score }));
      };
      const all = await search(100, null);
      const scores = all.map(({ score }) => score).sort((a, b) => a - b);
      expect(all.length).toBeGreaterThan(10);
      const middle = scores[Math.floor(scores.length / 2)] ?? 0;
      for (const threshold of [0, 0.001, scores[3] ?? 0, middle, scores.at(-1) ?? 0]) {
        const expected = all.filter(({ score }) => score >= threshold);
        const context = { name, setting, queries, threshold };
        expect({ ...context, found: await search(100, threshold) }).toEqual({
          ...context,
          found: expected,
        });
        if ("reranker" in setting) continue;
        expect(await search(3, threshold)).toEqual(expected.slice(0, 3));
      }
    }
  }
});

test("when the original goes, an equal chunk of another shard takes its place at once", async () => {
  const { services } = worldWith({});
  const rag = await indexedRag("succession", {}, { shards: SHARDS });
  const files = ["1.md", "2.md", "3.md"].map((path) => factsOf(path));
  const indexes = files.map((_, shard) =>
    services.ragIndexes({ ragId: rag.id, generation: 1, shard }),
  );
  for (const [at, facts] of files.entries()) {
    const index = indexes[at];
    if (index !== undefined) await write(index, facts, 1, [NOTICE]);
  }
  const findNotices = async () => (await answer(services, rag, { queries: ["notice"] })).lines;
  for (const [at, { path, fileId }] of files.entries()) {
    expect(await findNotices()).toEqual([expect.stringContaining(` ${path} `)]);
    await indexes[at]?.remove([{ fileId, revision: 2 }]);
  }
  expect(await findNotices()).toEqual([]);
});

/** One shard throws at each of its methods. */
function withoutShard(open: RagIndexes, down: number): RagIndexes {
  const dead = new Proxy({} as ReturnType<RagIndexes>, {
    get: () => () => Promise.reject(new Error("gone")),
  });
  return (address) => (address.shard === down ? dead : open(address));
}

test("a shard that is down takes its files with it, and the answer says so", async () => {
  const { services } = worldWith({});
  const { four } = await both("down");
  const whole = await answer(services, four, { topK: 100 });
  const lame = { ...services, ragIndexes: withoutShard(services.ragIndexes, 2) };
  const { lines, degradations } = await answer(lame, four, { topK: 100 });
  expect(degradations).toEqual([expect.stringMatching(/^index part 3 of 4: failed after \d+ ms$/)]);
  expect(lines.length).toBeGreaterThan(whole.lines.length / 2);
  const missing = whole.lines.filter((line) => !lines.includes(line));
  expect(missing.length).toBeGreaterThan(0);
});

/** The answers of a RAG whose vectors are in a vector index of its own. */
async function besideVectorIndex(rag: RagRecord, request: Partial<RetrievalRequest>) {
  const files = Array.from({ length: FILES }, (_, file) => {
    return { facts: factsAt(file), passages: passagesOf(file) };
  });
  const { vectorIndex } = await vectorIndexOf(rag.id, files);
  return await answer({ ...worldWith({}).services, vectorIndex }, rag, request);
}

test("with a vector index, shards answer as one index and show equal texts once", async () => {
  const { single, four } = await both("vectorize");
  for (const query of QUERIES.filter((each) => !each.includes("notice"))) {
    const request = { queries: [query] };
    expect(await besideVectorIndex(four, request)).toEqual(
      await besideVectorIndex(single, request),
    );
  }
  const { lines } = await besideVectorIndex(four, { queries: ["notice"] });
  const notices = lines.filter((line) => /notice/i.test(line));
  expect(notices).toEqual([expect.stringContaining(pathOf(0))]);
});

test("a call searches in the mode that it asks for, whatever the RAG's own is", async () => {
  const files = {
    "word.md": ["The zyxomma is a dragonfly."],
    "like.md": ["Zyxommas, dragonflies of dusk, are like this."],
    "other.md": ["Bicycles are parked behind the hall."],
  };
  const rag = await indexedRag("modes", files);
  const { services } = worldWith({});
  const inMode = async (searchMode: SearchMode, from: RagRecord = rag) => {
    const request = requestOf([applySearchMode(from, { searchMode })], { queries: ["zyxomma"] });
    return (await retrieve(services, request)).chunks;
  };
  const words = await inMode("keyword");
  expect(words.map(({ source }) => source.filePath)).toEqual(["word.md", "like.md"]);
  const query = hashEmbedding("zyxomma", DIMENSIONS);
  const text = hashEmbedding(words[0]?.text ?? "", DIMENSIONS);
  const cosine = query.reduce((sum, value, at) => sum + value * (text[at] ?? 0), 0);
  expect(words[0]?.score).toBeCloseTo(cosine, 3);
  const meaning = await inMode("semantic");
  expect(meaning).toHaveLength(3);
  expect(meaning.map(({ score }) => score)).toEqual(
    meaning.map(({ score }) => score).toSorted((a, b) => b - a),
  );
  expect(await inMode("keyword", { ...rag, searchMode: "semantic" })).toEqual(words);
  expect(await inMode("hybrid", { ...rag, searchMode: "semantic" })).toHaveLength(3);
});
