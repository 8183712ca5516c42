import type { Chunk, Retrieval, Run } from "../api/public-api.ts";
import { answerText, citedItems } from "../api/public-api.ts";
import type { Terminal } from "../terminal.ts";
import { textWidth } from "../terminal.ts";
import { excerpt } from "./excerpt.ts";

const SCORE_DIGITS = 3;
const SCORE_WIDTH = 7;
const FILE_WIDTH = 34;
const CELL_PADDING = 2;

/** Passages as a table: score, origin, and the part of the text that matches the queries. */
export function showChunks(terminal: Terminal, chunks: Chunk[], queries: string[]): void {
  if (chunks.length === 0) {
    terminal.say("Nothing was found.");
    return;
  }
  const widths = [SCORE_WIDTH, FILE_WIDTH, textWidth() - SCORE_WIDTH - FILE_WIDTH];
  const rows = chunks.map(({ score, text, source }) => [
    score.toFixed(SCORE_DIGITS),
    [
      brokenToFit(source?.filePath ?? "", FILE_WIDTH - CELL_PADDING),
      ...(source?.headings ?? []).map((heading) => `› ${heading}`),
    ].join("\n"),
    excerpt(text, queries),
  ]);
  terminal.table(["score", "file", "passage"], rows, widths);
}

export function showRetrieval(terminal: Terminal, query: string, retrieval: Retrieval): void {
  terminal.say(`\nPassages for “${query}”`);
  showChunks(terminal, retrieval.chunks, [query]);
  if (retrieval.degraded !== undefined) terminal.say("(degraded: a part of the search failed)");
}

export function showAnswer(terminal: Terminal, prompt: string, run: Run): void {
  terminal.say(`\nAnswer to “${prompt}”`);
  for (const line of answerText(run.response).split("\n")) terminal.say(`  ${line}`);
  for (const line of sourceLines(run)) terminal.say(`  ${line}`);
}

/** `Sources:` and a line for each passage that the answer cites; where it cites none, for all. */
export function sourceLines({ response, items }: Run): string[] {
  const cited = citedItems(response).flatMap((item) => items[item] ?? []);
  const places = (cited.length > 0 ? cited : items).flatMap(({ source }) => {
    if (source === undefined) return [];
    const { filePath, page, headings } = source;
    const onPage = page === null || page === undefined ? "" : `, page ${page}`;
    return [[`${filePath}${onPage}`, ...(headings ?? [])].join(" › ")];
  });
  const lines = [...new Set(places)].map((place) => `- ${place}`);
  if (lines.length === 0) return [];
  return [cited.length > 0 ? "Sources:" : "Found, and cited by nothing in the answer:", ...lines];
}

/**
 * A path over several lines, broken after slashes where possible: a table truncates long words.
 */
function brokenToFit(path: string, width: number): string {
  const lines: string[] = [""];
  for (const piece of path.match(/[^/]*\/?/g) ?? []) {
    const pieces = piece.match(new RegExp(`.{1,${width}}`, "gu")) ?? [];
    for (const part of pieces) {
      const last = lines.length - 1;
      const line = lines[last] ?? "";
      if (line.length + part.length <= width) lines[last] = line + part;
      else lines.push(part);
    }
  }
  return lines.join("\n");
}
