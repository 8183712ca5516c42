import { withoutStopWords } from "../../text/stop-words.ts";
import { codeWordParts, isUnspacedCharacter, searchWordsOf } from "../../text/words.ts";

/** Posting list entries that one query may read; its rarest words are read first. */
export const POSTINGS_LIMIT = 20_000;
/** Phrases of one FTS5 expression; a longer query is cut to its rarest words. */
const TERMS_LIMIT = 256;

/** `postings`: upper bound of the chunks that contain the word. */
export type QueryTerm = { word: string; postings: number };

/** In scripts without spaces, a single character matches every pair that begins with it. */
export const isPrefixTerm = isUnspacedCharacter;

/**
 * The words that a query is searched by, rarest first: without stop words and words that no chunk
 * contains. Names in code are searched by their parts, too. Repeats are kept, because word
 * frequency matters.
 */
export function queryTerms(query: string, postingsOf: (word: string) => number): QueryTerm[] {
  return withoutStopWords([...searchWordsOf(query), ...codeWordParts(query)])
    .map((word) => ({ word, postings: postingsOf(word) }))
    .filter(({ word, postings }) => postings > 0 || isPrefixTerm(word))
    .sort((a, b) => a.postings - b.postings)
    .slice(0, TERMS_LIMIT);
}

/** The rarest terms within the postings limit; none when the first one exceeds it. */
export function withinBound(terms: QueryTerm[], postingsLimit = POSTINGS_LIMIT): QueryTerm[] {
  let read = 0;
  const end = terms.findIndex(({ postings }) => (read += postings) > postingsLimit);
  return end === -1 ? terms : terms.slice(0, end);
}

/** Words hold letters and digits only, so that nothing in them can be FTS5 syntax once quoted. */
export function matchExpression(terms: QueryTerm[]): string {
  return terms.map(({ word }) => (isPrefixTerm(word) ? `"${word}" *` : `"${word}"`)).join(" OR ");
}
