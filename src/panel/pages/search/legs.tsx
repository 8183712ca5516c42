import { duration } from "../../components/figures.ts";
import type { SearchAnswer } from "../../search/search-rag.ts";

export type SearchTimings = NonNullable<SearchAnswer["timings"]>;

/** The parts of a search in words, in the order in which they run. */
const PARTS: [leg: string, name: string][] = [
  ["embeddingMs", "embedding the question"],
  ["searchMs", "words and vectors"],
  ["vectorIndexMs", "vector index"],
  ["hydrationMs", "reading the passages"],
  ["rerankingMs", "reranking"],
];

/** Where the time went: a bar for each part of the search. */
export const Legs = ({ timings: { legs, totalMs } }: { timings: SearchTimings }) => {
  const ran = PARTS.flatMap(([leg, name]) => {
    const ms = legs[leg];
    return ms === undefined ? [] : [{ name, ms }];
  });
  const longest = Math.max(1, totalMs, ...ran.map(({ ms }) => ms));
  return (
    <div>
      <h2>Where the time went</h2>
      <dl class="legs">
        {ran.map(({ name, ms }) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                <rect width={((ms / longest) * 100).toFixed(1)} height="1" />
              </svg>
              <span>{duration(ms)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p class="soft">{duration(totalMs)} in all. Parts that run side by side overlap.</p>
    </div>
  );
};
