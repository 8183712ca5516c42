import { z } from "zod";

import { wordsOf } from "../../text/words.ts";
import type { Chunk, ExplainedPassage, Run } from "../api/clients.ts";
import { shellWord, type Terminal } from "../terminal.ts";
import type { Questions } from "./subject.ts";

const SCORE_DIGITS = 3;
const FILE_WIDTH = 32;

type ShownChunk = Chunk & Pick<ExplainedPassage, "explanation">;
type Explanation = NonNullable<ExplainedPassage["explanation"]>;

/** A table: score, origin, the part that matches the queries, and the explanation if any. */
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
  const legText = (name: string, legFindings: Explanation["queries"][number]["lexical"]) =>
    legFindings === null
      ? `not found by ${name}`
      : `${name} ${legFindings.score.toFixed(SCORE_DIGITS)} (rank ${legFindings.rank})`;
  const legs = queries.map(
    ({ lexical, vector }) => `${legText("words", lexical)}, ${legText("similarity", vector)}`,
  );
  const reranked = relevance === null ? "" : `, reranker ${relevance.toFixed(SCORE_DIGITS)}`;
  const looked = wordsRank === null ? "" : `, then rank ${wordsRank}`;
  return [...legs, `fused rank ${fusedRank}${looked}${reranked}`].map((line) => `= ${line}`);
}

/** A line where a search or an answer is degraded. */
export const noticeLines = ({ degraded }: Pick<Run, "degraded">): string[] =>
  degraded === undefined
    ? []
    : [
        "Degraded: a part of the search failed, such as the embedding model. The results come from the rest.",
      ];

/**
 * Sources that the answer cites, else all; none if it names files itself, as the built-in model
 * does.
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
  const isMentioned = (item: Chunk) => text.includes(item.source?.filePath ?? "");
  if (cited.length > 0 && cited.every(isMentioned)) return [];
  const lines = [...new Set(places)].map((place) => `- ${place}`);
  if (lines.length === 0) return [];
  return [cited.length > 0 ? "Sources:" : "Found, but not cited:", ...lines];
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

const LENGTH = 600;
const STEP = 40;
/** Shorter words occur in every window. */
const TELLING_LENGTH = 4;

/** The part with most of the queries' words, without Markdown marks; else the beginning. */
export function excerpt(passage: string, queries: string[], length = LENGTH): string {
  const text = plainTextOf(passage);
  if (text.length <= length) return text;
  const telling = wordsOf(queries.join(" ")).filter((word) => word.length >= TELLING_LENGTH);
  const at = bestStart(text, new Set(telling), length);
  const end = Math.min(text.length, at + length);
  const from = at === 0 ? 0 : text.indexOf(" ", at) + 1;
  const to = end < text.length ? text.lastIndexOf(" ", end) : end;
  // A text without spaces is cut at any character.
  const cut = text.slice(from, to > from ? to : end);
  return `${at === 0 ? "" : "… "}${cut}${end < text.length ? " …" : ""}`;
}

function bestStart(text: string, telling: ReadonlySet<string>, length: number): number {
  let best = { at: 0, found: 0 };
  for (let at = 0; at + length - STEP < text.length; at += STEP) {
    const matches = wordsOf(text.slice(at, at + length)).filter((word) => telling.has(word)).length;
    if (matches > best.found) best = { at, found: matches };
  }
  return best.at;
}

function plainTextOf(markdown: string): string {
  return markdown
    .replace(/^[|\s:-]+$/gm, "")
    .replace(/^\s*(#+|[-*])\s+/gm, "")
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/\[([^[\]]*)\]\([^()]*\)|\*\*|`/g, "$1")
    .replace(/\s*\|\s*/g, " | ")
    .replace(/\s+/g, " ")
    .trim();
}

export const addressesOf = (baseUrl: string, identifier: string) => ({
  panel: `${baseUrl}/panel`,
  api: `${baseUrl}/api`,
  docs: `${baseUrl}/api/docs`,
  openapi: `${baseUrl}/api/openapi.json`,
  retrieve: `${baseUrl}/api/rags/${identifier}/retrieve`,
  inference: `${baseUrl}/api/inferences/${identifier}`,
  agent: `${baseUrl}/api/agents/${identifier}/invoke`,
});

type Caller = { token: string; reader: string | undefined };

/** Prints addresses, and commands that can be pasted into a shell. */
export function showAddresses(
  { say }: Terminal,
  urls: ReturnType<typeof addressesOf>,
  caller: Caller,
  { query, prompt }: Questions,
): void {
  say(`
Addresses
  API             ${urls.api}
  Reference       ${urls.docs}
  OpenAPI         ${urls.openapi}

Try it`);
  if (caller.reader !== undefined)
    say("  # The source has permissions: Quarry-Reader names who asks.");
  say(curl(caller, urls.retrieve, { semanticSearch: [query], includeSources: true }));
  say(curl(caller, urls.inference, { prompt, semanticSearch: [prompt] }));
  say(curl(caller, urls.agent, { prompt }));
}

function curl({ token, reader }: Caller, url: string, body: object): string {
  const person = encodeURIComponent(reader ?? "").replaceAll("%40", "@");
  const headers = [
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    ...(person === "" ? [] : [`Quarry-Reader: ${person}`]),
  ];
  const headerArgs = headers.map((header) => `-H ${shellWord(header)}`).join(" ");
  return `  curl -s ${url} ${headerArgs} -d ${shellWord(JSON.stringify(body))}`;
}
