import { embedTexts } from "../../catalog/models/embed-texts.ts";
import { attempt } from "../../core/log.ts";
import { MINUTE_MS } from "../../core/time.ts";
import type { Probed } from "../../db/generations/generation-store.ts";
import type { RagIndex } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";

/** From many fields: a collection answers a few of them at most. */
const QUESTIONS = `How long does it take to boil an egg? Who won the football world cup in 1998?
  What is the capital of Australia? How do I change a bicycle tyre? When was the piano invented?
  Why do cats purr? How tall is the Eiffel Tower? What should I wear to a wedding?
  Which planet has the most moons? How do volcanoes erupt? What is the recipe for pancakes?
  Who painted the Mona Lisa? How much sleep do children need?
  What is the exchange rate of the dollar? How do I train a puppy?
  When does the next train leave? Which films won an award last year?
  How do plants make sugar from light? What is the best time to visit Japan?
  How do I play chords on a guitar? How is the weather tomorrow?
  Which tools do I need to build a table? How do bees find their way home?
  What were the causes of the French Revolution?`.split(/(?<=\?)\s+/);
/** Extremes at either end, which do not count. */
const EXTREMES = 2;
/** A similarity is unusual so many times as far above the median as the least is below it. */
const REACH = 2;

/**
 * The similarity that the best passage for a question about something else rarely reaches, by index
 * of one model: what a similarity means differs by model and by collection.
 */
export async function measureUnrelated(
  { inBackground, log, models, ragIndexes }: Services,
  { embeddingModel: model, dimensions }: Probed,
  indexes: Probed[],
): Promise<Map<Probed, number>> {
  const similarities = new Map<Probed, number>();
  if (indexes.length === 0) return similarities;
  const how = { signal: AbortSignal.timeout(MINUTE_MS), inBackground };
  const { queryPrefix } = models.embeddingForm(model);
  const texts = QUESTIONS.map((question) => queryPrefix + question);
  const { vectors } = await embedTexts(models.embedder(model, dimensions), texts, how);
  for (const index of indexes) {
    const { ragId, generation } = index;
    await attempt(log, "unrelated passages not measured", { ragId }, async () => {
      const best = await cosinesIn(ragIndexes({ ragId, generation, shard: 0 }), vectors, 1);
      const unusual = unusualAmong(best.flat());
      if (unusual !== null) similarities.set(index, unusual);
    });
  }
  return similarities;
}

function unusualAmong(best: number[]): number | null {
  const ascending = best.sort((a, b) => a - b);
  const [least, most] = [ascending[EXTREMES], ascending.at(-EXTREMES - 1)];
  const median = ascending[Math.floor(ascending.length / 2)];
  if (least === undefined || median === undefined || most === undefined) return null;
  // A collection that answers more of them has high ones that are no measure.
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
  });
  return queries.map(({ vector }) => vector);
}
