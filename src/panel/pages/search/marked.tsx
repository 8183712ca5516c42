import { stemOf } from "../../../text/stems.ts";
import { withoutStopWords } from "../../../text/stop-words.ts";
import { searchWordsOf } from "../../../text/words.ts";
import type { Words } from "../../components/markdown-inline.tsx";

/** Words, and pairs of characters of scripts without spaces, that a search looks for. */
export type Matched = ReadonlySet<string>;

export const matchedBy = (queries: readonly string[]): Matched =>
  new Set(queries.flatMap((query) => withoutStopWords(searchWordsOf(query)).map(stemOf)));

type Piece = { text: string; isMatch: boolean };

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
/** A run of letters longer than any word is left unmarked. */
const MAX_WORD_LENGTH = 200;

/** A text in pieces, those that the search looks for apart from the rest. */
function piecesOf(text: string, matched: Matched): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!isMatch(word, matched)) continue;
    if (index > at) pieces.push({ text: text.slice(at, index), isMatch: false });
    pieces.push({ text: word, isMatch: true });
    at = index + word.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMatch: false });
  return pieces;
}

const isMatch = (word: string, matched: Matched) =>
  word.length <= MAX_WORD_LENGTH && searchWordsOf(word).some((one) => matched.has(stemOf(one)));

/** Marks the words of a search. */
export const marking =
  (matched: Matched): Words =>
  (text) =>
    piecesOf(text, matched).map((piece) =>
      piece.isMatch ? <mark>{piece.text}</mark> : piece.text,
    );
