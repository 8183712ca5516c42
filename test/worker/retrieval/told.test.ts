import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { jsonLog } from "../../../src/core/log.ts";
import type { Trace } from "../../../src/core/trace.ts";
import type { RagRecord } from "../../../src/db/records.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { requestOf } from "../../support/retrieval-requests.ts";
import { indexedRag, worldWith } from "../inference/support.ts";

const ON_VECTORIZE = env.TEST_ADAPTERS === "production";

type More = { queries?: string[]; useReranking?: boolean };

const retrieveLogged = async (rag: RagRecord, more: More, double?: OpenAiDouble) => {
  const { services } = worldWith(double === undefined ? {} : { double });
  const lines: Record<string, unknown>[] = [];
  const log = jsonLog((_, line) => lines.push(JSON.parse(line) as Record<string, unknown>));
  const spans: string[] = [];
  const trace: Trace = (name, work) => {
    spans.push(name);
    return work(() => undefined);
  };
  await retrieve({ ...services, log, trace }, requestOf([rag], more));
  return { lines, spans };
};

test("one log line with sizes and leg times, without a word of query or text", async () => {
  const rag = await indexedRag("told", { "a.md": ["The boiler gets its service in spring."] });
  const { lines, spans } = await retrieveLogged(rag, { queries: ["boiler service", "spring"] });
  expect(lines).toEqual([
    {
      level: "info",
      event: "retrieval",
      rags: 1,
      queries: 2,
      topK: 5,
      reranked: false,
      candidates: 1,
      chunks: 1,
      totalMs: expect.any(Number),
      embeddingMs: expect.any(Number),
      searchMs: expect.any(Number),
      ...(ON_VECTORIZE ? { vectorIndexMs: expect.any(Number) } : {}),
      degraded: false,
    },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/boiler|spring/);
  expect(spans).toEqual([
    "retrieval",
    "retrieval embedding",
    ...(ON_VECTORIZE ? ["retrieval vectorIndex"] : []),
    "retrieval search",
  ]);
});

test("a degradation names the leg that was lost", async () => {
  const files = { "a.md": ["The boiler gets its service in spring."] };
  const rag = await indexedRag("told-lost", files, { reranker: "local/rerank" });
  const double = new OpenAiDouble();
  double.fail("rerank", { kind: "status", status: 503 });
  const { lines, spans } = await retrieveLogged(rag, { useReranking: true }, double);
  expect(lines).toEqual([
    expect.objectContaining({
      reranked: true,
      degraded: true,
      rerankingMs: expect.any(Number),
      degradations: expect.stringMatching(/^reranker: 503 after \d+ ms$/),
    }),
  ]);
  expect(spans).toContain("retrieval reranking");
});
