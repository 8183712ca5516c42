import type { ChunkId } from "../../core/ids.ts";
import { rowsOf, valueOf, type Row } from "../tables.ts";
import type { Eligibility } from "./eligibility.ts";
import { HEADING_WEIGHT, type MatchCounts, type CorpusSize } from "../../text/bm25.ts";
import { stemOf } from "../../text/stems.ts";
import { isPrefixTerm } from "./query-terms.ts";
import { readWords, type ChunkWords } from "../write/word-index.ts";

/** Chunks that are read and scored without FTS5. */
export const DIRECT_LIMIT_CHUNKS = 400;
const ROWS_A_PAGE = 1_000;

type ChunkRow = Row<"chunks", "chunk" | "id" | "duplicate">;
export type Sample = Map<number, ChunkId>;

function addEligible(sample: Sample, eligibility: Eligibility, rows: ChunkRow[]): void {
  for (const { chunk, id, duplicate } of rows) {
    if (sample.size >= DIRECT_LIMIT_CHUNKS) return;
    if (eligibility.includes({ chunk, duplicate: duplicate === 1 })) sample.set(chunk, id);
  }
}

/** Every chunk of the eligible files; for restrictions within DIRECT_LIMIT_CHUNKS. */
export function eligibleChunks(sql: SqlStorage, eligibility: Eligibility): Sample {
  const files = [...(eligibility.files ?? [])];
  const rows = rowsOf<ChunkRow>(sql)`SELECT c.chunk, c.id, c.duplicate FROM json_each(${files}) f
    CROSS JOIN chunks c ON c.file = f.value AND c.live = 1`;
  const sample: Sample = new Map();
  addEligible(sample, eligibility, rows);
  return sample;
}

/** The first chunk of a restriction: a RAG's files are mostly stored one after the other. */
function firstEligible(sql: SqlStorage, { files }: Eligibility): number {
  if (files === null) return 0;
  const first = valueOf<number>(sql)`SELECT min(c.chunk) FROM json_each(${[...files]}) f
    CROSS JOIN chunks c ON c.file = f.value AND c.live = 1`;
  return first ?? 0;
}

/** The first eligible chunks that match, reading a bounded number of postings. */
export function firstMatches(
  sql: SqlStorage,
  eligibility: Eligibility,
  { match, postingsLimit }: { match: string; postingsLimit: number },
): Sample {
  const sample: Sample = new Map();
  let after = firstEligible(sql, eligibility) - 1;
  for (let postings = 0; postings < postingsLimit && sample.size < DIRECT_LIMIT_CHUNKS;) {
    // Each page is read to its end: an abandoned cursor would keep its statement busy.
    const rows = rowsOf<ChunkRow>(sql)`SELECT c.chunk, c.id, c.duplicate
      FROM words w CROSS JOIN chunks c ON c.chunk = w.rowid
      WHERE words MATCH ${match} AND w.rowid > ${after} ORDER BY w.rowid LIMIT ${ROWS_A_PAGE}`;
    addEligible(sample, eligibility, rows);
    postings += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_A_PAGE) break;
    after = last.chunk;
  }
  return sample;
}

type Counter = (words: Omit<ChunkWords, "chunk">) => MatchCounts;

/** Porter's stemmer never changes a word's first letter: most words need not be stemmed. */
const headOf = (word: string) => word.charCodeAt(0);

/** How often each query word occurs in a chunk, by its stem as FTS5 computes it. */
export function counterOf(words: string[]): Counter {
  const byStem = new Map<string, number[]>();
  const heads = new Set<number>();
  const prefixes: [word: string, at: number][] = [];
  for (const [at, word] of words.entries()) {
    if (isPrefixTerm(word)) prefixes.push([word, at]);
    else {
      const stem = stemOf(word);
      byStem.set(stem, [...(byStem.get(stem) ?? []), at]);
      heads.add(headOf(word));
    }
  }
  return ({ headings, text }) => {
    const counts = words.map(() => 0);
    const add = (at: number, weight: number) => (counts[at] = (counts[at] ?? 0) + weight);
    const addScores = (word: string, weight: number) => {
      if (heads.has(headOf(word))) {
        for (const at of byStem.get(stemOf(word)) ?? []) add(at, weight);
      }
      for (const [prefix, at] of prefixes) if (word.startsWith(prefix)) add(at, weight);
    };
    for (const word of headings) addScores(word, HEADING_WEIGHT);
    for (const word of text) addScores(word, 1);
    return { counts, length: headings.length + text.length };
  };
}

export function countMatches(
  sql: SqlStorage,
  chunks: number[],
  words: string[],
): Map<number, MatchCounts> {
  const count = counterOf(words);
  return new Map(readWords(sql, chunks).map((row) => [row.chunk, count(row)]));
}

const MORE = 0x80;
const SEVEN_BITS = 128;

/** SQLite's variable-length integers, most significant bits first; sums here stay below 2^53. */
function varintsOf(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * SEVEN_BITS + (byte % MORE);
    if (byte >= MORE) continue;
    values.push(value);
    value = 0;
  }
  return values;
}

/**
 * The totals for the averages in `bm25()`: row 1 of an FTS5 table's data holds the number of rows
 * and the words of each column, as varints (`sqlite3Fts5StorageSync` in ext/fts5/fts5_storage.c).
 */
export function readCorpusSize(sql: SqlStorage): CorpusSize {
  const block = valueOf<ArrayBuffer>(sql)`SELECT block FROM words_data WHERE id = 1`;
  const [chunks = 0, headings = 0, text = 0] = varintsOf(new Uint8Array(block ?? []));
  return { chunks, words: headings + text };
}
