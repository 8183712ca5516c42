import { keepQueries } from "../catalog/usage/keep-queries.ts";
import { sendRetrievalUsage } from "../catalog/usage/send-usage.ts";
import type { RagRecord } from "../db/records.ts";
import type { Caller } from "../http/caller.ts";
import type { FileCondition } from "../ports/file-condition.ts";
import { retrieve, type RetrievalResult } from "../retrieval/retrieve.ts";
import type { Services } from "../services.ts";
import { restrictionBy } from "./restriction.ts";

export type Search = {
  rags: RagRecord[];
  queries: string[];
  /** 1 to 100. */
  topK: number;
  /** Least similarity, 0 to 1. */
  threshold?: number | undefined;
  /** Absent: every file. */
  condition?: FileCondition | undefined;
  /** Default: each RAG's reranker orders what was found, where it has one. */
  reranks?: boolean;
  caller: Caller;
  signal: AbortSignal;
};

/** Candidates for each result that a reranker sees; these APIs have no field for it. */
const CANDIDATE_MULTIPLIER = 4;

/** One retrieval, whose usage is recorded as that of our own API. */
export async function search(services: Services, asked: Search): Promise<RetrievalResult> {
  const { rags, queries, topK, threshold = null, condition, reranks = true } = asked;
  const { caller, signal } = asked;
  const restriction = restrictionBy(condition);
  const found = await retrieve(
    services,
    {
      targets: rags.map((rag) => ({ rag, restriction })),
      queries,
      topK,
      useReranking: reranks,
      candidateMultiplier: CANDIDATE_MULTIPLIER,
      similarityThreshold: threshold,
      includeDuplicates: false,
    },
    { signal },
  );
  const by = { ragIds: rags.map(({ id }) => id), tokenId: caller.tokenId };
  sendRetrievalUsage(services, by, found);
  keepQueries(services, { rags, queries, tokenId: caller.tokenId }, found);
  return found;
}
