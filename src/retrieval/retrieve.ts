import { Deadline } from "../core/deadline.ts";
import type { SpanFacts } from "../core/trace.ts";
import type { ChunkId } from "../core/ids.ts";
import { embedQueries } from "./embed-queries.ts";
import { scaleOf } from "./fuse.ts";
import type { Scale } from "./fuse.ts";
import type { Call, RetrievalServices } from "./leg.ts";
import { readCandidates } from "./read-candidates.ts";
import { retrievalFacts } from "./report-retrieval.ts";
import { rerank } from "./rerank.ts";
import { searchTarget } from "./search-target.ts";
import type { Found, SearchPlan } from "./search-target.ts";
import {
  inOrder,
  mergeByReciprocalRank,
  mergeEqualTexts,
  passesThreshold,
  similarityOf,
} from "./select.ts";
import type { ScoredChunk } from "./select.ts";
import type {
  RetrievalRequest,
  RetrievalResult,
  RetrievalTarget,
  RetrievedChunk,
} from "./types.ts";

/**
 * Candidates a leg gives at least. Scores are normalised over them, so that one number for every
 * topK without reranking keeps the first results the same whatever topK is.
 */
const LEAST_CANDIDATES = 100;
/** Of a longer query the rest is not searched; models cut earlier still. */
const QUERY_LIMIT = 16_384;

/**
 * Searches RAGs for the passages that answer the queries, within `RETRIEVAL_TIMEOUT_MS`.
 * Never throws for what is down or slow: `degradations` says what is missing from the answer.
 */
export function retrieve(
  services: RetrievalServices,
  asked: RetrievalRequest,
  options: { signal?: AbortSignal } = {},
): Promise<RetrievalResult> {
  return services.trace("retrieval", async (note) => {
    const { result, facts } = await run(services, asked, options);
    services.log.info("retrieval", facts);
    note(Object.fromEntries(Object.entries(facts).map(([name, is]) => [`retrieval.${name}`, is])));
    return result;
  });
}

async function run(
  services: RetrievalServices,
  asked: RetrievalRequest,
  options: { signal?: AbortSignal },
): Promise<{ result: RetrievalResult; facts: SpanFacts }> {
  const request = withoutIdleReranking(asked);
  const { now, config } = services;
  const startedAt = now();
  const deadline = new Deadline(now, config.RETRIEVAL_TIMEOUT_MS, options.signal);
  const call: Call = { services, deadline, degradations: new Set(), uses: [], legs: [] };
  const targets = request.targets.filter(showsAnything);
  const plan = planOf(request);

  const embedded = embedQueries(call, targets, plan.queries);
  const found = await Promise.all(
    targets.map((target) => searchTarget(call, target, embedded(target), plan)),
  );
  const ordered = await orderCandidates(call, found, request, plan);
  const rerankingStartedAt = now();
  const lists = await rerankLists(call, ordered, request, plan);
  const rerankingMs = request.useReranking ? now() - rerankingStartedAt : 0;
  const merged = mergeLists(lists, request.includeDuplicates);

  const result = {
    chunks: merged.slice(0, request.topK).map(asRetrieved),
    degradations: [...call.degradations],
    uses: call.uses,
    timings: { contextMs: now() - startedAt - rerankingMs, rerankingMs },
  };
  return { result, facts: retrievalFacts(call, request, found, result) };
}

/** Where no RAG has a reranker, asking for one changes nothing: neither order nor candidates. */
function withoutIdleReranking(asked: RetrievalRequest): RetrievalRequest {
  const { useReranking, targets } = asked;
  return {
    ...asked,
    useReranking: useReranking && targets.some(({ rag }) => rag.reranker !== null),
  };
}

/** A call that names nothing of a RAG finds nothing in it. */
function showsAnything({ restriction: { named } }: RetrievalTarget): boolean {
  return named === null || named.files.length + named.folders.length > 0;
}

function planOf(request: RetrievalRequest): SearchPlan {
  return {
    queries: request.queries.map((query) => query.slice(0, QUERY_LIMIT).toWellFormed()),
    includeDuplicates: request.includeDuplicates,
    limitPerLeg: Math.max(LEAST_CANDIDATES, neededOf(request)),
  };
}

