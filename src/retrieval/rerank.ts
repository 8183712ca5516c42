import { acceptedSize, sendAcceptedBatches } from "../catalog/models/accepted-batches.ts";
import type { ChunkId, RagId } from "../core/ids.ts";
import { toBatches } from "../core/work/batches.ts";
import { mapParallel } from "../core/work/parallel.ts";
import { ModelFailure, rerankedTokens, type Reranker } from "../ports/models.ts";
import type { HydratedChunk, LegScores } from "../ports/rag-index.ts";
import { estimateTokens, type Tokenizer } from "../text/tokens.ts";
import { runLeg, type RetrievalCall } from "./degradations.ts";
import type { SearchPlan } from "./retrieval-request.ts";
import { compareChunks, keepValues, meetsThreshold, similarityOrValue } from "./score-chunks.ts";
import type { ComparesBy, ScoredChunk, ScoredList } from "./score-chunks.ts";

/** Calls under way at once: the platform keeps six connections open at most. */
const CALLS_AT_ONCE = 6;

/** Each RAG's reranker orders its own candidates; where it fails, similarity does. */
export function rerankLists(
  call: RetrievalCall,
  lists: ScoredList[],
  plan: SearchPlan,
): Promise<ScoredList[]> {
  return Promise.all(
    lists.map(async (list): Promise<ScoredList> => {
      const { reranker, id, identifier } = list.findings.target.rag;
      if (reranker === null) return list;
      const part = lists.length === 1 ? "reranker" : `reranker of ${identifier}`;
      const passing = list.chunks.filter((chunk) => meetsThreshold(chunk, plan.threshold));
      const candidates = passing.slice(0, plan.needed);
      if (candidates.length === 0) return { ...list, chunks: [] };
      const by = { part, name: reranker, ragId: id };
      const reply = await rerank(call, by, candidates, plan);
      if (reply === null) {
        const similar = orderByValue(list.chunks, similarityOrValue);
        const chunks = keepValues(list.chunks, similar);
        return { ...list, chunks, comparesBy: { by: "similarity" } };
      }
      const judged = candidates.map((chunk) => {
        return { ...chunk, relevance: reply.relevance.get(chunk.chunk.id) ?? -Infinity };
      });
      const relevant = orderByValue(judged, (chunk) => chunk.relevance);
      const comparesBy: ComparesBy = reply.isAbsolute
        ? { by: "reranker", model: reranker }
        : { by: "values" };
      return { ...list, chunks: keepValues(candidates, relevant), comparesBy };
    }),
  );
}

function orderByValue<Chunk extends ScoredChunk>(
  chunks: Chunk[],
  valueOf: (chunk: Chunk) => number,
): ScoredChunk[] {
  return chunks.map((chunk) => ({ ...chunk, value: valueOf(chunk) })).sort(compareChunks);
}

/** `part` names the leg in degradations. */
type RerankedBy = { part: string; name: string; ragId: RagId };

/**
 * A chunk keeps its best relevance over its queries, or has that to their joined text, if this alone
 * found it; null if the reranker is lost.
 */
async function rerank(
  call: RetrievalCall,
  { part, name, ragId }: RerankedBy,
  candidates: ScoredChunk[],
  { queries, searched }: SearchPlan,
): Promise<{ relevance: Map<ChunkId, number>; isAbsolute: boolean } | null> {
  const { now, models } = call.services;
  const startedAt = now();
  const reranked = await runLeg(call, { part, kind: "reranking", share: 1 }, async (signal) => {
    const reranker = models.reranker(name);
    const batches = searched.flatMap((query, at) => {
      const own = candidates.filter(
        ({ chunk: { scores } }) =>
          isFoundBy(scores[at]) && (at < queries.length || !scores.slice(0, at).some(isFoundBy)),
      );
      return toBatches(own, acceptedSize(name, reranker.batchLimit)).map((batch) => ({
        query,
        batch,
      }));
    });
    const ranked = await mapParallel(batches, CALLS_AT_ONCE, ({ query, batch }) => {
      const send = (some: ScoredChunk[]) => relevanceOf(reranker, query, some, signal);
      return sendAcceptedBatches({ name, send }, batch);
    });
    const replies = ranked.flat();
    return {
      isAbsolute: reranker.isAbsolute,
      relevance: bestOf(replies.flatMap(({ scores }) => scores)),
      tokens: replies.reduce((sum, { tokens }) => sum + tokens, 0),
    };
  });
  call.report.uses.push({
    kind: "reranker",
    model: name,
    ragIds: [ragId],
    calls: 1,
    inputTokens: reranked?.tokens ?? 0,
    latencyMs: now() - startedAt,
    failed: reranked === null,
  });
  return reranked;
}

const isFoundBy = (scores: LegScores | undefined) =>
  scores !== undefined && (scores.lexical !== null || scores.vector !== null);

type Relevance = [ChunkId, number];

async function relevanceOf(
  reranker: Reranker,
  query: string,
  batch: ScoredChunk[],
  signal: AbortSignal,
): Promise<{ scores: Relevance[]; tokens: number }> {
  const values = batch.map(({ chunk }) => textToRerank(chunk));
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
  return { scores, tokens: rerankedTokens(reply) ?? estimatePairTokens(query, values, tokenizer) };
}

/** A reranker reads the query again with every document. */
const estimatePairTokens = (query: string, documents: string[], tokenizer: Tokenizer) =>
  documents.length * estimateTokens(query, tokenizer) +
  estimateTokens(documents.join("\n"), tokenizer);

/** Titles and headings say what a chunk is about: without them rankings get worse. */
function textToRerank({ headings, text }: HydratedChunk): string {
  return [...headings, text].join("\n").toWellFormed();
}

function bestOf(scores: Relevance[]): Map<ChunkId, number> {
  const best = new Map<ChunkId, number>();
  for (const [id, score] of scores) best.set(id, Math.max(best.get(id) ?? score, score));
  return best;
}
