import type { HydratedChunk } from "../ports/rag-index.ts";
import type { Found, ReadChunks } from "./rag-search.ts";

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

/** One RAG's candidates in its own order, and what the values are that order them. */
export type ScoredList = {
  /** What the chunks were chosen from. */
  found: Found;
  chunks: ScoredChunk[];
  order: "fused" | "similarity" | "relevance";
};

/** In the order of the fusion, or of the similarity where the RAG is searched by it alone. */
export function scoreChunks(
  { found, chunks, values }: ReadChunks,
  threshold: number | null,
): ScoredList {
  const { identifier: ragIdentifier, searchMode } = found.target.rag;
  const scored = chunks.map((chunk): ScoredChunk => {
    const similarity = similarityOf(chunk);
    const fused = values.get(chunk.id) ?? 0;
    const value = searchMode === "semantic" ? (similarity ?? fused) : fused;
    return { ragIdentifier, chunk, score: similarity ?? 0, scored: similarity !== null, value };
  });
  const passing = scored.filter((chunk) => passesThreshold(chunk, threshold));
  return { found, chunks: passing.sort(inOrder), order: "fused" };
}

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
