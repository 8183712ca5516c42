import { expect, test } from "vitest";

import { retrieve } from "../../../src/retrieval/retrieve.ts";
import type { RetrievalRequest } from "../../../src/retrieval/retrieval-request.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { indexedRag, worldWith } from "../inference/support.ts";
import type { RagRecord } from "../../../src/db/records.ts";

const rerankedOver = (rags: RagRecord[], query: string): RetrievalRequest => ({
  targets: rags.map((rag) => ({ rag, restriction: { named: null, metadata: [] } })),
  queries: [query],
  topK: 5,
  useReranking: true,
  candidateMultiplier: 2,
  similarityThreshold: null,
  includeDuplicates: false,
});

const texts = (result: { chunks: { text: string }[] }) => result.chunks.map(({ text }) => text);

test("of several RAGs with one reranker the passages are merged by its relevance", async () => {
  const double = new OpenAiDouble({
    relevance: (_, text) => (text.includes("alpha") ? 0.9 : 0.1) + (/good/.test(text) ? 0.05 : 0),
  });
  const { services } = worldWith({ double });
  const reranker = "local/rerank";
  const files = (name: string) => ({ "a.md": [`${name} boiler good`, `${name} boiler poor`] });
  const one = await indexedRag("merge-a", files("beta"), { reranker });
  const two = await indexedRag("merge-b", files("alpha"), { reranker });
  const found = await retrieve(services, rerankedOver([one, two], "boiler service"));
  expect(texts(found)).toEqual([
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
  for (const [name, other, own] of [
    ["none", null, "embedded/lexical"],
    ["another", "local/rerank", "embedded/lexical"],
    ["the-same", "embedded/lexical", "embedded/lexical"],
    ["missing", "embedded/lexical", null],
  ] as const) {
    const one = await indexedRag(`beside-${name}`, beside, { reranker: other });
    const two = await indexedRag(`answering-${name}`, answering, { reranker: own });
    const found = await retrieve(services, rerankedOver([one, two], query));
    expect([name, texts(found)[0]]).toEqual([name, "The boiler service comes in May."]);
    expect(texts(found)).toHaveLength(4);
  }
});
