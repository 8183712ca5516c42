import type { ChunkId } from "../core/ids.ts";
import { stemOf } from "../core/stems.ts";
import { isUnspacedCharacter } from "../core/text.ts";
import type { Candidate } from "../ports/rag-index.ts";
import type { Admission } from "./admission.ts";
import { readWords } from "./word-index.ts";

/** Chunks that are read and scored when even a query's rarest word stands nearly everywhere. */
const SAMPLE_LIMIT = 400;
const ROWS_A_PAGE = 1_000;
/** FTS5's figures, and what it gives a word that stands in more than half of all chunks. */
const K1 = 1.2;
const B = 0.75;
const LEAST_IDF = 1e-6;
const HEADING_WEIGHT = 2;

type Row = { chunk: number; id: ChunkId; file: number; duplicate: number };

const NEXT_PAGE = `SELECT c.chunk, c.id, c.file, c.duplicate
  FROM words w CROSS JOIN chunks c ON c.chunk = w.rowid
  WHERE words MATCH ? AND w.rowid > ? ORDER BY w.rowid LIMIT ?`;

function sampleOf(
  sql: SqlStorage,
  admission: Admission,
  match: string,
  postingsLimit: number,
): Map<number, ChunkId> {
  const sample = new Map<number, ChunkId>();
  let after = 0;
  for (let read = 0; read < postingsLimit && sample.size < SAMPLE_LIMIT; read += ROWS_A_PAGE) {
    // Each page is read to its end: an abandoned cursor would keep its statement busy.
    const rows = sql.exec<Row>(NEXT_PAGE, match, after, ROWS_A_PAGE).toArray();
    for (const { chunk, id, file, duplicate } of rows) {
      if (sample.size >= SAMPLE_LIMIT) break;
      if (admission.admits({ chunk, file, duplicate: duplicate === 1 })) sample.set(chunk, id);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_A_PAGE) break;
    after = last.chunk;
  }
  return sample;
}

/**
 * Ranking every chunk that holds a very common word would cost the size of the RAG and tell little
 * (FTS5's `bm25` reads the whole posting list for its document frequency alone). So the eligible
 * chunks that were stored first are ranked among themselves, by how often the word stands in them.
 */
export function rankCommonWord(
  sql: SqlStorage,
  admission: Admission,
  search: { word: string; match: string; postingsLimit: number; limit: number },
): Candidate[] {
  const sample = sampleOf(sql, admission, search.match, search.postingsLimit);
  const read = readWords(sql, [...sample.keys()]);
  const stem = stemOf(search.word);
  const isHit = isUnspacedCharacter(search.word)
    ? (word: string) => word.startsWith(search.word)
    : (word: string) => stemOf(word) === stem;
  const lengthOf = ({ headings, text }: (typeof read)[number]) => headings.length + text.length;
  const mean = read.reduce((sum, words) => sum + lengthOf(words), 0) / Math.max(1, read.length);
  const scored = read.map((words) => {
    const count =
      words.text.filter(isHit).length + HEADING_WEIGHT * words.headings.filter(isHit).length;
    const damp = K1 * (1 - B + (B * lengthOf(words)) / mean);
    return { words, score: (LEAST_IDF * count * (K1 + 1)) / (count + damp) };
  });
  return scored
    .sort((a, b) => b.score - a.score || a.words.chunk - b.words.chunk)
    .slice(0, search.limit)
    .flatMap(({ words, score }) => {
      const id = sample.get(words.chunk);
      return id === undefined ? [] : [{ id, score }];
    });
}
