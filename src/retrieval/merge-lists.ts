import { modelOf } from "./rag-search.ts";
import { inOrder, type ScoredChunk, type ScoredList, similarityOrValue } from "./score-chunks.ts";
import { bm25Scorer } from "../text/bm25.ts";
import { indexedWordsOf } from "../text/indexed-words.ts";
import type { ChunkId } from "../core/ids.ts";
import { fuseQuery, type QueryLegs, scaleOf, together } from "../rag-index/search/fuse.ts";
import { counterOf } from "../rag-index/search/direct-scoring.ts";

/**
 * One list from all RAGs: by relevance where one reranker judged all, by similarity where none
 * could, else by the values of the fusion. A rank alone would put the best of a RAG that has no
 * answer before the second best of one that has.
 */
export function mergeLists(scoredLists: ScoredList[], includeDuplicates: boolean): ScoredChunk[] {
  const lists = scoredLists.filter(({ chunks }) => chunks.length > 0);
  const [first] = lists;
  if (first === undefined) return [];
  const merged = mergeAll(lists, first);
  return includeDuplicates ? merged : mergeEqualTexts(merged);
}

function mergeAll(lists: ScoredList[], first: ScoredList): ScoredChunk[] {
  if (lists.length === 1) return first.chunks;
  const all = lists.map(({ chunks }) => chunks);
  const isOfOneModel = lists.every(
    ({ found: findings }) => modelOf(findings) === modelOf(first.found),
  );
  if (lists.every((list) => isJudgedAs(list, first, isOfOneModel))) {
    return mergeByHeads(all.map((chunks) => chunks.map(valuedAsJudged)));
  }
  const isOfOneMode = lists.every(({ found: findings }) => findings.mode === first.found.mode);
  return mergeByHeads(isOfOneModel && isOfOneMode ? all : onCommonScale(lists));
}

/** Similarities compare only among lists of one embedding model. */
function isJudgedAs(list: ScoredList, first: ScoredList, isOfOneModel: boolean): boolean {
  const [scale, firstScale] = [list.comparesBy, first.comparesBy];
  if (scale.by === "reranker")
    return firstScale.by === "reranker" && scale.model === firstScale.model;
  return scale.by === "similarity" && firstScale.by === "similarity" && isOfOneModel;
}

/** Multiplied with a weight below 1, a relevance below 0 would rise. */
function valuedAsJudged(chunk: ScoredChunk): ScoredChunk {
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
    for (let next = b[at]; next !== undefined && inOrder(next, chunk) < 0; next = b[at]) {
      merged.push(next);
      at += 1;
    }
    merged.push(chunk);
  }
  return [...merged, ...b.slice(at)];
}

/** Keeps the first of equal texts; it takes the best score among them. */
function mergeEqualTexts(ordered: ScoredChunk[]): ScoredChunk[] {
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
function onCommonScale(lists: ScoredList[]): ScoredChunk[][] {
  const values = new Map<ChunkId, number>();
  for (const at of lists[0]?.found.queries.keys() ?? []) {
    const legs = legsOf(lists, at);
    const { lexicalBest } = scaleOf(legs);
    for (const [place, { found: findings }] of lists.entries()) {
      const ofModel = legs.filter(
        (_, at) => modelOf(lists[at]?.found ?? findings) === modelOf(findings),
      );
      const scale = { ...scaleOf(ofModel), lexicalBest };
      const rule = { mode: "hybrid", weight: findings.embedded?.fusionWeight ?? 0 } as const;
      for (const [id, value] of fuseQuery(legs[place] ?? NOTHING, rule, scale)) {
        values.set(id, together([values.get(id) ?? 0, value]));
      }
    }
  }
  return lists.map(({ chunks }) => {
    const sorted = chunks.map(({ chunk }) => values.get(chunk.id) ?? 0).sort((a, b) => b - a);
    return chunks.map((chunk, place) => ({ ...chunk, value: sorted[place] ?? 0 }));
  });
}

const NOTHING: QueryLegs = { lexical: [], vector: [] };

/** A query's candidates among the chunks of each list, as if searched by both legs. */
function legsOf(lists: ScoredList[], at: number): QueryLegs[] {
  const statistics = lists
    .map(({ found: findings }) => findings.queries[at]?.statistics)
    .find((statistic) => statistic);
  const { terms = [], corpus = { chunks: 0, words: 0 } } = statistics ?? {};
  const count = counterOf(terms.map(({ word }) => word));
  const scoreOf = bm25Scorer(terms, corpus);
  return lists.map(({ chunks }) => ({
    lexical: chunks.map(({ chunk }) => {
      return { id: chunk.id, score: scoreOf(count(indexedWordsOf(chunk))) };
    }),
    vector: chunks.flatMap(({ chunk: { id, similarities } }) => {
      const score = similarities[at] ?? null;
      return score === null ? [] : [{ id, score }];
    }),
  }));
}
