import { onCommonScale } from "./common-scale.ts";
import { modelOf } from "./rag-search.ts";
import { inOrder, similarityOrValue, type ScoredChunk, type ScoredList } from "./score-chunks.ts";

/**
 * One list from all RAGs: by relevance where one reranker judged all, by similarity where none
 * could, else by the values of the fusion. A rank alone would put the best of a RAG that has no
 * answer before the second best of one that has.
 */
export function mergeLists(given: ScoredList[], includeDuplicates: boolean): ScoredChunk[] {
  const lists = given.filter(({ chunks }) => chunks.length > 0);
  const [first] = lists;
  if (first === undefined) return [];
  const merged = mergeAll(lists, first);
  return includeDuplicates ? merged : mergeEqualTexts(merged);
}

function mergeAll(lists: ScoredList[], first: ScoredList): ScoredChunk[] {
  if (lists.length === 1) return first.chunks;
  const all = lists.map(({ chunks }) => chunks);
  const isOfOneModel = lists.every(({ found }) => modelOf(found) === modelOf(first.found));
  if (lists.every((list) => isJudgedAs(list, first, isOfOneModel))) {
    return mergeByHeads(all.map((chunks) => chunks.map(valuedAsJudged)));
  }
  const isOfOneMode = lists.every(({ found }) => found.mode === first.found.mode);
  return mergeByHeads(isOfOneModel && isOfOneMode ? all : onCommonScale(lists));
}

/** Similarities compare only among lists of one embedding model. */
function isJudgedAs(list: ScoredList, first: ScoredList, isOfOneModel: boolean): boolean {
  const [one, other] = [list.comparesBy, first.comparesBy];
  if (one.by === "reranker") return other.by === "reranker" && one.model === other.model;
  return one.by === "similarity" && other.by === "similarity" && isOfOneModel;
}

/** Of a relevance below 0, less is more. */
function valuedAsJudged(chunk: ScoredChunk): ScoredChunk {
  const { relevance, recency = 1 } = chunk;
  const judged = relevance ?? similarityOrValue(chunk);
  return { ...chunk, value: judged < 0 ? judged / recency : judged * recency };
}

/** Lists in order, merged by their values: equal values of one list keep its order. */
function mergeByHeads(lists: ScoredChunk[][]): ScoredChunk[] {
  const [first = [], ...others] = lists;
  return others.reduce(mergeTwo, first);
}

function mergeTwo(one: ScoredChunk[], other: ScoredChunk[]): ScoredChunk[] {
  const merged: ScoredChunk[] = [];
  let at = 0;
  for (const chunk of one) {
    for (let next = other[at]; next !== undefined && inOrder(next, chunk) < 0; next = other[at]) {
      merged.push(next);
      at += 1;
    }
    merged.push(chunk);
  }
  return [...merged, ...other.slice(at)];
}

/** Keeps the first of equal texts; it takes the best score among them. */
export function mergeEqualTexts(ordered: ScoredChunk[]): ScoredChunk[] {
  const kept = new Map<string, ScoredChunk>();
  for (const chunk of ordered) {
    const key = chunk.chunk.duplicateKey;
    const first = kept.get(key);
    if (first === undefined) kept.set(key, chunk);
    else if (chunk.scored && chunk.score > first.score) {
      kept.set(key, { ...first, score: chunk.score, scored: true });
    }
  }
  return [...kept.values()];
}
