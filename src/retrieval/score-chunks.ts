import { isoTime } from "../core/time.ts";
import type { HydratedChunk } from "../ports/rag-index.ts";
import type { RagFindings, ReadChunks } from "./rag-search.ts";

type ChunkSource = {
  ragIdentifier: string;
  filePath: string;
  /** When the file was last changed, ISO 8601. */
  modifiedAt: string;
} & Pick<HydratedChunk["file"], "name" | "externalId" | "url"> &
  Pick<HydratedChunk, "position" | "page" | "headings" | "start" | "end">;

/** A chunk as callers get it. `score`: cosine similarity clamped to 0..1. */
export type RetrievedChunk = { text: string; score: number; source: ChunkSource };

/** A hydrated chunk on its way into the answer. */
export type ScoredChunk = {
  ragIdentifier: string;
  chunk: HydratedChunk;
  /** Cosine clamped to 0..1, the best over the queries; 0 when none could be computed. */
  score: number;
  scored: boolean;
  /** Fused value or similarity; after reordering it stays with the place, to compare lists. */
  value: number;
  /** Where words changed the order: its own fused value and place, from 1. */
  fused?: number;
  fusedPlace?: number;
  /** The reranker's relevance. */
  relevance?: number;
  /** Where its age counts: the share of its value that it keeps. */
  recency?: number;
};

/** One RAG's candidates in its own order, best value first. */
export type ScoredList = {
  /** The findings from which the chunks were chosen. */
  found: RagFindings;
  chunks: ScoredChunk[];
  comparesBy: ComparesBy;
};

/** The value that compares over RAGs: one reranker's relevances, or similarity where it failed. */
export type ComparesBy =
  | { by: "values" }
  | { by: "similarity" }
  | { by: "reranker"; model: string };

/** In the order of the fusion, or of the similarity where the RAG is searched by it alone. */
export function scoreChunks({ found: findings, chunks, values }: ReadChunks): ScoredList {
  const { identifier: ragIdentifier, searchMode } = findings.target.rag;
  const scored = chunks.map((chunk): ScoredChunk => {
    const similarity = similarityOf(chunk);
    const fused = values.get(chunk.id) ?? 0;
    const value = searchMode === "semantic" ? (similarity ?? fused) : fused;
    return { ragIdentifier, chunk, score: similarity ?? 0, scored: similarity !== null, value };
  });
  return { found: findings, chunks: scored.sort(inOrder), comparesBy: { by: "values" } };
}

/** Cosine as the API shows it; null when there is none. */
export function similarityOf({ similarities }: HydratedChunk): number | null {
  let best: number | null = null;
  for (const similarity of similarities) {
    if (similarity !== null && (best === null || similarity > best)) best = similarity;
  }
  return best === null ? null : Math.min(1, Math.max(0, best));
}

/**
 * Compares the score as the answer shows it. A chunk without a similarity passes: there is nothing
 * to measure.
 */
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

/** The value that orders where a reranker failed. */
export const similarityOrValue = ({ scored, score, value }: ScoredChunk): number =>
  scored ? score : value;

/** The chunks in another order; each place keeps its value. */
export function inPlacesOf(places: ScoredChunk[], ordered: ScoredChunk[]): ScoredChunk[] {
  return ordered.map((chunk, at) => ({ ...chunk, value: places[at]?.value ?? chunk.value }));
}

export function asRetrieved({ chunk, score, ragIdentifier }: ScoredChunk): RetrievedChunk {
  const { file, position, page, headings, start, end } = chunk;
  const { path: filePath, name, externalId, url } = file;
  const modifiedAt = isoTime(file.modifiedAt);
  const place = { position, page, headings, start, end };
  const source = { ragIdentifier, filePath, name, externalId, url, modifiedAt, ...place };
  return { text: chunk.text, score, source };
}
