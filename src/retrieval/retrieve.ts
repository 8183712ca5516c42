import { Deadline } from "../core/work/deadline.ts";
import type { SpanFacts } from "../core/trace.ts";
import { embedQueries } from "./embed-queries.ts";
import type { EmbeddedTarget } from "./embed-queries.ts";
import { searchExactly } from "./exact-search.ts";
import { idsOf, scaleOf } from "./fuse.ts";
import { mergeLists } from "./merge-lists.ts";
import type { Found, RagSearch } from "./rag-search.ts";
import { rerankLists } from "./rerank.ts";
import { RetrievalReport } from "./retrieval-report.ts";
import type { RetrievalCall, RetrievalServices } from "./run-leg.ts";
import { scoreChunks } from "./scored-chunk.ts";
import type { ScoredChunk, ScoredList } from "./scored-chunk.ts";
import { planSearch } from "./search-plan.ts";
import type { SearchPlan } from "./search-plan.ts";
import type {
  RetrievalRequest,
  RetrievalResult,
  RetrievalTarget,
  RetrievedChunk,
} from "./types.ts";
import { searchVectorIndex } from "./vector-index-search.ts";

/**
 * Searches RAGs for the passages that answer the queries, within `RETRIEVAL_TIMEOUT_MS`. Never
 * throws for a failed or slow part: `degradations` says what is missing from the answer.
 */
export function retrieve(
  services: RetrievalServices,
  asked: RetrievalRequest,
  options: { signal?: AbortSignal } = {},
): Promise<RetrievalResult> {
  return services.trace("retrieval", async (note) => {
    const { now, config } = services;
    const deadline = new Deadline(now, config.RETRIEVAL_TIMEOUT_MS, options.signal);
    const call = { services, deadline, report: new RetrievalReport() };
    const { result, facts } = await run(call, withoutIdleReranking(asked));
    services.log.info("retrieval", facts);
    note(Object.fromEntries(Object.entries(facts).map(([name, is]) => [`retrieval.${name}`, is])));
    return result;
  });
}

async function run(
  call: RetrievalCall,
  request: RetrievalRequest,
): Promise<{ result: RetrievalResult; facts: SpanFacts }> {
  const { now } = call.services;
  const startedAt = now();
  const plan = planSearch(request);
  const embedding = embedQueries(call, request.targets.filter(showsAnything), plan.queries);
  const searches = await Promise.all(embedding.map((target) => searchRag(call, target, plan)));
  const scored = await readBest(searches, plan);
  const rerankingStartedAt = now();
  const ranked = request.useReranking ? await rerankLists(call, scored, plan) : scored;
  const rerankingMs = request.useReranking ? now() - rerankingStartedAt : 0;
  const chunks = mergeLists(ranked, request.includeDuplicates).slice(0, request.topK);

  const result = {
    chunks: chunks.map(asRetrieved),
    degradations: call.report.degradations,
    uses: call.report.uses,
    timings: { contextMs: now() - startedAt - rerankingMs, rerankingMs },
  };
  const found = searches.map((search) => search.found);
  return { result, facts: factsOf(request, found, result, call.report) };
}

/** Where no RAG has a reranker, asking for reranking changes neither order nor candidates. */
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

/** Runs the legs of one RAG, as the location of its vectors requires. */
function searchRag(
  call: RetrievalCall,
  target: EmbeddedTarget,
  plan: SearchPlan,
): Promise<RagSearch> {
  const { vectorIndex } = call.services;
  return vectorIndex === null
    ? searchExactly(call, target, plan)
    : searchVectorIndex(call, vectorIndex, target, plan);
}

/** Fuses the legs, on one scale for all RAGs, and reads and scores the best of each. */
function readBest(searches: RagSearch[], plan: SearchPlan): Promise<ScoredList[]> {
  const scales = plan.queries.map((_, at) =>
    scaleOf(searches.map(({ found }) => found.queries[at] ?? { lexical: [], vector: [] })),
  );
  return Promise.all(
    searches.map(async ({ read }) => scoreChunks(await read(scales), plan.threshold)),
  );
}

function asRetrieved({ chunk, score, ragIdentifier }: ScoredChunk): RetrievedChunk {
  const { file, position, page, headings, start, end } = chunk;
  const { path: filePath, name, externalId, url } = file;
  const place = { position, page, headings, start, end };
  const source = { ragIdentifier, filePath, name, externalId, url, ...place };
  return { text: chunk.text, score, source };
}

/** For the log: how large the retrieval was, its times and degradations; no query and no text. */
function factsOf(
  request: RetrievalRequest,
  found: Found[],
  { chunks, degradations, timings }: RetrievalResult,
  report: RetrievalReport,
): SpanFacts {
  const candidatesOf = ({ queries }: Found) =>
    new Set(queries.flatMap((legs) => [...idsOf(legs)])).size;
  return {
    rags: request.targets.length,
    queries: request.queries.length,
    topK: request.topK,
    reranked: request.useReranking,
    candidates: found.reduce((sum, one) => sum + candidatesOf(one), 0),
    chunks: chunks.length,
    totalMs: timings.contextMs + timings.rerankingMs,
    ...report.legTimes(),
    degraded: degradations.length > 0,
    ...(degradations.length > 0 ? { degradations: degradations.join("; ") } : {}),
  };
}
