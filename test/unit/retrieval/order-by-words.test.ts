import { expect, test } from "vitest";

import type { ChunkId, FileId } from "../../../src/core/ids.ts";
import { explain } from "../../../src/retrieval/explain.ts";
import { mergeLists } from "../../../src/retrieval/merge-lists.ts";
import { orderByWords } from "../../../src/retrieval/order-by-words.ts";
import { featuresOf, wordsOfPassage } from "../../../src/retrieval/passage-features.ts";
import type { RagFindings } from "../../../src/retrieval/rag-findings.ts";
import { scoreChunks } from "../../../src/retrieval/score-chunks.ts";

type Given = { path: string; text: string; headings?: string[]; bm25: number; fileChunks?: number };
type Setting = { fusionWeight?: number; searchMode?: string; queries?: string[]; rag?: string };

/** One RAG's passages as its words found them; the hashed vectors say nothing. */
function listOf(
  passages: Given[],
  { fusionWeight = 0.1, searchMode = "hybrid", queries = [], rag = "docs" }: Setting,
) {
  const chunks = passages.map(({ path, text, headings = [], bm25, fileChunks = 1 }, at) => {
    const file = {
      fileId: path as FileId,
      path,
      name: path,
      externalId: null,
      url: null,
      modifiedAt: 0,
    };
    const place = { position: 0, languages: "en", page: null, start: 0, end: text.length };
    const id = `${rag}${at}` as ChunkId;
    return {
      id,
      text,
      duplicateKey: id,
      similarities: queries.map(() => 0.1),
      scores: queries.map(() => ({ lexical: bm25, vector: null })),
      file,
      headings,
      fileChunks,
      ...place,
    };
  });
  const lexical = passages.map(({ bm25 }) => bm25).sort((a, b) => b - a);
  const findings = {
    target: { rag: { identifier: rag, searchMode, reranker: null } },
    mode: searchMode,
    embedded: { vectors: [], fusionWeight },
    queries: queries.map(() => ({ lexical, vector: [], equal: 0 })),
    chunks,
  } as unknown as RagFindings;
  return scoreChunks([findings]);
}

async function ordered(passages: Given[], setting: Setting) {
  const plan = { queries: setting.queries ?? [], reranks: false, needed: 10 };
  const [list] = await orderByWords(listOf(passages, setting), plan, async () => true);
  if (list === undefined) throw new Error("a list was expected");
  return list;
}

const FORK_AND_NAMED: Given[] = [
  { path: "obug/README.md", text: "It writes output. Enable it for debug of all.", bm25: 10 },
  { path: "debug/README.md", text: "Enable all debug output with a star.", bm25: 9.6 },
  { path: "curl.txt", text: "Something about output.", bm25: 3 },
];
const QUESTION = ["How do I enable all debug output?"];

const pathsOf = (list: Awaited<ReturnType<typeof ordered>>) =>
  list.chunks.map(({ chunk }) => chunk.file.path);

test("of two that words find alike, the document that the question names goes first", async () => {
  const list = await ordered(FORK_AND_NAMED, { queries: QUESTION });
  expect(pathsOf(list)).toEqual(["debug/README.md", "obug/README.md", "curl.txt"]);
  expect(mergeLists([list]).map(({ value }) => value)).toEqual([1, 0.96, 0.3]);
});

test("where vectors say something, and in other modes, the fusion's order stays", async () => {
  for (const setting of [{ fusionWeight: 0.6 }, { searchMode: "keyword" }]) {
    const list = await ordered(FORK_AND_NAMED, { queries: QUESTION, ...setting });
    expect(pathsOf(list)[0]).toBe("obug/README.md");
    expect(explain(list.chunks, [list])[0]).toMatchObject({ fusedRank: 1 });
  }
});

test("the best of several RAGs trade places as if they were of one", async () => {
  const [fork, namedPassage, otherPassage] = FORK_AND_NAMED.map((passage) => [passage]);
  const lists = [fork, namedPassage, otherPassage].flatMap((passages, at) =>
    listOf(passages ?? [], { queries: QUESTION, rag: `rag-${at}` }),
  );
  // Each is the best of its own RAG, which says nothing; their values compare.
  for (const [at, list] of lists.entries()) {
    for (const chunk of list.chunks) chunk.value = [1, 0.96, 0.3][at] ?? 0;
  }
  const plan = { queries: QUESTION, reranks: false, needed: 10 };
  const [first, ...rest] = mergeLists(await orderByWords(lists, plan, async () => true));
  expect(first?.chunk.file.path).toBe("debug/README.md");
  expect([first, ...rest].map((chunk) => chunk?.value)).toEqual([1, 0.96, 0.3]);
});