const neededOf = ({ topK, useReranking, candidateMultiplier }: RetrievalRequest) =>
  useReranking ? topK * candidateMultiplier : topK;

/** One RAG's candidates in its own order, and what the order's values are. */
type List = {
  found: Found;
  chunks: ScoredChunk[];
  order: "fused" | "similarity" | "relevance";
};

/** Fuse, choose, hydrate, threshold: each RAG's candidates with their scores, in order. */
function orderCandidates(
  call: Call,
  found: Found[],
  request: RetrievalRequest,
  plan: SearchPlan,
): Promise<List[]> {
  const scales = plan.queries.map((_, at): Scale =>
    scaleOf(found.map(({ queries }) => queries[at] ?? { lexical: [], vector: [] })),
  );
  const threshold = request.similarityThreshold;
  return Promise.all(
    found.map(async (one): Promise<List> => {
      const { rag } = one.target;
      const wish = { scales, needed: neededOf(request), threshold };
      const read = await readCandidates(call, one, plan, wish);
      const chunks = read.chunks.map((chunk): ScoredChunk => {
        const similarity = similarityOf(chunk);
        const scored = similarity !== null;
        const exact = rag.searchMode === "semantic" && scored;
        const value = exact ? similarity : (read.values.get(chunk.id) ?? 0);
        return { ragIdentifier: rag.identifier, chunk, score: similarity ?? 0, scored, value };
      });
      const passing = chunks.filter((chunk) => passesThreshold(chunk, threshold));
      return { found: read.found, chunks: passing.sort(inOrder), order: "fused" };
    }),
  );
}

/** Each RAG's reranker orders its own candidates; a lost one leaves the similarity order. */
function rerankLists(
  call: Call,
  lists: List[],
  request: RetrievalRequest,
  plan: SearchPlan,
): Promise<List[]> {
  if (!request.useReranking) return Promise.resolve(lists);
  return Promise.all(
    lists.map(async (list): Promise<List> => {
      const { rag } = list.found.target;
      if (rag.reranker === null || list.chunks.length === 0) return list;
      const candidates = list.chunks.slice(0, neededOf(request));
      const what = lists.length === 1 ? "reranker" : `reranker of ${rag.identifier}`;
      const by = { what, name: rag.reranker, ragId: rag.id };
      const ranked = await rerank(call, by, candidates, plan.queries, finders(list.found));
      if (ranked !== null) return { ...list, chunks: ranked.sort(inOrder), order: "relevance" };
      const bySimilarity = list.chunks.map((chunk) =>
        chunk.scored ? { ...chunk, value: chunk.score } : chunk,
      );
      return { ...list, chunks: bySimilarity.sort(inOrder), order: "similarity" };
    }),
  );
}

/** Which queries found which chunk, for the reranker to score only those pairs. */
function finders({ queries }: Found): (id: ChunkId, query: number) => boolean {
  const ids = queries.map(
    ({ lexical, vector }) => new Set([...lexical, ...vector].map(({ id }) => id)),
  );
  return (id, query) => ids[query]?.has(id) ?? false;
}

/** One list from all RAGs; values of different kinds are merged by their ranks. */
function mergeLists(lists: List[], includeDuplicates: boolean): ScoredChunk[] {
  const [first, ...others] = lists;
  if (first === undefined) return [];
  const all = lists.map(({ chunks }) => chunks);
  const merged =
    others.length === 0 || lists.every((list) => comparable(list, first))
      ? all.flat().sort(inOrder)
      : mergeByReciprocalRank(all);
  return includeDuplicates ? merged : mergeEqualTexts(merged);
}

function comparable(one: List, other: List): boolean {
  const a = one.found.target.rag;
  const b = other.found.target.rag;
  return (
    one.order !== "relevance" &&
    one.order === other.order &&
    a.embeddingModel === b.embeddingModel &&
    a.dimensions === b.dimensions &&
    a.searchMode === b.searchMode
  );
}

function asRetrieved({ chunk, score, ragIdentifier }: ScoredChunk): RetrievedChunk {
  const { file, position, page, headings, start, end } = chunk;
  const { path: filePath, name, externalId, url } = file;
  const place = { position, page, headings, start, end };
  const source = { ragIdentifier, filePath, name, externalId, url, ...place };
  return { text: chunk.text, score, source };
}
