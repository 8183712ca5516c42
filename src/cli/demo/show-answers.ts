import { z } from "zod";

import type { Chunk, Explained, Retrieval, Run } from "../api/clients.ts";
import type { Terminal } from "../terminal.ts";
import { excerpt } from "./excerpt.ts";

const SCORE_DIGITS = 3;
const FILE_WIDTH = 32;

type ShownChunk = Chunk & Pick<Explained, "explanation">;
type Explanation = NonNullable<Explained["explanation"]>;

/**
 * Passages as a table: score, origin, and the part of the text that matches the queries. Where a
 * passage is explained, why it stands where it does.
 */
export function showChunks(terminal: Terminal, chunks: ShownChunk[], queries: string[]): void {
  if (chunks.length === 0) {
    terminal.say("Nothing was found.");
    return;
  }
  const rows = chunks.map(({ score, text, source, explanation }) => [
    score.toFixed(SCORE_DIGITS),
    [source?.filePath ?? "", ...(source?.headings ?? []).map((heading) => `› ${heading}`)].join(
      "\n",
    ),
    [excerpt(text, queries), ...(explanation === undefined ? [] : reasons(explanation))].join("\n"),
  ]);
  terminal.table(["score", "file", "passage"], rows, [undefined, FILE_WIDTH]);
}

/** For each query the ranks of the passage by words (BM25) and by similarity (cosine). */
function reasons({ queries, fusedRank, wordsRank, relevance }: Explanation): string[] {
  const leg = (name: string, found: Explanation["queries"][number]["lexical"]) =>
    found === null
      ? `not found by ${name}`
      : `${name} ${found.score.toFixed(SCORE_DIGITS)} (rank ${found.rank})`;
  const legs = queries.map(
    ({ lexical, vector }) => `${leg("words", lexical)}, ${leg("similarity", vector)}`,
  );
  const reranked = relevance === null ? "" : `, reranker ${relevance.toFixed(SCORE_DIGITS)}`;
  const looked = wordsRank === null ? "" : `, by words and names rank ${wordsRank}`;
  return [...legs, `together rank ${fusedRank}${looked}${reranked}`].map((line) => `= ${line}`);
}

export function showRetrieval(terminal: Terminal, query: string, retrieval: Retrieval): void {
  terminal.say(`\nPassages for “${query}”`);
  showChunks(terminal, retrieval.chunks, [query]);
  for (const line of lostLines(retrieval)) terminal.say(line);
}

export function showAnswer(terminal: Terminal, prompt: string, run: Run): void {
  terminal.say(`\nAnswer to “${prompt}”`);
  for (const line of answerText(run.response).split("\n")) terminal.say(`  ${line}`);
  for (const line of [...sourceLines(run), ...lostLines(run)]) terminal.say(`  ${line}`);
}

/** A line where a search or an answer is degraded. */
export const lostLines = ({ degraded }: Pick<Run, "degraded">): string[] =>
  degraded === undefined
    ? []
    : ["Degraded: a part of the search failed, such as the embedding model; this is without it."];

/**
 * `Sources:` and a line for each passage that the answer cites; where it cites none, for all.
 * Nothing where the answer names their files itself, as the built-in model does.
 */
export function sourceLines({ response, items }: Run): string[] {
  const cited = citedItems(response).flatMap((item) => items[item] ?? []);
  const places = (cited.length > 0 ? cited : items).flatMap(({ source }) => {
    if (source === undefined) return [];
    const { filePath, page, headings } = source;
    const onPage = page === null ? "" : `, page ${page}`;
    return [[`${filePath}${onPage}`, ...headings].join(" › ")];
  });
  const text = answerText(response);
  const isSaid = (item: Chunk) => text.includes(item.source?.filePath ?? "");
  if (cited.length > 0 && cited.every(isSaid)) return [];
  const lines = [...new Set(places)].map((place) => `- ${place}`);
  if (lines.length === 0) return [];
  return [cited.length > 0 ? "Sources:" : "Found, and cited by nothing in the answer:", ...lines];
}

/** Citations are not part of the published specification. */
const blocks = z.array(
  z.looseObject({
    text: z.string().default(""),
    citations: z.array(z.looseObject({ item: z.number() })).default([]),
  }),
);

/** Indexes of the items that the answer cites, in the order of the text. */
function citedItems(response: Run["response"]): number[] {
  const cited = (blocks.safeParse(response).data ?? []).flatMap(({ citations }) => citations);
  return [...new Set(cited.map(({ item }) => item))];
}

/** An inference's response as text: its text blocks, or the JSON that a schema asked for. */
export function answerText(response: Run["response"]): string {
  const texts = (blocks.safeParse(response).data ?? []).map(({ text }) => text);
  return texts.length > 0 ? texts.join("\n\n") : JSON.stringify(response, null, 2);
}
