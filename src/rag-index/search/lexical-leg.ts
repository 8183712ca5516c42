import type { ChunkId } from "../../core/ids.ts";
import type { WordStatistics } from "../../ports/rag-index.ts";
import type { Candidate } from "../../ports/vector-index.ts";
import { bm25Scorer, HEADING_WEIGHT, type TermStatistics } from "../../text/bm25.ts";
import type { LiveChunk } from "../memory/live-chunks.ts";
import { chunksOf, run, valueOf, readTotals, type Row } from "../tables.ts";
import type { TermCounts } from "../write/term-counts.ts";
import { readWords } from "../write/word-index.ts";
import {
  readCorpusSize,
  DIRECT_LIMIT_CHUNKS,
  eligibleChunks,
  firstMatches,
} from "./direct-scoring.ts";
import type { Eligibility } from "./eligibility.ts";
import { matchExpression, queryTerms, limitPostings, type QueryTerm } from "./query-terms.ts";
import { bestOf, type WordScores } from "./word-scores.ts";

type RankedChunk = { chunk: number; score: number };
type ChunkPlace = LiveChunk & { id: ChunkId };
type ChunkRow = Row<"chunks", "chunk" | "id" | "duplicate">;

/** Extra rows requested because some may be dropped; when too many are, the number grows. */
const SPARE_ROWS = 16;
const GROWTH = 8;
/** Up to this many, FTS5 ranks eligible chunks only; above, others are dropped afterwards. */
const RESTRICTED_INSIDE_LIMIT_CHUNKS = 2_000;

/** `+` keeps SQLite from running the search once for each row of the list. */
const WITHIN_FILES = `AND +rowid IN (
  SELECT c.chunk FROM json_each(?) f CROSS JOIN chunks c ON c.file = f.value AND c.live = 1)`;

/**
 * `ORDER BY bm25()`: FTS5's hidden `rank` takes half as long again. Always read to its end, because
 * an abandoned cursor keeps the statement from being used again.
 */
const rankedSql = (
  within: string,
) => `SELECT rowid AS chunk, -bm25(words, ${HEADING_WEIGHT}.0, 1.0) AS score
  FROM words WHERE words MATCH ? ${within} ORDER BY score DESC, rowid LIMIT ?`;
const RANKED = rankedSql("");
const RANKED_WITHIN_FILES = rankedSql(WITHIN_FILES);

type LexicalQuery = {
  query: string;
  limit: number;
  /** Scores will be compared with those of other indexes: return the statistics behind them. */
  merged: boolean;
  /** Maximum number of posting list entries that the query may read. */
  postingsLimit: number;
  /** The place of a chunk that is in memory; null: it must be read. */
  placeInMemory: (chunk: number) => ChunkPlace | null;
  wordScores: WordScores;
};

type Hit = { chunk: number; id: ChunkId; score: number };

/** `statistics`: for a merge, this index's part of what BM25 is computed from. */
type LexicalResult = { lexical: Candidate[]; statistics?: WordStatistics };

/**
 * BM25 over headings (weight 2) and text, best first. Beyond the bound of postings, the rarest
 * words choose the chunks and all words order them; narrow restrictions are ranked from texts. If
 * even the rarest word exceeds it (FTS5 reads whole lists), the matches stored first are ranked.
 */
export function searchWords(
  sql: SqlStorage,
  termCounts: TermCounts,
  eligibility: Eligibility,
  search: LexicalQuery,
): LexicalResult {
  const { query, limit, merged, postingsLimit } = search;
  const terms = queryTerms(query, termCounts);
  const bounded = limitPostings(terms, postingsLimit);
  const scored = bounded.length === terms.length;
  const hits = collect(sql, eligibility, search, { terms, bounded });
  const candidates = hits.map(({ id, score }) => ({ id, score }));
  if (scored && !merged) return { lexical: candidates };
  const corpus = readCorpusSize(sql);
  const statistics = { corpus, terms: statisticsOf(terms) };
  if (merged) countExactly(sql, statistics.terms, bounded);
  const lexical = scored ? candidates : scoreTexts(sql, hits, statistics).slice(0, limit);
  return merged ? { lexical, statistics } : { lexical };
}

/** Scored by FTS5 if all words are within the bound; else their order is still to be computed. */
function collect(
  sql: SqlStorage,
  eligibility: Eligibility,
  search: LexicalQuery,
  { terms, bounded }: { terms: QueryTerm[]; bounded: QueryTerm[] },
): Hit[] {
  const { limit, postingsLimit } = search;
  const { files, chunkCount } = eligibility;
  const isBounded = bounded.length < terms.length;
  if (isBounded && files !== null && chunkCount <= DIRECT_LIMIT_CHUNKS) {
    return hitsWithoutScore(eligibleChunks(sql, eligibility));
  }
  if (bounded.length > 0) {
    const ranked = rankedReader(sql, eligibility, bounded, search);
    const find = (chunks: number[]) => placesOf(sql, chunks, search.placeInMemory);
    const hits = rankByFts(ranked, find, eligibility, limit);
    if (hits.length > 0) return hits;
  }
  // Also where the rarer words stand only in chunks that are not live, or not eligible.
  const rest = terms.slice(bounded.length);
  for (const words of [rest.slice(0, 1), rest.slice(1)].filter(({ length }) => length > 0)) {
    const sample = firstMatches(sql, eligibility, { match: matchExpression(words), postingsLimit });
    if (sample.size > 0) return hitsWithoutScore(sample);
  }
  return [];
}

