import { expect, test } from "vitest";

import type { ReadWanted, SearchReply, SearchRequest } from "../../../src/ports/rag-index.ts";
import { Deadline } from "../../../src/core/work/deadline.ts";
import { untraced } from "../../../src/core/trace.ts";
import { RetrievalReport, type RetrievalCall } from "../../../src/retrieval/degradations.ts";
import { embeddedSearch } from "../../../src/retrieval/embedded-search.ts";
import type { EmbeddedQueries } from "../../../src/retrieval/embed-queries.ts";
import type { RetrievalTarget, SearchPlan } from "../../../src/retrieval/retrieval-request.ts";
import type { SearchMode } from "../../../src/retrieval/search-mode.ts";
import { ragRecord } from "../../support/rag-record.ts";

const now = () => 0;
const NOTHING_FOUND = {
  queries: [{ lexical: [], vector: [] }],
  plan: { kind: "none" },
  hasInFlight: false,
  chunks: [],
} as unknown as SearchReply;

/** A search whose embedding model answers when it is told to; `asked`: of the index object. */
function searchBy(
  searchMode: SearchMode,
  rags = 1,
  asks: Partial<SearchPlan> = {},
  reranker: string | null = null,
) {
  const asked: SearchRequest[] = [];
  const readAtOnce: ReadWanted[] = [];
  const search = async (request: SearchRequest) => {
    asked.push(request);
    if (request.read === undefined) return NOTHING_FOUND;
    readAtOnce.push(request.read);
    return { ...NOTHING_FOUND, best: { values: [], candidateCount: 0, finds: [] } };
  };
  const index = { search };
  const services = { now, trace: untraced, ragIndexes: () => index };
  const call = {
    services,
    deadline: new Deadline(now, 60_000),
    report: new RetrievalReport(),
  } as unknown as RetrievalCall;
  const rag = { ...ragRecord("rag", {}), searchMode, reranker };
  const target = { rag, restriction: { named: null, metadata: [] } } as unknown as RetrievalTarget;
  const plan: SearchPlan = {
    targets: Array.from({ length: rags }, () => target),
    queries: ["otters"],
    includeDuplicates: false,
    limitPerLeg: 100,
    reranks: false,
    explains: false,
    needed: 5,
    threshold: null,
    ...asks,
  };
  const embedding = Promise.withResolvers<EmbeddedQueries | null>();
  const found = embeddedSearch.find(call, { target, embedded: embedding.promise }, plan);
  return { asked, readAtOnce, embedding, found };
}

const EMBEDDED = { vectors: [new Float32Array([1, 0])], fusionWeight: 1 };

test("a keyword search looks for words while the model still embeds", async () => {
  const { asked, embedding, found } = searchBy("keyword");
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toMatchObject([{ lexical: true, queries: [{ text: "otters", vector: null }] }]);
  embedding.resolve(EMBEDDED);
  expect(await found).toMatchObject({ embedded: EMBEDDED, mode: "keyword" });
  expect(asked).toHaveLength(1);
});

test("other searches wait for the vectors, and do with words where there are none", async () => {
  const { asked, embedding, found } = searchBy("semantic");
  embedding.resolve(EMBEDDED);
  await found;
  expect(asked).toMatchObject([{ lexical: false, queries: [{ vector: EMBEDDED.vectors[0] }] }]);
  const lost = searchBy("semantic");
  lost.embedding.resolve(null);
  await lost.found;
  expect(lost.asked).toMatchObject([{ lexical: true, queries: [{ vector: null }] }]);
});

test("the best are read at once only where nothing else is compared with them", async () => {
  const alone = searchBy("hybrid");
  alone.embedding.resolve(EMBEDDED);
  expect(await alone.found).toMatchObject({ best: { chunks: [] } });
  const rule = { mode: "hybrid", weight: EMBEDDED.fusionWeight };
  const asked = { kind: "best", rule, needed: 50, threshold: null, withVectors: true };
  expect(alone.readAtOnce).toEqual([{ ...asked, withCandidates: false, withFinds: false }]);
  for (const asks of [{ reranks: true }, { explains: true }]) {
    const telling = searchBy("hybrid", 1, asks);
    telling.embedding.resolve(EMBEDDED);
    await telling.found;
    expect(telling.readAtOnce).toEqual([{ ...asked, withCandidates: true, withFinds: false }]);
  }
  const reranked = searchBy("hybrid", 1, { reranks: true }, "some");
  reranked.embedding.resolve(EMBEDDED);
  await reranked.found;
  expect(reranked.readAtOnce).toMatchObject([{ needed: 5, withVectors: false }]);
  const two = searchBy("hybrid", 2);
  two.embedding.resolve(EMBEDDED);
  expect(await two.found).not.toHaveProperty("best");
  expect(two.asked).toHaveLength(1);
  expect(two.readAtOnce).toEqual([]);
});
