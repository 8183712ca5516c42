import type { ChunkId } from "../core/ids.ts";
import { fuseQuery, scaleOf } from "../rag-index/search/fuse.ts";
import type { QueryLegs } from "../rag-index/search/fuse.ts";
import { featuresOf } from "./passage-features.ts";
import type { Features } from "./passage-features.ts";
import type { Found } from "./rag-search.ts";
import type { SearchPlan } from "./retrieval-request.ts";
import type { ScoredChunk, ScoredList } from "./score-and-merge.ts";

/** So many of the best trade places. */
const DEPTH = 20;
/** Models whose vectors weigh less repeat what the words say; others order by meaning. */
const LEAST_MEANING = 0.5;
/** A finite number below any score: two of them differ by 0. */
const NOT_FOUND = -1e9;

/**
 * Learned from questions that documents make of themselves, as softmax regression over the best 5,
 * 10 and 20 candidates: `npm run bench -- word-order FOLDER`, with SciFact's, learns them again.
 */
const WEIGHTS: Features = {
  fused: 2.63,
  cosine: 3.3,
  lexical: 2.68,
  names: 1.31,
  lastName: 1.11,
  sentence: 1.22,
  neighbours: 1.79,
  relatives: 2.64,
  file: 1.41,
  fileLength: -0.25,
};

const NAMES = Object.keys(WEIGHTS).filter((name): name is keyof Features => name in WEIGHTS);

/** Larger is better. Its figures are shares of one query, so that it compares over queries roughly. */
function scoreByWords(features: Features): number {
  return NAMES.reduce((sum, name) => sum + WEIGHTS[name] * features[name], 0);
}

/**
 * Where words decide the order, as they do with the built-in embedding model, the best of a RAG's
 * chunks trade places by what their texts, headings, paths and files say to the queries; a chunk
 * keeps its best over the queries that found it. Each place keeps its value, so that lists of
 * several RAGs compare as before.
 */
export function orderByWords(
  list: ScoredList,
  { queries, needed }: Pick<SearchPlan, "queries" | "needed">,
): ScoredList {
  // How many more are read depends on where they are kept; the order must not.
  const best = list.chunks.slice(0, Math.min(DEPTH, needed));
  if (!isOrderedByWords(list.found) || best.length < 2) return list;
  const scores = bestScores(best, list.found, queries);
  const places = [...best.entries()].sort(
    ([one], [other]) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other,
  );
  const reordered = places.map(([place, chunk], to): ScoredChunk => {
    const value = best[to]?.value ?? chunk.value;
    return Object.assign({ fused: chunk.value, fusedPlace: place + 1 }, chunk, { value });
  });
  return { ...list, chunks: [...reordered, ...list.chunks.slice(best.length)] };
}

const isOrderedByWords = ({ searchMode, embedded }: Found): boolean =>
  searchMode === "hybrid" && embedded !== null && embedded.fusionWeight < LEAST_MEANING;

function bestScores(
  best: ScoredChunk[],
  { queries: legs, embedded }: Found,
  queries: string[],
): number[] {
  const weight = embedded?.fusionWeight ?? 0;
  const scores = best.map(() => NOT_FOUND);
  for (const [at, query] of queries.entries()) {
    const found = legs[at] ?? { lexical: [], vector: [] };
    for (const [place, score] of scoresFor(query, { best, at, legs: found, weight })) {
      scores[place] = Math.max(scores[place] ?? NOT_FOUND, score);
    }
  }
  return scores;
}

type Asked = { best: ScoredChunk[]; at: number; legs: QueryLegs; weight: number };

/** Of the chunks that the query found: their places among the best, and scores. */
function scoresFor(query: string, { best, at, legs, weight }: Asked): [number, number][] {
  const fused = fuseQuery(legs, { searchMode: "hybrid", weight }, scaleOf([legs]));
  const lexical = new Map<ChunkId, number>(legs.lexical.map(({ id, score }) => [id, score]));
  const found = [...best.entries()].filter(([, { chunk }]) => fused.has(chunk.id));
  const candidates = found.map(([, { chunk }]) => {
    const { id, text, headings, file, fileChunks, similarities } = chunk;
    const legsOf = { fused: fused.get(id) ?? 0, lexical: lexical.get(id) ?? 0 };
    return {
      path: file.path,
      headings,
      text,
      fileChunks,
      cosine: similarities[at] ?? 0,
      ...legsOf,
    };
  });
  const features = featuresOf(query, candidates);
  return features.map((one, index) => [found[index]?.[0] ?? 0, scoreByWords(one)]);
}
