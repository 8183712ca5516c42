import type { Child } from "hono/jsx";

import type { RagRecord } from "../../../db/records.ts";
import { stemOf } from "../../../text/stems.ts";
import { withoutStopWords } from "../../../text/stop-words.ts";
import { searchWordsOf } from "../../../text/words.ts";
import { CopyButton } from "../../components/code-block.tsx";
import { Data, safeHref, ShortenedLink } from "../../components/data.tsx";
import { count } from "../../components/figures.ts";
import type { Words } from "../../components/markdown-inline.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Empty } from "../../components/page-head.tsx";
import { newQuestionAddress } from "../evaluation/set-parts.tsx";
import { highestOf, SCORE_DIGITS, Scores } from "./scores.tsx";
import type { Passage } from "./search-settings.ts";

const DAY_LENGTH = "2026-11-25".length;

type Rags = readonly Pick<RagRecord, "identifier" | "fileSource" | "numberVectors">[];

/** Identifies each passage in either of two answers, which may be of two RAGs over one source. */
export function keysOf(rags: Rags, passages: readonly Passage[]): string[] {
  const sources = sourcesOf(rags);
  return passages.map(({ source }) => {
    const fileSource = sources.get(source.ragIdentifier) ?? "";
    return `${fileSource}\n${source.filePath}\n${source.start}\n${source.end}`;
  });
}

const sourcesOf = (rags: Rags) =>
  new Map(rags.map((rag) => [rag.identifier, rag.fileSource.identifier]));

type HitsProps = {
  /** Before the number of each passage, in the page's addresses. */
  id: string;
  chunks: Passage[];
  /** The queries, whose words are marked. */
  queries: string[];
  /** The RAGs that were searched: their sources hold the files. */
  rags: Rags;
  /** The question, which may be kept to test the search; null: it may not. */
  kept: string | null;
  /** The other answer's passages in order; absent where there is no other. */
  compared?: string[] | undefined;
};

const Nothing = ({ rags }: Pick<HitsProps, "rags">) => {
  const [first] = rags;
  const isEmpty = rags.every(({ numberVectors }) => numberVectors === 0);
  if (first === undefined || !isEmpty) {
    return (
      <Empty title="No passages.">
        Nothing in the index matches these settings. A lower similarity threshold, other words,
        fewer restrictions or a RAG that leaves nothing out may help.
      </Empty>
    );
  }
  return (
    <Empty title="Nothing is indexed yet.">
      <a href={`/panel/rags/${first.identifier}`}>The index</a> shows what is in progress and what
      failed.
    </Empty>
  );
};

/** The passages of one answer, best first. */
export const Hits = ({ id, chunks, queries, rags, kept, compared }: HitsProps) => {
  if (chunks.length === 0) {
    return (
      <section aria-label="Passages">
        <Nothing rags={rags} />
        {kept === null ? null : (
          <Keep rag={rags[0]?.identifier ?? ""} question={kept} file={null} />
        )}
      </section>
    );
  }
  const matched = stemsOfQueries(queries);
  const sources = sourcesOf(rags);
  const keys = keysOf(rags, chunks);
  const highest = highestOf(chunks.map(explanationOf));
  return (
    <section class="hits">
      {chunks.map((chunk, at) => (
        <Hit
          chunk={chunk}
          at={at}
          id={`${id}-${at + 1}`}
          fileSource={sources.get(chunk.source.ragIdentifier) ?? ""}
          from={compared?.indexOf(keys[at] ?? "")}
          {...{ matched, highest, kept }}
        />
      ))}
    </section>
  );
};

const explanationOf = (chunk: Passage) => ("explanation" in chunk ? chunk.explanation : undefined);

type HitProps = Pick<HitsProps, "kept"> & {
  matched: MatchedWords;
  chunk: Passage;
  at: number;
  id: string;
  fileSource: string;
  highest: number;
  /** Its place in the other answer, -1 for none; undefined where there is no other. */
  from: number | undefined;
};

const Hit = (props: HitProps) => {
  const { chunk, at, id, fileSource, matched, kept, highest, from } = props;
  const { source, text, score } = chunk;
  return (
    <article class="hit" id={id} tabindex={-1}>
      <header>
        <span class="faint">{at + 1}</span>
        <h3>
          <ShortenedLink href={fileAddress(fileSource, source.filePath)} text={source.filePath} />
        </h3>
        {from === undefined ? null : <Moved from={from} to={at} />}
        {"value" in chunk && chunk.value !== undefined ? (
          <span class="score" title="It orders these passages, and does not say how well they fit">
            {chunk.value.toFixed(SCORE_DIGITS)}
          </span>
        ) : null}
        <CopyButton of={`${id}-text`} label={`passage ${at + 1}`} />
      </header>
      <Place source={source} file={fileAddress(fileSource, source.filePath)} />
      <Markdown text={text} words={markMatches(matched)} id={`${id}-text`} />
      <footer>
        <Scores similarity={score} explanation={explanationOf(chunk)} highest={highest} />
        {kept === null ? null : (
          <Keep rag={source.ragIdentifier} question={kept} file={source.filePath} />
        )}
      </footer>
    </article>
  );
};

const Keep = (offer: Parameters<typeof newQuestionAddress>[0]) => (
  <a class="faint" href={newQuestionAddress(offer)}>
    Keep as test question
  </a>
);

export const fileAddress = (source: string, path: string) =>
  `/panel/sources/${source}/file?path=${encodeURIComponent(path)}`;

const PDF = /\.pdf$/i;

/** Where in the document the passage stands; a PDF is opened at the page. */
const Place = ({ source, file }: { source: Passage["source"]; file: string }) => {
  const { filePath, headings, page, position, url, modifiedAt } = source;
  const at = page !== null && PDF.test(filePath) ? `#page=${page}` : "";
  // A file without an address of its own was pushed, and is kept here.
  const kept = at === "" ? null : file.replace("/file?", "/file/original?");
  const href = url === null ? kept : safeHref(url);
  return (
    <p class="place-in-file">
      {headings.length === 0 ? null : <Data>{headings.join(" › ")}</Data>}
      {page === null ? null : <span>page {count(page)}</span>}
      <span>passage {count(position + 1)}</span>
      <span title={modifiedAt}>changed {modifiedAt.slice(0, DAY_LENGTH)}</span>
      {href === null ? null : (
        <a href={href + at} rel="noreferrer noopener">
          {at === "" ? "original" : `original, page ${count(page ?? 1)}`}
        </a>
      )}
    </p>
  );
};

/** The passage's rank with the other setting; `from` is -1 where it did not find it. */
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

/** Words, and pairs of characters of scripts without spaces, that a search looks for. */
export type MatchedWords = ReadonlySet<string>;

const stemsOfQueries = (queries: readonly string[]): MatchedWords =>
  new Set(queries.flatMap((query) => withoutStopWords(searchWordsOf(query)).map(stemOf)));

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
/** A run of letters longer than any word is left unmarked. */
const MAX_WORD_LENGTH = 200;

const isMatch = (word: string, matched: MatchedWords) =>
  word.length <= MAX_WORD_LENGTH && searchWordsOf(word).some((part) => matched.has(stemOf(part)));

const markMatches =
  (matched: MatchedWords): Words =>
  (text) => {
    const pieces: Child[] = [];
    let at = 0;
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (!isMatch(word, matched)) continue;
      pieces.push(text.slice(at, index), <mark>{word}</mark>);
      at = index + word.length;
    }
    return [...pieces, text.slice(at)];
  };
