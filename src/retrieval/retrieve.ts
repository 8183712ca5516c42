import type { ModelUse } from "../core/queue-messages.ts";
import type { SpanFacts } from "../core/trace.ts";
import { Deadline, DeadlineExceeded } from "../core/work/deadline.ts";
import { RetrievalReport, type RetrievalCall, type RetrievalServices } from "./degradations.ts";
import { embedQueries } from "./embed-queries.ts";
import { explain, type Explanation } from "./explain.ts";
import { leaveOutUnrelated } from "./leave-out-unrelated.ts";
import { mergeEqualTexts, mergeLists } from "./merge-lists.ts";
import { orderByRecency } from "./order-by-recency.ts";
import { orderByWords } from "./order-by-words.ts";
import type { RagFindings } from "./rag-findings.ts";
import { rerankLists } from "./rerank.ts";
import { planSearch, type RetrievalRequest, type SearchPlan } from "./retrieval-request.ts";
import { toRetrievedChunk, meetsThreshold, scoreChunks } from "./score-chunks.ts";
import type { RetrievedChunk, ScoredChunk, ScoredList } from "./score-chunks.ts";
import { searchRag } from "./search-rag.ts";

export type RetrievalResult = {
  chunks: RetrievedChunk[];
  /** Losses, one plain sentence each (`reranker: 503 after 812 ms`); empty: none. */
  degradations: string[];
  /** Calls of embedding models and rerankers, for the record. */
  uses: ModelUse[];
  timings: { contextMs: number; rerankingMs: number };
  /** `embeddingMs`, `searchMs`, …: milliseconds of each kind of leg that ran. */
  legs: Record<string, number>;
  /** Why each chunk stands where it does, in their order; only when asked for. */
  explanations?: Explanation[];
};

/** Within `RETRIEVAL_TIMEOUT_MS`; a failed or slow part is named in `degradations`, not thrown. */
export function retrieve(
  services: RetrievalServices,
  request: RetrievalRequest,
  options: { signal?: AbortSignal | undefined; explain?: boolean } = {},
): Promise<RetrievalResult> {
  return services.trace("retrieval", async (note) => {
    const { now, config } = services;
    const deadline = new Deadline(now, config.RETRIEVAL_TIMEOUT_MS, options.signal);
    const call = { services, deadline, report: new RetrievalReport() };
    const explains = options.explain === true;
    const plan = planSearch(request, explains);
    const ranking = await searchInTurn(call, plan, request.topK);
    const { findings, best, scored, ...timed } = ranking;
    const result: RetrievalResult = {
      chunks: best.map(toRetrievedChunk),
      degradations: call.report.degradations,
      // Abandoned legs may still record theirs.
      uses: [...call.report.uses],
      ...timed,
      legs: call.report.legTimes(),
      ...(explains ? { explanations: explain(best, scored) } : {}),
    };
    const facts = { ...sizesOf(request, plan, findings, result), ...result.legs };
    services.log.info("retrieval", facts);
    services.log.note?.({ legs: result.legs });
    note(
      Object.fromEntries(Object.entries(facts).map(([name, fact]) => [`retrieval.${name}`, fact])),
    );
    return result;
  });
}

type Ranking = Pick<RetrievalResult, "timings"> & {
  findings: RagFindings[];
  /** The lists before reranking, and what is answered of them. */
  scored: ScoredList[];
  best: ScoredChunk[];
};

/** Queries, times the chunks that are reranked of each in hundreds, and RAGs; a question is 1. */
const LONG_SEARCH = 4;
/** A query with so many characters counts as one more. */
const LONG_QUERY_CHARACTERS = 2_000;

function isLong({ queries, targets, reranks, needed }: SearchPlan): boolean {
  const size = queries.reduce((sum, { length }) => sum + 1 + length / LONG_QUERY_CHARACTERS, 0);
  return size * targets.length * (reranks ? Math.max(1, needed / 100) : 1) > LONG_SEARCH;
}

const NOTHING: Ranking = {
  findings: [],
  scored: [],
  best: [],
  timings: { contextMs: 0, rerankingMs: 0 },
};

/** A long search waits for its caller's others. @throws QuarryError `busy` */
async function searchInTurn(call: RetrievalCall, plan: SearchPlan, topK: number): Promise<Ranking> {
  if (!isLong(plan)) return await searchAndRank(call, plan, topK);
  const { caller, searches } = call.services.turns;
  let end: () => void;
  try {
    end = await call.deadline.run("search", (signal) => searches.begin(caller, signal));
  } catch (thrown) {
    if (!(thrown instanceof DeadlineExceeded)) throw thrown;
    const reason = "the time was over before this caller's other searches had ended";
    call.report.addDegradation("search", `search: ${reason}`);
    return NOTHING;
  }
  try {
    return await searchAndRank(call, plan, topK);
  } finally {
    end();
  }
}

async function searchAndRank(call: RetrievalCall, plan: SearchPlan, topK: number) {
  const { now } = call.services;
  const startedAt = now();
  const targets = embedQueries(call, plan);
  const findings = await Promise.all(targets.map((target) => searchRag(call, target, plan)));
  const pause = async () => {
    await call.services.turns.pass();
    if (call.deadline.remainingMs > 0) return true;
    call.report.addDegradation(
      "order",
      "order: the time was over before words had ordered the passages",
    );
    return false;
  };
  const scored = await orderByWords(scoreChunks(findings), plan, pause);
  const rerankingStartedAt = now();
  const ranked = plan.reranks ? await rerankLists(call, scored, plan) : scored;
  const rerankingMs = plan.reranks ? now() - rerankingStartedAt : 0;
  const aged = orderByRecency(ranked, now());
  const related = leaveOutUnrelated(mergeLists(aged), findings, plan.queries);
  const merged = plan.includeDuplicates ? related : mergeEqualTexts(related);
  const passing = merged.filter((chunk) => meetsThreshold(chunk, plan.threshold));
  const best = passing.slice(0, topK);
  const timings = { contextMs: now() - startedAt - rerankingMs, rerankingMs };
  return { findings, scored, best, timings };
}

/** For the log: how large the retrieval was, its time and degradations; no query and no text. */
function sizesOf(
  request: RetrievalRequest,
  plan: SearchPlan,
  findings: RagFindings[],
  { chunks, degradations, timings }: RetrievalResult,
): SpanFacts {
  return {
    rags: request.targets.length,
    queries: request.queries.length,
    topK: request.topK,
    reranked: plan.reranks,
    candidates: findings.reduce((sum, { candidates }) => sum + candidates, 0),
    chunks: chunks.length,
    totalMs: timings.contextMs + timings.rerankingMs,
    degraded: degradations.length > 0,
    ...(degradations.length > 0 ? { degradations: degradations.join("; ") } : {}),
  };
}
