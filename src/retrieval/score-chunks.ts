import { isoTime } from "../core/time.ts";
import { writtenHeadings } from "../ports/index-versions.ts";
import type { HydratedChunk } from "../ports/rag-index.ts";
import { fuse, fusionOf, scaleOf, combineValues, omitJoined } from "../rag-index/search/fuse.ts";
import type { Fusion, LegLists, Scale } from "../rag-index/search/fuse.ts";
import { meanRelation, sumStatistics, wordScorer } from "./merge-shards.ts";
import { modelOf, type RagFindings } from "./rag-findings.ts";

type ChunkSource = {
  ragIdentifier: string;
  filePath: string;
  /** When the file was last changed, ISO 8601. */
  modifiedAt: string;
} & Pick<HydratedChunk["file"], "name" | "externalId" | "url"> &
  Pick<HydratedChunk, "position" | "page" | "headings" | "start" | "end" | "recognised">;

/** A chunk as callers get it. `score`: cosine similarity clamped to 0..1. */
export type RetrievedChunk = { text: string; score: number; source: ChunkSource };

/** A query's scores of a chunk: its fused value, and BM25 (0: the words are not there). */
type Find = { fused: number; lexical: number };

/** A hydrated chunk on its way into the answer. */
export type ScoredChunk = {
  ragIdentifier: string;
  chunk: HydratedChunk;
  /** Cosine clamped to 0..1, the best over the queries; 0 when none could be computed. */
  score: number;
  scored: boolean;
  /** By query; null: it did not find the chunk. */
  finds: (Find | null)[];
  /** BM25 of each query, whether found by words or not. */
  words: number[];
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
  findings: RagFindings;
  chunks: ScoredChunk[];
  comparesBy: ComparesBy;
};

/** The value that compares over RAGs: one reranker's relevances, or similarity where it failed. */
export type ComparesBy =
  | { by: "values" }
  | { by: "similarity" }
  | { by: "reranker"; model: string };

/**
 * The chunks of all RAGs on one scale, each list in the order of the fusion, or of the similarity
 * where the RAG is searched by it alone. Over several RAGs, words count as in all of them.
 */
export function scoreChunks(findings: RagFindings[]): ScoredList[] {
  const isAlone = findings.length === 1;
  const wordsOf = isAlone
    ? ({ scores }: HydratedChunk) => scores.map(({ lexical }) => lexical ?? 0)
    : wordScorer(statisticsOf(findings));
  const lists = findings.map((finding) => ({
    finding,
    chunks: finding.chunks.map((chunk) => ({ chunk, words: wordsOf(chunk) })),
  }));
  const legs = lists.map(({ finding, chunks }) =>
    finding.queries.map(({ lexical, vector }, at) => {
      return { lexical: isAlone ? lexical : bestWords(chunks, at), vector };
    }),
  );
  const relation = meanRelation(findings);
  return lists.map(({ finding, chunks }, rag) => {
    const { mode, embedded, target } = finding;
    const rule = { mode, weight: embedded?.fusionWeight ?? 0 };
    const fusions = finding.queries.map((_, at) => {
      const all = lists.map((list, n) => ({
        findings: list.finding,
        legs: legs[n]?.[at] ?? NO_LEGS,
      }));
      return fusionOf(legs[rag]?.[at] ?? NO_LEGS, rule, scaleAmong(all, finding));
    });
    const scored = chunks.map((chunk) => scoreChunk(chunk, { fusions, relation }, target.rag));
    return { findings: finding, chunks: scored.sort(compareChunks), comparesBy: { by: "values" } };
  });
}

/** By query. */
const statisticsOf = (findings: RagFindings[]) =>
  (findings[0]?.queries ?? []).map((_, at) =>
    sumStatistics(findings.flatMap(({ queries }) => queries[at]?.statistics ?? [])),
  );

export const NO_LEGS: LegLists = { lexical: [], vector: [] };

/** One query's scale for a RAG: words compare among all of them, vectors among those of its model. */
export function scaleAmong(
  all: { findings: RagFindings; legs: LegLists }[],
  own: RagFindings,
): Scale {
  const ofModel = all.filter(({ findings }) => modelOf(findings) === modelOf(own));
  const { lexicalBest } = scaleOf(all.map(({ legs }) => legs));
  return { ...scaleOf(ofModel.map(({ legs }) => legs)), lexicalBest };
}

/** A chunk, and what its words score for each query. */
type ChunkWords = { chunk: HydratedChunk; words: number[] };

function scoreChunk(
  { chunk, words }: ChunkWords,
  { fusions, relation }: { fusions: Fusion[]; relation: number },
  { identifier: ragIdentifier, searchMode }: RagFindings["target"]["rag"],
): ScoredChunk {
  const finds = fusions.map((fusion, at): Find | null => {
    const { lexical = null, vector = null } = chunk.scores[at] ?? {};
    const byWords = lexical === null ? null : (words[at] ?? 0);
    const fused = fuse({ lexical: byWords, vector }, fusion);
    return fused === null ? null : { fused, lexical: byWords ?? 0 };
  });
  const similarity = similarityOf(chunk);
  const fused = combineValues(
    finds.map((find) => find?.fused ?? null),
    relation,
  );
  const value = searchMode === "semantic" ? (similarity ?? fused) : fused;
  const score = similarity ?? 0;
  return { ragIdentifier, chunk, score, scored: similarity !== null, value, finds, words };
}

/** The best that words score among chunks that the lexical leg found for a query. */
const bestWords = (chunks: ChunkWords[], at: number): number[] => {
  const scores = chunks.flatMap(({ chunk, words }) =>
    (chunk.scores[at]?.lexical ?? null) === null ? [] : (words[at] ?? 0),
  );
  return scores.length === 0 ? [] : [Math.max(...scores)];
};

/** Cosine as the API shows it; null when there is none. */
export function similarityOf({ similarities }: HydratedChunk): number | null {
  let best: number | null = null;
  for (const similarity of omitJoined(similarities)) {
    if (similarity !== null && (best === null || similarity > best)) best = similarity;
  }
  return best === null ? null : Math.min(1, Math.max(0, best));
}

/**
 * Compares the score as the answer shows it. A chunk without a similarity passes: there is nothing
 * to measure.
 */
export function meetsThreshold(chunk: ScoredChunk, threshold: number | null): boolean {
  return threshold === null || !chunk.scored || chunk.score >= threshold;
}

/** Best value first; ties by file path, position and RAG. */
export function compareChunks(a: ScoredChunk, b: ScoredChunk): number {
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
export function keepValues(places: ScoredChunk[], ordered: ScoredChunk[]): ScoredChunk[] {
  return ordered.map((chunk, at) => ({ ...chunk, value: places[at]?.value ?? chunk.value }));
}

export function toRetrievedChunk({ chunk, score, ragIdentifier }: ScoredChunk): RetrievedChunk {
  const { file, position, page, start, end, recognised } = chunk;
  const { path: filePath, name, externalId, url } = file;
  const modifiedAt = isoTime(file.modifiedAt);
  const headings = writtenHeadings(chunk);
  const place = { position, page, headings, start, end, ...(recognised && { recognised }) };
  const source = { ragIdentifier, filePath, name, externalId, url, modifiedAt, ...place };
  return { text: chunk.text, score, source };
}
