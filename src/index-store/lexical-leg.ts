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

const RANKED = `SELECT c.chunk, c.id, c.file, c.duplicate, w.rank
  FROM words w CROSS JOIN chunks c ON c.chunk = w.rowid WHERE words MATCH ?`;

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
  const marked = admission.everyFile && !admission.includesDuplicates ? "AND c.duplicate = 0" : "";
  const rows = sql.exec<Row>(`${RANKED} ${marked} ORDER BY w.rank`, matchExpression(terms));
  const found: Candidate[] = [];
  for (const { chunk, id, file, duplicate, rank } of rows) {
    if (!admission.admits({ chunk, file, duplicate: duplicate === 1 })) continue;
    found.push({ id, score: -rank });
    if (found.length >= limit) break;
  }
  return found;
}
