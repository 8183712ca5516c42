import { inOrder } from "./scored-chunk.ts";
import type { ScoredChunk, ScoredList } from "./scored-chunk.ts";

/** One list from all RAGs; values of different kinds are merged by their ranks. */
export function mergeLists(lists: ScoredList[], includeDuplicates: boolean): ScoredChunk[] {
  const [first, ...others] = lists;
  if (first === undefined) return [];
  const all = lists.map(({ chunks }) => chunks);
  const merged =
    others.length === 0 || lists.every((list) => comparable(list, first))
      ? all.flat().sort(inOrder)
      : mergeByReciprocalRank(all);
  return includeDuplicates ? merged : mergeEqualTexts(merged);
}

function comparable(one: ScoredList, other: ScoredList): boolean {
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

/** Cormack, Clarke and Büttcher 2009; 60 damps the first ranks. */
const RECIPROCAL_RANK_CONSTANT = 60;

/** Lists whose values do not compare, merged by 1 / (60 + rank). */
export function mergeByReciprocalRank(lists: ScoredChunk[][]): ScoredChunk[] {
  const merged = lists.flatMap((list) =>
    list.map((chunk, at) => ({ ...chunk, value: 1 / (RECIPROCAL_RANK_CONSTANT + at + 1) })),
  );
  return merged.sort(inOrder);
}
