import type { ChunkId } from "../core/ids.ts";
import type { Find } from "../ports/rag-index.ts";
import { findsOf } from "../rag-index/search/fuse.ts";
import { featuresOf } from "./passage-features.ts";
import type { Features } from "./passage-features.ts";
import { wordsOfPassage } from "./passage-words.ts";
import type { PassageWords } from "./passage-words.ts";
import { isOrderedByWords, ORDERED_BY_WORDS } from "./rag-search.ts";
import type { Found } from "./rag-search.ts";
import type { SearchPlan } from "./retrieval-request.ts";
import type { ScoredChunk, ScoredList } from "./score-and-merge.ts";

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

/** Between two queries: lets other events run, and tells whether there is time left. */
export type Pause = () => Promise<boolean>;

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
export async function orderByWords(
  list: ScoredList,
  { queries }: Pick<SearchPlan, "queries">,
  pause: Pause,
): Promise<ScoredList> {
  const best = list.chunks.slice(0, ORDERED_BY_WORDS);
  if (!isOrderedByWords(list.found) || best.length < 2) return list;
  const scores = await bestScores(best, list.found, queries, pause);
  const places = [...best.entries()].sort(
    ([one], [other]) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other,
  );
  const reordered = places.map(([place, chunk], to): ScoredChunk => {
    const value = best[to]?.value ?? chunk.value;
    return Object.assign({ fused: chunk.value, fusedPlace: place + 1 }, chunk, { value });
  });
  return { ...list, chunks: [...reordered, ...list.chunks.slice(best.length)] };
}

async function bestScores(
  best: ScoredChunk[],
  found: Found,
  queries: string[],
  pause: Pause,
): Promise<number[]> {
  const scores = best.map(() => NOT_FOUND);
  const words = best.map(({ chunk }) =>
    wordsOfPassage({ path: chunk.file.path, headings: chunk.headings, text: chunk.text }),
  );
  for (const [at, query] of queries.entries()) {
    if (at > 0 && !(await pause())) break;
    for (const [place, score] of scoresFor(query, {
      best,
      words,
      at,
      finds: findsFor(found, at),
    })) {
      scores[place] = Math.max(scores[place] ?? NOT_FOUND, score);
    }
  }
  return scores;
}

function findsFor({ best, queries, embedded }: Found, at: number): Finds {
  if (best !== undefined) return best.finds[at] ?? new Map();
  const legs = queries[at] ?? { lexical: [], vector: [] };
  return findsOf(legs, { searchMode: "hybrid", weight: embedded?.fusionWeight ?? 0 });
}

type Finds = ReadonlyMap<ChunkId, Find>;
type Asked = { best: ScoredChunk[]; words: PassageWords[]; at: number; finds: Finds };

/** Of the chunks that the query found: their places among the best, and scores. */
function scoresFor(query: string, { best, words, at, finds }: Asked): [number, number][] {
  const found = words.flatMap((read, place) => {
    const chunk = best[place]?.chunk;
    const find = chunk === undefined ? undefined : finds.get(chunk.id);
    if (chunk === undefined || find === undefined) return [];
    const { file, fileChunks, similarities } = chunk;
    const cosine = similarities[at] ?? 0;
    return [{ place, candidate: { path: file.path, words: read, fileChunks, cosine, ...find } }];
  });
  const features = featuresOf(
    query,
    found.map(({ candidate }) => candidate),
  );
  return features.map((one, index) => [found[index]?.place ?? 0, scoreByWords(one)]);
}
