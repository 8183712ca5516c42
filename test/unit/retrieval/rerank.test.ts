import { expect, test } from "vitest";

import { runUntraced } from "../../../src/core/trace.ts";
import { Deadline } from "../../../src/core/work/deadline.ts";
import { RetrievalReport, type RetrievalCall } from "../../../src/retrieval/degradations.ts";
import { rerankLists } from "../../../src/retrieval/rerank.ts";
import type { SearchPlan } from "../../../src/retrieval/retrieval-request.ts";
import type { ScoredList } from "../../../src/retrieval/score-chunks.ts";

test("a passage that only the joined queries found is reranked by them", async () => {
  const calls: string[] = [];
  const doRerank = ({ query, documents }: { query: string; documents: { values: string[] } }) => {
    calls.push(`${query}: ${documents.values.join()}`);
    const ranking = documents.values.map((_, index) => ({ index, relevanceScore: 0.5 }));
    return Promise.resolve({ ranking });
  };
  const reranker = { model: { doRerank }, batchLimit: 10, tokenizer: "unknown", isAbsolute: true };
  const services = { now: () => 0, trace: runUntraced, models: { reranker: () => reranker } };
  const deadline = new Deadline(() => 0, 1_000);
  const call = { services, deadline, report: new RetrievalReport() } as unknown as RetrievalCall;
  const passage = (id: string, foundBy: number) => {
    const scores = [0, 1, 2].map((at) => ({ lexical: at === foundBy ? 1 : null, vector: null }));
    const file = { path: id };
    return { chunk: { id, text: id, headings: [], scores, file, position: 0 }, score: 0, value: 1 };
  };
  const rag = { reranker: "local/rerank", id: "r", identifier: "r" };
  const chunks = [passage("both", 2), passage("first", 0)];
  const lists = [{ findings: { target: { rag } }, chunks }] as unknown as ScoredList[];
  const queries = ["leave", "pay"];
  const plan = { queries, searched: [...queries, "leave pay"], threshold: null, needed: 2 };
  const [list] = await rerankLists(call, lists, plan as unknown as SearchPlan);
  expect(list?.chunks.map(({ relevance }) => relevance)).toEqual([0.5, 0.5]);
  expect(calls).toEqual(["leave: first", "leave pay: both"]);
});
