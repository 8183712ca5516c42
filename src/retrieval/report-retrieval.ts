import type { SpanFacts } from "../core/trace.ts";
import type { Call, LegKind } from "./leg.ts";
import type { Found } from "./search-target.ts";
import type { RetrievalRequest, RetrievalResult } from "./types.ts";

const KINDS: readonly LegKind[] = ["embedding", "search", "vectorIndex", "hydration", "reranking"];

/**
 * One log line a retrieval: how large it was, how long each of its legs took (ms, from the first
 * of a kind to start until the last ended; left out where none ran), and what was lost. Neither
 * queries nor texts.
 */
export function retrievalFacts(
  { legs }: Call,
  request: RetrievalRequest,
  found: Found[],
  { chunks, degradations, timings }: RetrievalResult,
): SpanFacts {
  return {
    rags: request.targets.length,
    queries: request.queries.length,
    topK: request.topK,
    reranked: request.useReranking,
    candidates: found.reduce((sum, one) => sum + candidatesOf(one), 0),
    chunks: chunks.length,
    totalMs: timings.contextMs + timings.rerankingMs,
    ...Object.fromEntries(KINDS.flatMap((kind) => timeOf(legs, kind))),
    degraded: degradations.length > 0,
    ...(degradations.length > 0 ? { degradations: degradations.join("; ") } : {}),
  };
}

function candidatesOf({ queries }: Found): number {
  const ids = queries.flatMap(({ lexical, vector }) => [...lexical, ...vector].map(({ id }) => id));
  return new Set(ids).size;
}

function timeOf(legs: Call["legs"], kind: LegKind): [string, number][] {
  const ran = legs.filter((one) => one.kind === kind);
  if (ran.length === 0) return [];
  const from = Math.min(...ran.map((one) => one.from));
  const to = Math.max(...ran.map((one) => one.to));
  return [[`${kind}Ms`, to - from]];
}
