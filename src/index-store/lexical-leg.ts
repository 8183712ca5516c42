import { withoutStopWords } from "../core/stop-words.ts";
import { isUnspacedCharacter, searchWordsOf } from "../core/text.ts";
import type { ChunkId } from "../core/ids.ts";
import type { Candidate } from "../ports/rag-index.ts";
import type { Admission } from "./admission.ts";
import { rankCommonWord } from "./common-word.ts";
import type { TermCounts } from "./term-counts.ts";

/** Entries of posting lists that one query may read; its rarest words are read first. */
export const POSTINGS_LIMIT = 20_000;
/** Phrases of one FTS5 expression; a longer query is cut to its rarest words. */
const TERMS_LIMIT = 256;
/** A word in the heading path counts as two in the text: +0.006 nDCG@10 against equal weight. */
const HEADING_WEIGHT = 2;

export type QueryTerm = { word: string; postings: number };

/**
 * The words that a query is searched by: no stop words, repeats kept (how often a word is said
 * matters), rarest first as far as the bound reaches. Words that no chunk holds are left out.
 */
export function chooseTerms(query: string, termCounts: TermCounts): QueryTerm[] {
  const counted = withoutStopWords(searchWordsOf(query))
    .map((word) => ({ word, postings: termCounts.estimate(word) }))
    .filter(({ word, postings }) => postings > 0 || isUnspacedCharacter(word))
    .sort((a, b) => a.postings - b.postings);
  const chosen: QueryTerm[] = [];
  let read = 0;
  for (const term of counted.slice(0, TERMS_LIMIT)) {
    read += term.postings;
    if (read > POSTINGS_LIMIT && chosen.length > 0) break;
    chosen.push(term);
  }
  return chosen;
}

/** Words hold letters and digits only, so that nothing in them can be FTS5 syntax once quoted. */
export function matchExpression(terms: QueryTerm[]): string {
  // One character of a script without spaces begins every pair that it is the first of.
  const phrase = (word: string) => (isUnspacedCharacter(word) ? `"${word}" *` : `"${word}"`);
  return terms.map(({ word }) => phrase(word)).join(" OR ");
}

type Row = { chunk: number; id: ChunkId; file: number; duplicate: number; rank: number };

/** Rows asked for beyond the limit, because some may be dropped; if too many are, ever more. */
const SPARE_ROWS = 16;
const GROWTH = 8;
/** Up to here FTS5 ranks eligible chunks only; above, what is not eligible is dropped after. */
const RESTRICTED_INSIDE_LIMIT_CHUNKS = 20_000;

/** `+` keeps SQLite from running the search once for each row of the list. */
const WITHIN_FILES = `AND +rowid IN (
  SELECT c.chunk FROM json_each(?) f CROSS JOIN chunks c ON c.file = f.value AND c.live = 1)`;

/**
 * `bm25()` by name: ordering by FTS5's hidden `rank` column takes half as long again. The search
 * is ranked and cut before its rows are looked up, and always read to its end: an abandoned
 * cursor keeps the statement from being used again.
 */
const ranked = (within: string) => `SELECT c.chunk, c.id, c.file, c.duplicate, w.rank FROM (
    SELECT rowid AS chunk, bm25(words, ${HEADING_WEIGHT}.0, 1.0) AS rank
    FROM words WHERE words MATCH ? ${within} ORDER BY rank, rowid LIMIT ?
  ) w CROSS JOIN chunks c ON c.chunk = w.chunk`;
const RANKED = ranked("");
const RANKED_WITHIN_FILES = ranked(WITHIN_FILES);

/** BM25 over headings (weight 2) and text, best first; eligible chunks only. */
export function searchWords(
  sql: SqlStorage,
  termCounts: TermCounts,
  admission: Admission,
  { query, limit }: { query: string; limit: number },
): Candidate[] {
  const terms = chooseTerms(query, termCounts);
  const [rarest] = terms;
  if (rarest === undefined) return [];
  if (rarest.postings > POSTINGS_LIMIT) {
    const { word } = rarest;
    const match = matchExpression([rarest]);
    return rankCommonWord(sql, admission, { word, match, postingsLimit: POSTINGS_LIMIT, limit });
  }
  const read = rankedReader(sql, admission, matchExpression(terms));
  for (let page = limit + SPARE_ROWS; ; page *= GROWTH) {
    const rows = read(page);
    const admitted = rows.filter(({ chunk, file, duplicate }) =>
      admission.admits({ chunk, file, duplicate: duplicate === 1 }),
    );
    if (admitted.length < limit && rows.length === page) continue;
    return admitted.slice(0, limit).map(({ id, rank }) => ({ id, score: -rank }));
  }
}

function rankedReader(sql: SqlStorage, admission: Admission, match: string) {
  const { files, chunkCount } = admission.eligibility;
  if (files === null || chunkCount > RESTRICTED_INSIDE_LIMIT_CHUNKS) {
    return (limit: number) => sql.exec<Row>(RANKED, match, limit).toArray();
  }
  const list = JSON.stringify([...files]);
  return (limit: number) => sql.exec<Row>(RANKED_WITHIN_FILES, match, list, limit).toArray();
}
