import type { HydratedChunk } from "../ports/rag-index.ts";

/** A hydrated chunk on its way into the answer. */
export type ScoredChunk = {
  ragIdentifier: string;
  chunk: HydratedChunk;
  /** Cosine clamped to 0..1, the best over the queries; 0 when none could be computed. */
  score: number;
  scored: boolean;
  /** What orders: fused value, similarity, relevance or reciprocal rank. */
  value: number;
};

/** Cosine as the API shows it; null when there is none. */
export function similarityOf({ similarities }: HydratedChunk): number | null {
  let best: number | null = null;
  for (const similarity of similarities) {
    if (similarity !== null && (best === null || similarity > best)) best = similarity;
  }
  return best === null ? null : Math.min(1, Math.max(0, best));
}

/** A chunk without a similarity passes: there is nothing to measure. */
export function passesThreshold(chunk: ScoredChunk, threshold: number | null): boolean {
  return threshold === null || !chunk.scored || chunk.score >= threshold;
}

/** Best value first; ties by file path, position and RAG. */
export function inOrder(a: ScoredChunk, b: ScoredChunk): number {
  if (a.value !== b.value) return b.value - a.value;
  const byPath = compareText(a.chunk.file.path, b.chunk.file.path);
  if (byPath !== 0) return byPath;
  return a.chunk.position - b.chunk.position || compareText(a.ragIdentifier, b.ragIdentifier);
}

const compareText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

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
