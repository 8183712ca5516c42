import type { Explanation } from "../../../retrieval/explain.ts";
import { count, percent } from "../../components/figures.ts";

/** Decimals of a similarity, as the API gives them. */
export const SCORE_DIGITS = 3;

type Leg = "lexical" | "vector";
type LegRank = NonNullable<Explanation["queries"][number][Leg]>;

/** Where a leg had the passage for the question that found it best; null: nowhere. */
const bestOf = (explanation: Explanation | undefined, leg: Leg): LegRank | null =>
  explanation?.queries
    .flatMap((query) => query[leg] ?? [])
    .reduce<LegRank | null>(
      (best, explanation) => (best === null || explanation.score > best.score ? explanation : best),
      null,
    ) ?? null;

/** The highest BM25 of the passages that are shown: its bar is full. */
export const highestOf = (explanations: readonly (Explanation | undefined)[]): number =>
  Math.max(0, ...explanations.map((explanation) => bestOf(explanation, "lexical")?.score ?? 0));

type ScoresProps = { similarity: number; explanation: Explanation | undefined; highest: number };

export const Scores = ({ similarity, explanation, highest }: ScoresProps) => {
  const words = bestOf(explanation, "lexical");
  const { relevance = null, recency = null } = explanation ?? {};
  return (
    <dl class="scores">
      {explanation === undefined ? null : (
        <Score
          name="words"
          title={`BM25 against the best of these passages${placeOf(words)}`}
          share={words === null || highest === 0 ? 0 : words.score / highest}
          text={words === null ? "–" : percent(words.score, highest)}
        />
      )}
      <Score
        name="meaning"
        title={`Similarity of the passage and the question, 0 to 1${placeOf(bestOf(explanation, "vector"))}`}
        share={similarity}
      />
      <Score
        name="reranker"
        title="The reranker's relevance, 0 to 1, orders the passages"
        share={relevance}
      />
      <Score
        name="age"
        title="The share of its value that its age leaves it"
        share={recency}
        text={percent(recency ?? 0, 1)}
      />
    </dl>
  );
};

const placeOf = (rank: LegRank | null) => (rank === null ? "" : `, place ${count(rank.rank)}`);

const FULL = 100;

type ScoreProps = { name: string; title: string; share: number | null; text?: string };

/** A part of 1; nothing where there is none. */
const Score = ({ name, title, share, text = share?.toFixed(SCORE_DIGITS) }: ScoreProps) =>
  share === null ? null : (
    <div title={title}>
      <dt>{name}</dt>
      <dd>
        <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect width={(Math.min(1, Math.max(0, share)) * FULL).toFixed(0)} height="1" />
        </svg>
        {text}
      </dd>
    </div>
  );
