import type { HydratedChunk } from "../ports/rag-index.ts";
import { isOrderedByWords } from "./rag-search.ts";
import type { Found, ReadChunks } from "./rag-search.ts";

type ChunkSource = {
  ragIdentifier: string;
  filePath: string;
  name: string;
  externalId: string | null;
  url: string | null;
  position: number;
  page: number | null;
  headings: string[];
  /** Offsets in the file's extracted text, UTF-16 code units, end excluded. */
  start: number;
  end: number;
};

/** A chunk as callers get it. `score`: cosine similarity clamped to 0..1. */
export type RetrievedChunk = { text: string; score: number; source: ChunkSource };

/** A hydrated chunk on its way into the answer. */
export type ScoredChunk = {
  ragIdentifier: string;
  chunk: HydratedChunk;
  /** Cosine clamped to 0..1, the best over the queries; 0 when none could be computed. */
  score: number;
  scored: boolean;
  /**
   * Fused value or similarity. Where words or a reranker changed the order it stays with the place,
   * so that lists of several RAGs compare as before.
   */
  value: number;
  /** Where words changed the order: its own fused value and place, from 1. */
  fused?: number;
  fusedPlace?: number;
  /** What a reranker gave it. */
  relevance?: number;
};

/** One RAG's candidates in its own order, best value first. */
export type ScoredList = {
  /** What the chunks were chosen from. */
  found: Found;
  chunks: ScoredChunk[];
  comparesBy: ComparesBy;
};

/**
 * What else compares over RAGs: the relevances of one reranker, or the similarity where a reranker
 * failed.
 */
export type ComparesBy =
  | { by: "values" }
  | { by: "similarity" }
  | { by: "reranker"; model: string };

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
  return { found, chunks: passing.sort(inOrder), comparesBy: { by: "values" } };
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

/**
 * One list from all RAGs: by relevance where one reranker judged all, by similarity where none
 * could, else by the values of the fusion, else by rank. A rank alone would put the best of a RAG
 * that has no answer before the second best of one that has.
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
  const isOfOneModel = lists.every((list) => comparable(list, first));
  if (lists.every((list) => isJudgedAs(list, first, isOfOneModel))) {
    return mergeByHeads(all.map((chunks) => chunks.map(valuedAsJudged)));
  }
  if (!isOfOneModel) return mergeByReciprocalRank(all);
  return mergeByHeads(isOrderedByWords(first.found) ? all.map(withSimilarities) : all);
}

/** Similarities compare only among lists of one embedding model. */
function isJudgedAs(list: ScoredList, first: ScoredList, isOfOneModel: boolean): boolean {
  const [one, other] = [list.comparesBy, first.comparesBy];
  if (one.by === "reranker") return other.by === "reranker" && one.model === other.model;
  return one.by === "similarity" && other.by === "similarity" && isOfOneModel;
}

const valuedAsJudged = (chunk: ScoredChunk): ScoredChunk => ({
  ...chunk,
  value: chunk.relevance ?? similarityOrValue(chunk),
});

/** What orders where a reranker failed. */
export const similarityOrValue = ({ scored, score, value }: ScoredChunk): number =>
  scored ? score : value;

/**
 * BM25 says how rare a word is in one RAG, and nothing of the others; the cosine of hashed vectors
 * knows no RAG. Together they tell best which RAG answers (docs/ranking.md).
 */
function withSimilarities(chunks: ScoredChunk[]): ScoredChunk[] {
  const similarities = chunks.map(({ score }) => score).sort((a, b) => b - a);
  return chunks.map((chunk, at) => ({ ...chunk, value: chunk.value + (similarities[at] ?? 0) }));
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

function comparable(one: ScoredList, other: ScoredList): boolean {
  const a = one.found.target.rag;
  const b = other.found.target.rag;
  return (
    a.embeddingModel === b.embeddingModel &&
    a.dimensions === b.dimensions &&
    a.searchMode === b.searchMode
  );
}

/** The chunks in another order; each place keeps its value. */
export function inPlacesOf(places: ScoredChunk[], ordered: ScoredChunk[]): ScoredChunk[] {
  return ordered.map((chunk, at) => ({ ...chunk, value: places[at]?.value ?? chunk.value }));
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

export function asRetrieved({ chunk, score, ragIdentifier }: ScoredChunk): RetrievedChunk {
  const { file, position, page, headings, start, end } = chunk;
  const { path: filePath, name, externalId, url } = file;
  const place = { position, page, headings, start, end };
  const source = { ragIdentifier, filePath, name, externalId, url, ...place };
  return { text: chunk.text, score, source };
}
