import { indexWordsOf } from "../core/text.ts";
import { termSlotsOf } from "./term-counts.ts";

/** A chunk's words as the FTS index holds them; the same call takes them out again. */
export type ChunkWords = { chunk: number; headings: string[]; text: string[] };

type Row = { chunk: number; headings: string; text: string };

export function chunkWordsOf(chunk: number, headings: string[], text: string): ChunkWords {
  return { chunk, headings: indexWordsOf(headings.join("\n")), text: indexWordsOf(text) };
}

export const slotsOf = ({ headings, text }: ChunkWords) => termSlotsOf([...headings, ...text]);

/** Reads the words of live chunks from their stored texts. */
export function readWords(sql: SqlStorage, chunks: number[]): ChunkWords[] {
  const rows = sql.exec<Row>(
    `SELECT c.chunk, c.headings, t.text FROM json_each(?) wanted
      CROSS JOIN chunks c ON c.chunk = wanted.value JOIN texts t ON t.chunk = c.chunk`,
    JSON.stringify(chunks),
  );
  return Array.from(rows, ({ chunk, headings, text }) =>
    chunkWordsOf(chunk, JSON.parse(headings) as string[], text),
  );
}

export function addWords(sql: SqlStorage, { chunk, headings, text }: ChunkWords): void {
  sql.exec(
    "INSERT INTO words (rowid, headings, text) VALUES (?, ?, ?)",
    chunk,
    headings.join(" "),
    text.join(" "),
  );
}

/**
 * FTS5's own command for an index that keeps no texts. Unlike `contentless_delete` it also takes
 * the row out of the totals that BM25 is computed from.
 */
export function removeWords(sql: SqlStorage, { chunk, headings, text }: ChunkWords): void {
  sql.exec(
    "INSERT INTO words (words, rowid, headings, text) VALUES ('delete', ?, ?, ?)",
    chunk,
    headings.join(" "),
    text.join(" "),
  );
}
