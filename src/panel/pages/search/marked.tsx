import { stemOf } from "../../../text/stems.ts";
import { withoutStopWords } from "../../../text/stop-words.ts";
import { searchWordsOf } from "../../../text/words.ts";
import { Markdown } from "../../components/markdown.tsx";
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

/** Longer passages are shown in part, from a little before their first match. */
const SHOWN_WHOLE = 800;
const SHOWN = 600;
const BEFORE_MATCH = 120;

/** `id`: of the element that holds the whole text. */
type MarkedProps = { text: string; matched: Matched; id?: string | undefined };

/** A passage as it was found, with the words of the search marked; long ones unfold. */
export const Found = ({ text, matched, id }: MarkedProps) => {
  const words = marking(matched);
  if (text.length <= SHOWN_WHOLE) return <Markdown text={text} words={words} id={id} />;
  return (
    <>
      <Markdown text={excerptOf(text, matched)} words={words} />
      <details class="why">
        <summary>The whole passage</summary>
        <Markdown text={text} words={words} id={id} />
      </details>
    </>
  );
};

/** From the beginning of a line or, where the lines are long, of a word. */
function excerptOf(text: string, matched: Matched): string {
  const [first] = piecesOf(text, matched);
  const firstMatch = first === undefined || first.isMatch ? 0 : first.text.length;
  const isInText = firstMatch < text.length;
  const wanted = isInText ? Math.max(0, firstMatch - BEFORE_MATCH) : 0;
  const line = text.lastIndexOf("\n", firstMatch) + 1;
  const from = wanted === 0 ? 0 : line > wanted ? line : text.indexOf(" ", wanted) + 1;
  const part = text.slice(from, from + SHOWN).toWellFormed();
  const cut = part.slice(0, Math.max(part.lastIndexOf(" "), part.lastIndexOf("\n"), SHOWN / 2));
  return `${from === 0 || from === line ? "" : "… "}${cut.trimEnd()} …`;
}

const marking =
  (matched: Matched): Words =>
  (text) =>
    piecesOf(text, matched).map((piece) =>
      piece.isMatch ? <mark>{piece.text}</mark> : piece.text,
    );
