import { featuresOf, wordsOfPassage } from "./passage-features.ts";
import type { Features, PassageWords } from "./passage-features.ts";
import { modelOf, orderOf, reorderedCount, type RagFindings } from "./rag-findings.ts";
import type { SearchPlan } from "./retrieval-request.ts";
import { scoreByNeighbours } from "./score-by-neighbours.ts";
import { compareChunks, type ScoredChunk, type ScoredList } from "./score-chunks.ts";

/** A finite number below any score: two of them differ by 0. */
const NOT_FOUND = -1e9;

/** Softmax regression over the best 5, 10 and 20 for generated questions (docs/decisions.md). */
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

/** Between two queries: lets other events run, and says whether there is time left. */
export type Pause = () => Promise<boolean>;

/** Larger is better. Its figures are shares of one query, so that it compares over queries roughly. */
function scoreByWords(features: Features): number {
  return NAMES.reduce((sum, name) => sum + WEIGHTS[name] * features[name], 0);
}

/**
 * The best chunks of all RAGs of one model trade places, unless a reranker orders them: with the
 * built-in vectors by what texts, headings, paths and files say to the queries, with vectors of a
 * trained model by how close they are to each other. Each place keeps its value, so that the lists
 * compare as before.
 */
export async function orderByWords(
  lists: ScoredList[],
  plan: Pick<SearchPlan, "needed" | "queries" | "reranks">,
  pause: Pause,
): Promise<ScoredList[]> {
  const ordered = new Map<RagFindings, ScoredList>();
  const groups = Map.groupBy(lists, ({ findings }) =>
    JSON.stringify([orderOf(findings, plan), modelOf(findings)]),
  );
  for (const group of groups.values()) {
    const order = group[0] === undefined ? null : orderOf(group[0].findings, plan);
    if (order === null) continue;
    const scoresOf =
      order === "neighbours"
        ? scoreByNeighbours
        : (best: ListPlace[]) => bestScores(best, plan.queries, pause);
    for (const list of await orderTogether(group, reorderedCount(order, plan), scoresOf)) {
      ordered.set(list.findings, list);
    }
  }
  return lists.map((list) => ordered.get(list.findings) ?? list);
}

/** The best `count` of all lists trade places by their scores, which are given in their order. */
async function orderTogether(
  lists: ScoredList[],
  count: number,
  scoresOf: (best: ListPlace[]) => number[] | Promise<number[]>,
): Promise<ScoredList[]> {
  const best = lists
    .flatMap((list) => list.chunks.map((chunk, place) => ({ list, place, chunk })))
    .sort((a, b) => compareChunks(a.chunk, b.chunk))
    .slice(0, count);
  if (best.length < 2) return lists;
  const scores = await scoresOf(best);
  const order = [...best.entries()].sort(
    ([a], [b]) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b,
  );
  const reordered = order.map(([, { list, place, chunk }], to) => {
    const value = best[to]?.chunk.value ?? chunk.value;
    return { list, chunk: { fused: chunk.value, fusedPlace: place + 1, ...chunk, value } };
  });
  return lists.map((list) => {
    const own = reordered.filter((entry) => entry.list === list).map(({ chunk }) => chunk);
    return { ...list, chunks: [...own, ...list.chunks.slice(own.length)] };
  });
}

/** One of the best, and where it stands in its list. */
type ListPlace = { list: ScoredList; place: number; chunk: ScoredChunk };

async function bestScores(best: ListPlace[], queries: string[], pause: Pause) {
  const scores = best.map(() => NOT_FOUND);
  const words = best.map(({ chunk: { chunk } }) =>
    wordsOfPassage({ path: chunk.file.path, headings: chunk.headings, text: chunk.text }),
  );
  for (const [at, query] of queries.entries()) {
    if (at > 0 && !(await pause())) break;
    for (const [place, score] of scoresFor(query, { best, words, at })) {
      scores[place] = Math.max(scores[place] ?? NOT_FOUND, score);
    }
  }
  return scores;
}

type ToScore = { best: ListPlace[]; words: PassageWords[]; at: number };

/** Scores the chunks that the query found, by their places among the best. */
function scoresFor(query: string, { best, words, at }: ToScore): [number, number][] {
  const passages = best.flatMap(({ chunk: { chunk, ragIdentifier, finds } }, place) => {
    const find = finds[at] ?? null;
    const passageWords = words[place];
    if (find === null || passageWords === undefined) return [];
    const { file, fileChunks, similarities } = chunk;
    const path = `${ragIdentifier}/${file.path}`;
    const cosine = similarities[at] ?? 0;
    return [{ place, candidate: { path, words: passageWords, fileChunks, cosine, ...find } }];
  });
  const features = featuresOf(
    query,
    passages.map(({ candidate }) => candidate),
  );
  return features.map((feature, index) => [passages[index]?.place ?? 0, scoreByWords(feature)]);
}