test("an explanation tells the fusion's own value and place, and the place by words", async () => {
  const list = await ordered(FORK_AND_NAMED, { queries: QUESTION });
  expect(explain(list.chunks, [list])).toMatchObject([
    { value: 1, fused: 0.96, fusedRank: 2, wordsRank: 1 },
    { value: 0.96, fused: 1, fusedRank: 1, wordsRank: 2 },
    { value: 0.3, fused: 0.3, fusedRank: 3, wordsRank: 3 },
  ]);
});

test("places of equal values keep the order that words gave them", async () => {
  const equal = FORK_AND_NAMED.map((passage) => ({ ...passage, bm25: 10 }));
  const list = await ordered(equal, { queries: QUESTION });
  expect(mergeLists([list]).map(({ chunk }) => chunk.file.path)).toEqual(pathsOf(list));
  const otherList = await ordered([{ path: "a.md", text: "debug", bm25: 1 }], {
    queries: QUESTION,
  });
  const both = mergeLists([list, otherList]).map(({ chunk }) => chunk.file.path);
  expect(both.filter((path) => path !== "a.md")).toEqual(pathsOf(list));
});

test("only the best twenty trade places, and a clearly better one stays first", async () => {
  const many = Array.from({ length: 25 }, (_, at) => {
    return { path: `a${at}.md`, text: at === 24 ? "debug output" : "output", bm25: 30 - at };
  });
  const list = await ordered(many, { queries: ["debug output"] });
  expect(pathsOf(list)[24]).toBe("a24.md");
  const clear = { path: "x.md", text: "Enable all debug output here.", bm25: 40 };
  expect(pathsOf(await ordered([clear, ...FORK_AND_NAMED], { queries: QUESTION }))[0]).toBe("x.md");
});

test("a passage keeps its best over the queries", async () => {
  const queries = ["nothing of this", ...QUESTION];
  expect(pathsOf(await ordered(FORK_AND_NAMED, { queries }))[0]).toBe("debug/README.md");
});

type Looked = { path?: string; headings?: string[]; text?: string; fileChunks?: number };

const lookAt = (query: string, ...passages: Looked[]) =>
  featuresOf(
    query,
    passages.map(({ path = "a.md", headings = [], text = "", fileChunks = 1 }) => {
      const words = wordsOfPassage({ path, headings, text });
      return { path, words, fileChunks, fused: 1, lexical: 1, cosine: 0 };
    }),
  );

test("words of scripts without spaces count as those of others do", () => {
  const [whole, part] = lookAt(
    "東京の天気",
    { path: "天気/東京.md", text: "大阪は雨。\n\n東京の天気は晴れ。" },
    { path: "b.md", text: "東京は大きい。" },
  );
  expect(whole).toMatchObject({ sentence: 1, neighbours: 1, names: 2, lastName: 1, file: 1 });
  expect(part?.sentence).toBeGreaterThan(0);
  expect(part?.sentence).toBeLessThan(1);
});

test("shares are of a sentence, a file's candidates together, names and relatives", () => {
  const [split, longFile, relative] = lookAt(
    "retry failed uploads",
    { path: "docs/RetryAgent.md", text: "It can retry.\n\nSome uploads wait." },
    { path: "docs/RetryAgent.md", text: "What failed is kept.", fileChunks: 8 },
    { path: "c.md", text: "About failure and uploading", headings: ["Retry"] },
  );
  expect(split?.sentence).toBeLessThan(0.5);
  expect([split?.file, longFile?.file]).toEqual([1, 1]);
  expect(split).toMatchObject({ names: 0, lastName: 0.5 });
  expect(longFile?.fileLength).toBeCloseTo(Math.log(8));
  expect([split?.relatives, relative?.relatives]).toEqual([0, 0]);
  const [family] = lookAt("compress a file", { text: "Its compressor." });
  expect(family?.relatives).toBeGreaterThan(0);
});

test("a point in a word ends no sentence, and a no-break space is a space", () => {
  const [adjacent, apart, across] = lookAt(
    "retry agents",
    { text: "retry.agent" },
    { text: "Retry.\u00a0Then the agent" },
    { text: "An agent – of retries" },
  );
  expect(adjacent).toMatchObject({ sentence: 1, neighbours: 1 });
  expect(apart).toMatchObject({ neighbours: 0 });
  expect(apart?.sentence).toBeCloseTo(0.5);
  expect(across).toMatchObject({ sentence: 1, neighbours: 0 });
});

test("empty queries, texts and hostile lengths measure nothing and stay finite", () => {
  for (const query of ["", "???", "the of and", "x ".repeat(20_000)]) {
    const looked = lookAt(query, { text: "", path: "" }, { text: "\n".repeat(50_000), path: "/" });
    for (const features of looked) {
      expect(Object.values(features).every(Number.isFinite)).toBe(true);
    }
  }
});
