import type { ChunkId } from "../../core/ids.ts";
import type { CorpusSize } from "../../text/bm25.ts";
import { rowsOf, valueOf, type Row } from "../tables.ts";
import type { Eligibility } from "./eligibility.ts";

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
      FROM words w CROSS JOIN chunks c ON c.chunk = w.rowid AND c.live = 1
      WHERE words MATCH ${match} AND w.rowid > ${after} ORDER BY w.rowid LIMIT ${ROWS_A_PAGE}`;
    addEligible(sample, eligibility, rows);
    postings += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_A_PAGE) break;
    after = last.chunk;
  }
  return sample;
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
