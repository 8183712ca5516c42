import type { ChunkId } from "../core/ids.ts";
import type { Candidate } from "../ports/rag-index.ts";
import type { Admission } from "./admission.ts";
import {
  DIRECT_LIMIT_CHUNKS,
  eligibleChunks,
  firstMatches,
  rankDirectly,
} from "./direct-ranking.ts";
import { matchExpression, POSTINGS_LIMIT, queryTerms, withinBound } from "./query-terms.ts";
import type { TermCounts } from "./term-counts.ts";

type Row = { chunk: number; id: ChunkId; file: number; duplicate: number; rank: number };

/** A word in the heading path counts as two in the text: +0.006 nDCG@10 against equal weight. */
const HEADING_WEIGHT = 2;
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

/**
 * BM25 over headings (weight 2) and text, best first; eligible chunks only. What it reads is
 * bounded by count: where the bound leaves words of the query out, a narrow restriction is ranked
 * from its texts instead. Where even the rarest word exceeds it (FTS5's `bm25` reads a whole
 * posting list for its document frequency alone), the matches stored first are ranked so.
 */
export function searchWords(
  sql: SqlStorage,
  termCounts: TermCounts,
  admission: Admission,
  { query, limit }: { query: string; limit: number },
): Candidate[] {
  const terms = queryTerms(query, (word) => termCounts.estimate(word));
  const [rarest] = terms;
  if (rarest === undefined) return [];
  const bounded = withinBound(terms);
  const { files, chunkCount } = admission.eligibility;
  const isCut = bounded.length < terms.length;
  if (isCut && files !== null && chunkCount <= DIRECT_LIMIT_CHUNKS) {
    return rankDirectly(sql, eligibleChunks(sql, admission), terms, limit);
  }
  if (bounded.length === 0) {
    const search = { match: matchExpression([rarest]), postingsLimit: POSTINGS_LIMIT };
    return rankDirectly(sql, firstMatches(sql, admission, search), terms, limit);
  }
  return rankByFts(rankedReader(sql, admission, matchExpression(bounded)), admission, limit);
}

function rankByFts(
  read: (limit: number) => Row[],
  admission: Admission,
  limit: number,
): Candidate[] {
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
