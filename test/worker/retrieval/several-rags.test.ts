import { expect, test } from "vitest";

import type { RagRecord } from "../../../src/db/records.ts";
import type { RetrievalRequest } from "../../../src/retrieval/retrieval-request.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { applySearchMode } from "../../../src/retrieval/search-mode.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { requestOf } from "../../support/retrieval-requests.ts";
import { indexedRag, worldWith } from "../inference/support.ts";

const rerankedOver = (rags: RagRecord[], query: string) =>
  requestOf(rags, { queries: [query], useReranking: true });

const texts = (result: { chunks: { text: string }[] }) => result.chunks.map(({ text }) => text);

test("of several RAGs with one reranker the passages are merged by its relevance", async () => {
  const double = new OpenAiDouble({
    relevance: (_, text) => (text.includes("alpha") ? 0.9 : 0.1) + (/good/.test(text) ? 0.05 : 0),
  });
  const { services } = worldWith({ double });
  const reranker = "local/rerank";
  const files = (name: string) => ({ "a.md": [`${name} boiler good`, `${name} boiler poor`] });
  const first = await indexedRag("merge-a", files("beta"), { reranker });
  const second = await indexedRag("merge-b", files("alpha"), { reranker });
  const result = await retrieve(services, rerankedOver([first, second], "boiler service"));
  expect(texts(result)).toEqual([
    "alpha boiler good",
    "alpha boiler poor",
    "beta boiler good",
    "beta boiler poor",
  ]);
});

test("a RAG without an answer does not come first because its reranker is another", async () => {
  const double = new OpenAiDouble({ relevance: (_, text) => (text.includes("bread") ? 1 : 0) });
  const { services } = worldWith({ double });
  const beside = { "a.md": ["A house has a door.", "Our bread is baked by the boiler."] };
  const answering = {
    "b.md": ["The boiler service comes in May.", "Ask for the boiler service early."],
  };
  const query = "When does the boiler service come?";
  for (const [name, otherReranker, own] of [
    ["none", null, "embedded/lexical"],
    ["another", "local/rerank", "embedded/lexical"],
    ["the-same", "embedded/lexical", "embedded/lexical"],
    ["missing", "embedded/lexical", null],
  ] as const) {
    const first = await indexedRag(`beside-${name}`, beside, { reranker: otherReranker });
    const second = await indexedRag(`answering-${name}`, answering, { reranker: own });
    const result = await retrieve(services, rerankedOver([first, second], query));
    expect([name, texts(result)[0]]).toEqual([name, "The boiler service comes in May."]);
    expect(texts(result)).toHaveLength(4);
  }
});

const plain = (rags: RagRecord[], query: string): RetrievalRequest => ({
  ...rerankedOver(rags, query),
  useReranking: false,
  topK: 3,
});

const filled = (text: (at: number) => string, count = 20) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}.md`, [text(at)]]));

test("a word that is rare in one RAG and common in all counts as common", async () => {
  const { services } = worldWith({});
  const common = await indexedRag("common", {
    ...filled((at) => `The boiler of house ${at} is warm.`),
    "valve.md": ["Close the valve before you leave the house."],
  });
  const rare = await indexedRag("rare", {
    ...filled((at) => `Loaf ${at} is baked at night.`),
    "oven.md": ["Boiler, boiler, boiler."],
  });
  const targets = [rare, common].map((rag) => ({
    rag: applySearchMode(rag, { searchMode: "keyword" }),
    restriction: { named: null, metadata: [] },
  }));
  const result = await retrieve(services, { ...plain([], "boiler valve"), targets });
  expect(texts(result)[0]).toBe("Close the valve before you leave the house.");
});

test("a RAG that is searched by vectors alone stands on the same scale", async () => {
  const { services } = worldWith({});
  const words = await indexedRag(
    "by-words",
    filled((at) => `Room service brings loaf ${at}.`),
  );
  const answer = "The boiler service comes in May.";
  const vectors = await indexedRag("by-vectors", { "a.md": [answer] }, { searchMode: "semantic" });
  const result = await retrieve(services, plain([words, vectors], "boiler service"));
  expect(texts(result)[0]).toBe(answer);
});
