import type { Chunk, Retrieval, Run } from "../api/public-api.ts";
import { answerText } from "../api/public-api.ts";
import type { Terminal } from "../terminal.ts";
import { textWidth } from "../terminal.ts";

const SCORE_DIGITS = 3;
const PASSAGE_LENGTH = 420;
const NARROW_COLUMNS = 34;

/** Passages as a table: score, where it stands, the text. */
export function showChunks(terminal: Terminal, chunks: Chunk[]): void {
  if (chunks.length === 0) {
    terminal.say("Nothing was found.");
    return;
  }
  const SCORE_WIDTH = 7;
  const widths = [SCORE_WIDTH, NARROW_COLUMNS, textWidth() - SCORE_WIDTH - NARROW_COLUMNS];
  const rows = chunks.map(({ score, text, source }) => [
    score.toFixed(SCORE_DIGITS),
    [source?.filePath ?? "", ...(source?.headings ?? []).map((heading) => `› ${heading}`)].join(
      "\n",
    ),
    shortened(text),
  ]);
  terminal.table(["score", "file", "passage"], rows, widths);
}

function shortened(text: string): string {
  const folded = text.replace(/\s+/g, " ").trim();
  return folded.length > PASSAGE_LENGTH ? `${folded.slice(0, PASSAGE_LENGTH)} …` : folded;
}

export function showRetrieval(terminal: Terminal, query: string, retrieval: Retrieval): void {
  terminal.say(`\nPassages for “${query}”`);
  showChunks(terminal, retrieval.chunks);
  if (retrieval.degraded !== undefined) terminal.say("(degraded: a part of the search failed)");
}

export function showAnswer(terminal: Terminal, prompt: string, run: Run): void {
  terminal.say(`\nAnswer to “${prompt}”`);
  for (const line of answerText(run.response).split("\n")) terminal.say(`  ${line}`);
  const files = new Set(run.items.flatMap(({ source }) => source?.filePath ?? []));
  if (files.size > 0) terminal.say(`  (from ${[...files].join(", ")})`);
}
