import type { ChunkId, RagId } from "../core/ids.ts";
import { inParallel } from "../core/parallel.ts";
import { estimateTokens } from "../text/tokens.ts";
import type { Tokenizer } from "../text/tokens.ts";
import { ModelFailure, rerankedTokens } from "../ports/models.ts";
import type { Reranker } from "../ports/models.ts";
import type { HydratedChunk } from "../ports/rag-index.ts";
import { leg } from "./leg.ts";
import type { Call } from "./leg.ts";
import type { ScoredChunk } from "./select.ts";

/** Calls under way at once: the platform keeps six connections open at most. */
const CALLS_AT_ONCE = 6;

/** Whose candidates, by which model; `what` names the leg for the administrator. */
type RerankedBy = { what: string; name: string; ragId: RagId };

/**
 * Orders one RAG's candidates by relevance: each query scores the candidates that it found, and
 * a chunk keeps its best relevance. Null when the reranker was lost.
 * @param foundBy which queries found a chunk, by their numbers.
 */
export async function rerank(
  call: Call,
  { what, name, ragId }: RerankedBy,
  candidates: ScoredChunk[],
  queries: string[],
  foundBy: (id: ChunkId, query: number) => boolean,
): Promise<ScoredChunk[] | null> {
  const { now, models } = call.services;
  const startedAt = now();
  let inputTokens = 0;
  const relevance = await leg(call, { what, kind: "reranking" }, 1, async (signal) => {
    const reranker = models.reranker(name);
    const batches = queries.flatMap((query, at) =>
      inBatches(
        candidates.filter(({ chunk }) => foundBy(chunk.id, at)),
        reranker.batchLimit,
      ).map((batch) => ({ query, batch })),
    );
    const replies = await inParallel(batches, CALLS_AT_ONCE, ({ query, batch }) =>
      relevanceOf(reranker, query, batch, signal),
    );
    inputTokens = replies.reduce((sum, { tokens }) => sum + tokens, 0);
    return bestOf(replies.flatMap(({ scores }) => scores));
  });
  const how = { calls: 1, inputTokens, latencyMs: now() - startedAt, failed: relevance === null };
  call.uses.push({ kind: "reranker", model: name, ragIds: [ragId], ...how });
  if (relevance === null) return null;
  return candidates.map((candidate) => {
    const value = relevance.get(candidate.chunk.id) ?? Number.NEGATIVE_INFINITY;
    return { ...candidate, value };
  });
}

function inBatches<T>(items: T[], size: number): T[][] {
  const batches: T[][] = [];
  for (let at = 0; at < items.length; at += size) batches.push(items.slice(at, at + size));
  return batches;
}

type Relevance = [ChunkId, number];

async function relevanceOf(
  reranker: Reranker,
  query: string,
  batch: ScoredChunk[],
  signal: AbortSignal,
): Promise<{ scores: Relevance[]; tokens: number }> {
  const values = batch.map(({ chunk }) => rerankedText(chunk));
  const reply = await reranker.model.doRerank({
    documents: { type: "text", values },
    query: query.toWellFormed(),
    topN: values.length,
    abortSignal: signal,
  });
  const scores = reply.ranking.map(({ index, relevanceScore }): Relevance => {
    const scored = batch[index];
    if (scored === undefined || !Number.isFinite(relevanceScore)) {
      throw new ModelFailure("a ranking of what was not sent");
    }
    return [scored.chunk.id, relevanceScore];
  });
  if (new Set(scores.map(([id]) => id)).size < batch.length) {
    throw new ModelFailure("incomplete reply");
  }
  const { tokenizer } = reranker;
  return { scores, tokens: rerankedTokens(reply) ?? estimatedPairs(query, values, tokenizer) };
}

/** A reranker reads the query again with every document. */
const estimatedPairs = (query: string, documents: string[], tokenizer: Tokenizer) =>
  documents.length * estimateTokens(query, tokenizer) +
  estimateTokens(documents.join("\n"), tokenizer);

/** Titles and headings say what a chunk is about: without them rankings get worse. */
function rerankedText({ headings, text }: HydratedChunk): string {
  return [...headings, text].join("\n").toWellFormed();
}

function bestOf(scores: Relevance[]): Map<ChunkId, number> {
  const best = new Map<ChunkId, number>();
  for (const [id, score] of scores) best.set(id, Math.max(best.get(id) ?? score, score));
  return best;
}
