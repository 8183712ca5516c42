import { fuse, fusionOf, combineValues, type LegLists } from "../rag-index/search/fuse.ts";
import { meanRelation } from "./merge-shards.ts";
import { modelOf } from "./rag-findings.ts";
import {
  compareChunks,
  NO_LEGS,
  scaleAmong,
  type ScoredChunk,
  type ScoredList,
  similarityOrValue,
} from "./score-chunks.ts";

/**
 * One list from all RAGs: by relevance where one reranker judged all, by similarity where none
 * could, else by the values of the fusion. A rank alone would put the best of a RAG that has no
 * answer before the second best of one that has.
 */
export function mergeLists(scoredLists: ScoredList[]): ScoredChunk[] {
  const lists = scoredLists.filter(({ chunks }) => chunks.length > 0);
  const [first] = lists;
  if (first === undefined) return [];
  if (lists.length === 1) return first.chunks;
  const all = lists.map(({ chunks }) => chunks);
  const isOfOneModel = lists.every(({ findings }) => modelOf(findings) === modelOf(first.findings));
  if (lists.every((list) => isOnSameScale(list, first, isOfOneModel))) {
    return mergeByHeads(all.map((chunks) => chunks.map(valueByJudgement)));
  }
  const isOfOneMode = lists.every(({ findings }) => findings.mode === first.findings.mode);
  return mergeByHeads(isOfOneModel && isOfOneMode ? all : rescaleLists(lists));
}

/** Similarities compare only among lists of one embedding model. */
function isOnSameScale(list: ScoredList, first: ScoredList, isOfOneModel: boolean): boolean {
  const [scale, firstScale] = [list.comparesBy, first.comparesBy];
  if (scale.by === "reranker")
    return firstScale.by === "reranker" && scale.model === firstScale.model;
  return scale.by === "similarity" && firstScale.by === "similarity" && isOfOneModel;
}

/** Multiplied with a weight below 1, a relevance below 0 would rise. */
function valueByJudgement(chunk: ScoredChunk): ScoredChunk {
  const { relevance, recency = 1 } = chunk;
  const judged = relevance ?? similarityOrValue(chunk);
  return { ...chunk, value: judged < 0 ? judged / recency : judged * recency };
}

/** Lists in order, merged by their values: equal values of one list keep its order. */
function mergeByHeads(lists: ScoredChunk[][]): ScoredChunk[] {
  const [first = [], ...rest] = lists;
  return rest.reduce(mergeTwo, first);
}

function mergeTwo(a: ScoredChunk[], b: ScoredChunk[]): ScoredChunk[] {
  const merged: ScoredChunk[] = [];
  let at = 0;
  for (const chunk of a) {
    for (let next = b[at]; next !== undefined && compareChunks(next, chunk) < 0; next = b[at]) {
      merged.push(next);
      at += 1;
    }
    merged.push(chunk);
  }
  return [...merged, ...b.slice(at)];
}

/** Keeps the first of equal texts; it takes the best score among them. */
export function mergeEqualTexts(ordered: ScoredChunk[]): ScoredChunk[] {
  const byText = new Map<string, ScoredChunk>();
  for (const chunk of ordered) {
    const key = chunk.chunk.duplicateKey;
    const first = byText.get(key);
    if (first === undefined) byText.set(key, chunk);
    else if (chunk.scored && chunk.score > first.score) {
      byText.set(key, { ...first, score: chunk.score, scored: true });
    }
  }
  return [...byText.values()];
}

/**
 * Lists of RAGs that are searched in different modes, or with different models, on one scale: words
 * of all that was read are counted as one index would score them, also where a RAG was searched by
 * vectors alone. Similarities compare among lists of one model. Each list keeps its order.
 */
function rescaleLists(lists: ScoredList[]): ScoredChunk[][] {
  const legs = lists.map(({ chunks, findings: { queries } }) =>
    queries.map((_, at): LegLists => ({
      lexical: chunks.map(({ words }) => words[at] ?? 0).sort((a, b) => b - a),
      vector: chunks.flatMap(({ chunk }) => chunk.similarities[at] ?? []).sort((a, b) => b - a),
    })),
  );
  const relation = meanRelation(lists.map(({ findings }) => findings));
  return lists.map(({ chunks, findings }, place) => {
    const fusions = findings.queries.map((_, at) => {
      const all = lists.map((list, n) => ({
        findings: list.findings,
        legs: legs[n]?.[at] ?? NO_LEGS,
      }));
      const scale = scaleAmong(all, findings);
      const rule = { mode: "hybrid", weight: findings.embedded?.fusionWeight ?? 0 } as const;
      return fusionOf(legs[place]?.[at] ?? NO_LEGS, rule, scale);
    });
    const valueOf = ({ words, chunk }: ScoredChunk) =>
      combineValues(
        fusions.map((fusion, at) => {
          const vector = chunk.similarities[at] ?? null;
          return fuse({ lexical: words[at] ?? 0, vector }, fusion) ?? 0;
        }),
        relation,
      );
    const sorted = chunks.map(valueOf).sort((a, b) => b - a);
    return chunks.map((chunk, at) => ({ ...chunk, value: sorted[at] ?? 0 }));
  });
}
