import type { EarlierMessage } from "../../../inference/types.ts";
import { AsCode } from "../../components/code-block.tsx";
import { Data, useView } from "../../components/data.tsx";
import { countText, duration } from "../../components/figures.ts";
import { Warning } from "../../components/notice.tsx";
import type { SearchAnswer } from "../../search/search-rag.ts";
import { EarlierTurns } from "../answers/conversation.tsx";
import { Answer } from "../answers/run-result.tsx";
import { Hits, keysOf } from "./hits.tsx";
import { SearchForm, type FormProps } from "./search-form.tsx";
import { ragsOf, type Target, sampleCall, type Passage, type TrialRun } from "./search-settings.ts";

export type PlaygroundProps = Omit<FormProps, "call" | "isAnswered" | "hasResults"> & {
  before: EarlierMessage[];
  /** One answer, or two that are compared; empty before the first question. */
  found: TrialRun[];
};

/** Questions and answers, and the form below them: a conversation grows above it. */
export const Playground = (props: PlaygroundProps) => {
  const { target, second, before, found } = props;
  const [first] = found;
  const isSearch = target.kind === "rag" && (second === null || second.kind === "rag");
  const call = first?.call ?? sampleCall(target);
  const hasResults = first !== undefined;
  const form = (
    <SearchForm {...{ ...props, call, hasResults }} isAnswered={!isSearch && hasResults} />
  );
  if (isSearch) {
    return (
      <>
        <section id="turns" aria-label="Conversation"></section>
        {form}
        {first === undefined ? null : found.length === 1 ? (
          <OneSearch {...props} found={first} />
        ) : (
          <Compared {...props} id="found" />
        )}
      </>
    );
  }
  const id = `turn-${before.length + 1}`;
  return (
    <>
      <section id="turns" aria-label="Conversation">
        {before.length === 0 ? null : (
          <article class="turn">
            <EarlierTurns turns={before} />
          </article>
        )}
        {first === undefined ? null : (
          <article class="turn" aria-label={first.question}>
            <h2 class="question">
              <Data>{first.question}</Data>
            </h2>
            {found.length === 1 ? (
              <OneAnswer {...props} found={first} id={id} />
            ) : (
              <Compared {...props} id={id} />
            )}
          </article>
        )}
      </section>
      {form}
    </>
  );
};

const OneSearch = ({ found, baseUrl }: Pick<PlaygroundProps, "baseUrl"> & { found: TrialRun }) => {
  const { call, timings } = found;
  return (
    <div class="cols">
      <div>
        <h2 class="hidden">Passages</h2>
        <Found found={found} id="found" />
      </div>
      <aside aria-label="About this search">
        {timings === undefined ? null : <Legs timings={timings} />}
        <section>
          <h2>The same call</h2>
          <AsCode {...call} url={baseUrl + call.path} />
        </section>
      </aside>
    </div>
  );
};

const OneAnswer = ({ found: trial, id }: FoundProps) => (
  <div class="cols even">
    <div class="answer">
      {trial.outcome === null ? null : <Answer outcome={trial.outcome} id={id} />}
    </div>
    <div>
      <h3>{countText(trial.passages.length, "passage")}</h3>
      <div class="given">
        <Found found={trial} id={id} />
      </div>
    </div>
  </div>
);

type FoundProps = {
  found: TrialRun;
  id: string;
  /** The other answer's passages in order; absent where there is no other. */
  compared?: string[] | undefined;
};

const Found = ({ found: trial, id, compared }: FoundProps) => {
  const { target, question, queries, passages, degraded, outcome } = trial;
  return (
    <>
      {degraded === undefined ? null : (
        <Warning
          text={`Part of the search failed, and the results come from the rest${
            degraded.message === undefined ? "." : `: ${degraded.message}`
          }`}
        />
      )}
      {passages.length === 0 && outcome !== null ? null : (
        <Hits
          id={id}
          chunks={passages}
          queries={queries}
          rags={ragsOf(target)}
          kept={useView().mayChange ? question : null}
          compared={compared}
        />
      )}
    </>
  );
};

/** The passages of an answer that is being written. */
export const Given = ({ passages, target }: { passages: Passage[]; target: Target }) => (
  <Hits id="given" chunks={passages} queries={[]} rags={ragsOf(target)} kept={null} />
);

/** Two settings side by side; the second says what moved. */
const Compared = ({ found: tries, id }: PlaygroundProps & { id: string }) => {
  const [first, second] = tries.map((trial) => keysOf(ragsOf(trial.target), trial.passages));
  const missing = first?.filter((key) => second?.includes(key) === false).length ?? 0;
  return (
    <div class="cols even">
      {tries.map((trial, at) => (
        <div>
          <h2>
            {at === 0 ? "First setting: " : "Second setting: "}
            <Data>{trial.target.record.name}</Data>
          </h2>
          {trial.outcome === null ? null : <Answer outcome={trial.outcome} id={`${id}-${at}`} />}
          {at === 0 || missing === 0 ? null : (
            <p class="soft">Without {countText(missing, "passage")} of the first setting.</p>
          )}
          <Found found={trial} id={`${id}-${at}`} compared={at === 1 ? first : undefined} />
          {trial.timings === undefined ? null : <Legs timings={trial.timings} />}
        </div>
      ))}
    </div>
  );
};

type SearchTimings = NonNullable<SearchAnswer["timings"]>;

/** The parts of a search in words, in the order in which they run. */
const PARTS: [leg: string, name: string][] = [
  ["embeddingMs", "embedding the question"],
  ["restrictionMs", "restriction"],
  ["vectorIndexMs", "vector index"],
  ["searchMs", "words and vectors"],
  ["rerankingMs", "reranking"],
];

const Legs = ({ timings: { legs, totalMs } }: { timings: SearchTimings }) => {
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
