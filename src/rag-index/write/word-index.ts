import { inBatches } from "../../core/work/batches.ts";
import { namesAndWordsOf } from "../../text/words.ts";
import { stringsIn } from "../stored-json.ts";
import { termSlotsOf } from "./term-counts.ts";
import type { TermCounts } from "./term-counts.ts";
import { chooseRemoval } from "./word-merges.ts";
import type { WriteContext } from "./write-context.ts";

/** A chunk's words as stored in the FTS index; deleting them needs the same result. */
export type ChunkWords = { chunk: number; headings: string[]; text: string[] };

type Row = { chunk: number; headings: string; text: string };

function chunkWordsOf(chunk: number, headings: string[], text: string): ChunkWords {
  return { chunk, headings: namesAndWordsOf(headings.join("\n")), text: namesAndWordsOf(text) };
}

const slotsOf = ({ headings, text }: ChunkWords) => termSlotsOf([...headings, ...text]);

/** Reads the words of live chunks from their stored texts. */
export function readWords(sql: SqlStorage, chunks: number[]): ChunkWords[] {
  const rows = sql.exec<Row>(
    `SELECT c.chunk, c.headings, t.text FROM json_each(?) wanted
      CROSS JOIN chunks c ON c.chunk = wanted.value JOIN texts t ON t.chunk = c.chunk`,
    JSON.stringify(chunks),
  );
  return Array.from(rows, ({ chunk, headings, text }) =>
    chunkWordsOf(chunk, stringsIn(headings), text),
  );
}

function addWords(sql: SqlStorage, { chunk, headings, text }: ChunkWords): void {
  sql.exec(
    "INSERT INTO words (rowid, headings, text) VALUES (?, ?, ?)",
    chunk,
    headings.join(" "),
    text.join(" "),
  );
}

/**
 * FTS5's own delete command for a contentless index. Unlike `contentless_delete` it also subtracts
 * the row from the totals that BM25 uses.
 */
function removeWords(sql: SqlStorage, { chunk, headings, text }: ChunkWords): void {
  sql.exec(
    "INSERT INTO words (words, rowid, headings, text) VALUES ('delete', ?, ?, ?)",
    chunk,
    headings.join(" "),
    text.join(" "),
  );
}

/** Number of texts in memory at once; a large file has thousands of chunks. */
const CHUNKS_AT_ONCE = 256;

function forBatches(sql: SqlStorage, chunks: number[], work: (words: ChunkWords[]) => void): void {
  for (const batch of inBatches(chunks, CHUNKS_AT_ONCE)) work(readWords(sql, batch));
}

/** Indexes the words of the chunks' current texts and headings. */
export function giveWords(sql: SqlStorage, termCounts: TermCounts, chunks: number[]): void {
  forBatches(sql, chunks, (batch) => {
    for (const words of batch) addWords(sql, words);
    termCounts.record(1, batch.map(slotsOf));
  });
}

/** Removes the words; texts and headings must still be those that were indexed. */
export function takeWords({ sql, termCounts, removals }: WriteContext, chunks: number[]): void {
  if (chunks.length === 0) return;
  removals.passages += chunks.length;
  removals.leavesWords = chooseRemoval(sql, removals.passages) === "merged";
  forBatches(sql, chunks, (batch) => {
    for (const words of batch) removeWords(sql, words);
    termCounts.record(-1, batch.map(slotsOf));
  });
}
