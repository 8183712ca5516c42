import { SECOND_MS } from "../../core/time.ts";
import type { RagIndex } from "../../ports/rag-index.ts";

/** From many fields: a collection answers a few of them at most. */
export const GENERAL_QUESTIONS =
  `How long does it take to boil an egg? Who won the football world cup in 1998? What is the capital
  of Australia? How do I change a bicycle tyre? When was the piano invented? Why do cats purr? How
  tall is the Eiffel Tower? What should I wear to a wedding? Which planet has the most moons? How
  do volcanoes erupt? What is the recipe for pancakes? Who painted the Mona Lisa? How much sleep do
  children need? What is the exchange rate of the dollar? How do I train a puppy? When does the
  next train leave? Which films won an award last year? How do plants make sugar from light? What
  is the best time to visit Japan? How do I play chords on a guitar? How is the weather tomorrow?
  Which tools do I need to build a table? How do bees find their way home? What were the causes of
  the French Revolution?`
    .replaceAll(/\s+/g, " ")
    .split(/(?<=\?) /);
/** Extremes at either end, which do not count. */
const EXTREMES = 2;
/** A similarity is unusual so many times as far above the median as the least is below it. */
const REACH = 2;
/** Searches of people come between the questions. */
const SEARCH_MS = 20 * SECOND_MS;

/**
 * The similarity that the best passage for a question about something else rarely reaches: 0 where
 * none is found, null in an index that does not answer.
 */
export async function measureUnrelated(index: RagIndex, questions: Float32Array[]) {
  if (questions.length === 0) return null;
  const cosines = await cosinesIn(index, questions, 1).catch(() => null);
  if (cosines === null) return null;
  const best = cosines.flat().sort((a, b) => a - b);
  const [least = 0, most = 0] = [best[EXTREMES], best.at(-EXTREMES - 1)];
  const median = best[Math.floor(best.length / 2)] ?? 0;
  return Math.min(most, median + REACH * (median - least));
}

/** By vector: the cosines of the closest passages of an index object, best first. */
export async function cosinesIn(index: RagIndex, vectors: Float32Array[], limit: number) {
  const { queries } = await index.search({
    queries: vectors.map((vector) => ({ text: "", vector })),
    restriction: { named: null, metadata: [] },
    includeDuplicates: false,
    limitPerLeg: limit,
    lexical: false,
    rule: { mode: "semantic", weight: 1 },
    needed: 1,
    threshold: null,
    withVectors: false,
    turns: { leg: crypto.randomUUID(), remainingMs: SEARCH_MS },
  });
  return queries.map(({ vector }) => vector);
}