const hitsWithoutScore = (sample: Map<number, ChunkId>): Hit[] =>
  Array.from(sample, ([chunk, id]) => ({ chunk, id, score: 0 }));

/** Each word once, with an upper bound of the chunks that contain it. */
function statisticsOf(terms: QueryTerm[]): TermStatistics[] {
  const byWord = new Map<string, TermStatistics>();
  for (const { word, postings, weight } of terms) {
    const wordMatches = byWord.get(word) ?? { word, chunks: postings, times: 0 };
    byWord.set(word, { ...wordMatches, times: wordMatches.times + weight });
  }
  return [...byWord.values()];
}

/** The sketch gives an upper bound; sums over shards need FTS5's exact count. */
function countExactly(sql: SqlStorage, statistics: TermStatistics[], bounded: QueryTerm[]): void {
  const within = new Set(bounded.map(({ word }) => word));
  for (const term of statistics) {
    if (!within.has(term.word)) continue;
    const match = matchExpression([term]);
    term.chunks = valueOf<number>(sql)`SELECT count(*) FROM words WHERE words MATCH ${match}` ?? 0;
  }
}

/** Scores hits by their texts, best first; hits with none of the words are left out. */
function scoreTexts(sql: SqlStorage, hits: Hit[], { terms, corpus }: WordStatistics): Candidate[] {
  const ids = new Map(hits.map(({ chunk, id }) => [chunk, id]));
  const scoreOf = bm25Scorer(terms, corpus);
  return readWords(sql, chunksOf(hits))
    .map(({ chunk, ...words }) => ({ chunk, score: scoreOf(words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.chunk - b.chunk)
    .flatMap(({ chunk, score }) => {
      const id = ids.get(chunk);
      return id === undefined ? [] : [{ id, score }];
    });
}

/** `page`: the rows to read first. */
type RankedReader = { read: (limit: number) => RankedChunk[]; page: number };

function rankByFts(
  { read: reader, page: firstPage }: RankedReader,
  find: (chunks: number[]) => (ChunkPlace | null)[],
  eligibility: Eligibility,
  limit: number,
): Hit[] {
  for (let page = firstPage; ; page *= GROWTH) {
    const all = reader(page);
    const { chunks } = eligibility;
    const rows = chunks === null ? all : all.filter(({ chunk }) => chunks.has(chunk));
    const names = find((chunks === null ? rows : rows.slice(0, limit)).map(({ chunk }) => chunk));
    const eligible: Hit[] = [];
    for (const [at, chunkName] of names.entries()) {
      const row = rows[at];
      if (row === undefined || chunkName === null || !eligibility.includes(chunkName)) continue;
      eligible.push({ ...row, id: chunkName.id });
    }
    if (eligible.length < limit && all.length === page) continue;
    return eligible.slice(0, limit);
  }
}

/** In their order, from memory what is there: each row that is read is billed. Null: not live. */
function placesOf(
  sql: SqlStorage,
  chunks: number[],
  nameOf: LexicalQuery["placeInMemory"],
): (ChunkPlace | null)[] {
  const names = chunks.map(nameOf);
  const missing = chunks.filter((_, at) => names[at] === null);
  if (missing.length === 0) return names;
  const rows = new Map<number, ChunkPlace>();
  const cursor = run<ChunkRow>(sql)`SELECT c.chunk, c.id, c.duplicate
    FROM json_each(${missing}) w CROSS JOIN chunks c ON c.chunk = w.value AND c.live = 1`;
  for (const row of cursor) {
    rows.set(row.chunk, { ...row, duplicate: row.duplicate === 1 });
  }
  return names.map((name, at) => name ?? rows.get(chunks[at] ?? 0) ?? null);
}

function rankedReader(
  sql: SqlStorage,
  { files, chunkCount, chunks }: Eligibility,
  terms: QueryTerm[],
  { limit, wordScores }: Pick<LexicalQuery, "limit" | "wordScores">,
): RankedReader {
  const match = matchExpression(terms);
  const page = limit + SPARE_ROWS;
  const isFew = files !== null && chunkCount <= RESTRICTED_INSIDE_LIMIT_CHUNKS;
  // FTS5 gives all words of a search the same weight.
  const isWeighted = terms.some(({ weight }) => weight !== 1);
  const sums = isFew && !isWeighted ? null : wordScores.scoreTerms(terms);
  if (sums !== null) return { read: (rows) => bestOf(sums, rows, chunks), page };
  if (isFew) {
    const list = JSON.stringify([...files]);
    return {
      read: (rows) => sql.exec<RankedChunk>(RANKED_WITHIN_FILES, match, list, rows).toArray(),
      page,
    };
  }
  // As many more rows are read as a restriction leaves out.
  const share = files === null ? 1 : chunkCount / Math.max(1, readTotals(sql).chunks);
  return {
    read: (rows) => sql.exec<RankedChunk>(RANKED, match, rows).toArray(),
    page: Math.ceil(page / share),
  };
}
