import type { ChunkId } from "../core/ids.ts";
import { stemOf } from "../core/stems.ts";
import type { Candidate } from "../ports/rag-index.ts";
import type { Admission } from "./admission.ts";
import { isPrefixTerm } from "./query-terms.ts";
import type { QueryTerm } from "./query-terms.ts";
import { readTotals } from "./totals.ts";
import { readWords } from "./word-index.ts";
import type { ChunkWords } from "./word-index.ts";

/** Chunks that are read and scored without the help of FTS5. */
export const DIRECT_LIMIT_CHUNKS = 400;
const ROWS_A_PAGE = 1_000;
/** FTS5's figures, and what it gives a word that stands in more than half of all chunks. */
const K1 = 1.2;
const B = 0.75;
const LEAST_IDF = 1e-6;
const HEADING_WEIGHT = 2;

type Row = { chunk: number; id: ChunkId; file: number; duplicate: number };
type Sample = Map<number, ChunkId>;

function admitInto(sample: Sample, admission: Admission, rows: Row[]): void {
  for (const { chunk, id, file, duplicate } of rows) {
    if (sample.size >= DIRECT_LIMIT_CHUNKS) return;
    if (admission.admits({ chunk, file, duplicate: duplicate === 1 })) sample.set(chunk, id);
  }
}

/** Every chunk of the eligible files; for restrictions within DIRECT_LIMIT_CHUNKS. */
export function eligibleChunks(sql: SqlStorage, admission: Admission): Sample {
  const files = JSON.stringify([...(admission.eligibility.files ?? [])]);
  const rows = sql
    .exec<Row>(
      `SELECT c.chunk, c.id, c.file, c.duplicate FROM json_each(?) f
        CROSS JOIN chunks c ON c.file = f.value AND c.live = 1`,
      files,
    )
    .toArray();
  const sample: Sample = new Map();
  admitInto(sample, admission, rows);
  return sample;
}

/** Where the chunks of a restriction begin: a RAG's files mostly stand one after the other. */
function firstEligible(sql: SqlStorage, { eligibility }: Admission): number {
  if (eligibility.files === null) return 0;
  const { first } = sql
    .exec<{ first: number | null }>(
      `SELECT min(c.chunk) AS first FROM json_each(?) f
        CROSS JOIN chunks c ON c.file = f.value AND c.live = 1`,
      JSON.stringify([...eligibility.files]),
    )
    .one();
  return first ?? 0;
}

const NEXT_PAGE = `SELECT c.chunk, c.id, c.file, c.duplicate
  FROM words w CROSS JOIN chunks c ON c.chunk = w.rowid
  WHERE words MATCH ? AND w.rowid > ? ORDER BY w.rowid LIMIT ?`;

/** The first eligible chunks that match, from at most so many postings. */
export function firstMatches(
  sql: SqlStorage,
  admission: Admission,
  { match, postingsLimit }: { match: string; postingsLimit: number },
): Sample {
  const sample: Sample = new Map();
  let after = firstEligible(sql, admission) - 1;
  for (let read = 0; read < postingsLimit && sample.size < DIRECT_LIMIT_CHUNKS;) {
    // Each page is read to its end: an abandoned cursor would keep its statement busy.
    const rows = sql.exec<Row>(NEXT_PAGE, match, after, ROWS_A_PAGE).toArray();
    admitInto(sample, admission, rows);
    read += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_A_PAGE) break;
    after = last.chunk;
  }
  return sample;
}

type Weighed = { isHit: (word: string) => boolean; idf: number };

function weigh({ word, postings }: QueryTerm, chunks: number): Weighed {
  const idf = Math.max(LEAST_IDF, Math.log((chunks - postings + 0.5) / (postings + 0.5)));
  if (isPrefixTerm(word)) return { isHit: (other) => other.startsWith(word), idf };
  const stem = stemOf(word);
  return { isHit: (other) => stemOf(other) === stem, idf };
}

const lengthOf = ({ headings, text }: ChunkWords) => headings.length + text.length;

/** BM25 as FTS5 computes it, over the texts of few chunks; best first, matching ones only. */
export function rankDirectly(
  sql: SqlStorage,
  sample: Sample,
  terms: QueryTerm[],
  limit: number,
): Candidate[] {
  const read = readWords(sql, [...sample.keys()]);
  const { chunks } = readTotals(sql);
  const weighed = terms.map((term) => weigh(term, Math.max(chunks, term.postings)));
  const mean = read.reduce((sum, words) => sum + lengthOf(words), 0) / Math.max(1, read.length);
  const scoreOf = (words: ChunkWords) => {
    const damp = K1 * (1 - B + (B * lengthOf(words)) / mean);
    return weighed.reduce((sum, { isHit, idf }) => {
      const inHeadings = words.headings.filter(isHit).length;
      const count = words.text.filter(isHit).length + HEADING_WEIGHT * inHeadings;
      return sum + (idf * count * (K1 + 1)) / (count + damp);
    }, 0);
  };
  return read
    .map((words) => ({ words, score: scoreOf(words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.words.chunk - b.words.chunk)
    .slice(0, limit)
    .flatMap(({ words, score }) => {
      const id = sample.get(words.chunk);
      return id === undefined ? [] : [{ id, score }];
    });
}
