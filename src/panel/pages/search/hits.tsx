import type { Explanation } from "../../../retrieval/explain.ts";
import type { RagRecord } from "../../../db/records.ts";
import { Data, safeHref, DataLink } from "../../components/data.tsx";
import { CopyOf } from "../../components/code-block.tsx";
import { count, percent } from "../../components/figures.ts";
import { Empty } from "../../components/page-head.tsx";
import type { SearchAnswer } from "../../search/search-rag.ts";
import { Found, matchedBy, type Matched } from "./marked.tsx";

type Chunk = SearchAnswer["chunks"][number];

/** Decimals of a similarity, as the API gives them. */
const SCORE_DIGITS = 3;
const FINE_DIGITS = 4;
const DAY_LENGTH = "2026-11-25".length;

/** Identifies a passage in either of two answers, which may be of two RAGs over one source. */
export const keyOf = (fileSource: string, { source }: Chunk) =>
  `${fileSource}\n${source.filePath}\n${source.start}\n${source.end}`;

type HitsProps = {
  label: string;
  chunks: Chunk[];
  /** What was searched for, which is marked. */
  queries: string[];
  /** The RAGs that were searched: their sources hold the files. */
  rags: readonly Pick<RagRecord, "identifier" | "fileSource" | "numberVectors">[];
  /** The other answer's passages in order; null where there is no other. */
  compared: string[] | null;
};

/** Why there are no passages, and what to do. */
const Nothing = ({ rags }: Pick<HitsProps, "rags">) => {
  const [first] = rags;
  const isEmpty = rags.every(({ numberVectors }) => numberVectors === 0);
  if (first === undefined || !isEmpty) {
    return (
      <Empty title="No passages.">
        <p>
          Nothing in the index passes these settings. A lower similarity threshold, other words or
          fewer restrictions may help.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing is indexed yet.">
      <p>
        <a href={`/panel/rags/${encodeURIComponent(first.identifier)}`}>The index</a> says what is
        under way and what failed.
      </p>
    </Empty>
  );
};

/** The passages of one answer, best first. */
export const Hits = ({ label, chunks, queries, rags, compared }: HitsProps) => {
  if (chunks.length === 0) {
    return (
      <section aria-label={label}>
        <Nothing rags={rags} />
      </section>
    );
  }
  const matched = matchedBy(queries);
  const sources = new Map(rags.map((rag) => [rag.identifier, rag.fileSource.identifier]));
  return (
    <section aria-label={label} class="hits">
      {chunks.map((chunk, at) => (
        <Hit
          chunk={chunk}
          at={at}
          id={`${label.replaceAll(/\W+/g, "-")}-${at}`}
          fileSource={sources.get(chunk.source.ragIdentifier) ?? ""}
          matched={matched}
          queries={queries}
          compared={compared}
        />
      ))}
    </section>
  );
};

type HitProps = Pick<HitsProps, "queries" | "compared"> & {
  matched: Matched;
  chunk: Chunk;
  at: number;
  id: string;
  /** The identifier of the source that holds the file. */
  fileSource: string;
};

const Hit = ({ chunk, at, id, fileSource, matched, queries, compared }: HitProps) => (
  <article class="hit">
    <header>
      <h3>
        <DataLink
          href={fileAddress(fileSource, chunk.source.filePath)}
          text={chunk.source.filePath}
        />
      </h3>
      {compared === null ? null : (
        <Moved from={compared.indexOf(keyOf(fileSource, chunk))} to={at} />
      )}
      {chunk.value === undefined ? null : (
        <span class="score" title="Passages are ordered by this value">
          {chunk.value.toFixed(SCORE_DIGITS)}
        </span>
      )}
      <span class="soft" title="Similarity of the passage and the question, 0 to 1">
        similarity {chunk.score.toFixed(SCORE_DIGITS)}
      </span>
      <CopyOf id={id} label={`passage ${at + 1}`} />
    </header>
    <Place source={chunk.source} />
    <Found text={chunk.text} matched={matched} id={id} />
    {chunk.explanation === undefined ? null : (
      <Why explanation={chunk.explanation} queries={queries} rank={at + 1} />
    )}
  </article>
);

/** The page of a file. */
export const fileAddress = (source: string, path: string) =>
  `/panel/sources/${encodeURIComponent(source)}/file?path=${encodeURIComponent(path)}`;

/** Where in the document the passage stands. */
const Place = ({ source }: { source: Chunk["source"] }) => {
  const { headings, page, position, url, modifiedAt } = source;
  const href = safeHref(url);
  return (
    <p class="place-in-file">
      {page === null ? null : <span>page {count(page)}</span>}
      {headings.length === 0 ? null : <Data>{headings.join(" › ")}</Data>}
      <span>passage {count(position + 1)}</span>
      <span title={modifiedAt}>changed {modifiedAt.slice(0, DAY_LENGTH)}</span>
      {href === null ? null : (
        <a href={href} rel="noreferrer noopener">
          original
        </a>
      )}
    </p>
  );
};

/** What the other setting made of the passage; `from` is -1 where it did not find it. */
const Moved = ({ from, to }: { from: number; to: number }) => {
  if (from === -1) return <span class="moved new">new</span>;
  const steps = from - to;
  if (steps === 0) return <span class="moved">same place</span>;
  return steps > 0 ? (
    <span class="moved up">up {count(steps)}</span>
  ) : (
    <span class="moved down">down {count(-steps)}</span>
  );
};

type WhyProps = { explanation: Explanation; queries: string[]; rank: number };

const Why = ({ explanation, queries, rank }: WhyProps) => (
  <details class="why">
    <summary>Why here</summary>
    <table>
      <thead>
        <tr>
          <th scope="col">Question</th>
          <th scope="col">By words</th>
          <th scope="col">By meaning</th>
        </tr>
      </thead>
      <tbody>
        {explanation.queries.map(({ lexical, vector }, at) => (
          <tr>
            <td>
              <Data>{queries[at] ?? ""}</Data>
            </td>
            <td>{rankOf(lexical, "BM25")}</td>
            <td>{rankOf(vector, "cosine")}</td>
          </tr>
        ))}
      </tbody>
    </table>
    <p class="soft">
      Both together: {explanation.fused.toFixed(FINE_DIGITS)}, place {count(explanation.fusedRank)}.{" "}
      {explanation.wordsRank === null
        ? null
        : `By words, headings and names: place ${count(explanation.wordsRank)}. `}
      {explanation.relevance === null
        ? null
        : `The reranker gave ${explanation.relevance.toFixed(FINE_DIGITS)}, place ${count(rank)}. `}
      {explanation.recency === null
        ? null
        : `Its age leaves it ${percent(explanation.recency, 1)} of its value.`}
    </p>
  </details>
);

type Rank = Explanation["queries"][number]["lexical"];

const rankOf = (found: Rank, unit: string) =>
  found === null
    ? "not found"
    : `place ${count(found.rank)}, ${unit} ${found.score.toFixed(SCORE_DIGITS)}`;
