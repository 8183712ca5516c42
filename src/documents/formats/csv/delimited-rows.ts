import { rankByCount } from "../../rank-by-total.ts";

const DELIMITERS = [",", ";", "\t", "|"];
const SAMPLE_CHARACTERS = 20_000;
const SAMPLE_ROWS = 20;
/** A longer row is broken: the text is no table, and its cells must not all be held in memory. */
const MAX_CELLS = 2_000;
/** Limit of a quoted cell: a quote that opens a longer one is a stray character. */
const MAX_QUOTED = 1 << 20;

/** A quote within a cell, as some databases write it; `"C:\"` alone ends a cell. */
const ESCAPED_QUOTE = /\\"[^",;\t|\r\n]/;

/** How far the reader came. */
export const newPlace = () => ({ at: 0, isInQuotes: false, hasStrayQuote: false });
type Place = ReturnType<typeof newPlace>;

export function guessDelimiter(text: string): string {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const scores = DELIMITERS.map((delimiter) => {
    const rows = [...rowsOf(sample, delimiter)].slice(0, SAMPLE_ROWS);
    const widths = rows.map((row) => row.length).filter((width) => width > 1);
    const [[commonest] = [0]] = rankByCount(widths);
    const agreeing = widths.filter((width) => width === commonest).length;
    return { delimiter, score: (agreeing / Math.max(rows.length, 1)) * Math.log2(1 + commonest) };
  });
  return scores.reduce((best, each) => (each.score > best.score ? each : best)).delimiter;
}

/** Rows of cells; a quote that is never closed ends with the text. */
export function* rowsOf(text: string, delimiter: string, place = newPlace()): Generator<string[]> {
  const hasEscapes = ESCAPED_QUOTE.test(text.slice(0, SAMPLE_CHARACTERS));
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const { cell, end } = cellAt(text, at, { delimiter, hasEscapes }, place);
    row.push(cell);
    at = end;
    place.at = at;
    if (text[at] === delimiter) {
      at++;
      if (at === text.length) row.push("");
      if (row.length < MAX_CELLS) continue;
      yield row;
      row = [];
      continue;
    }
    yield row;
    row = [];
    at++;
  }
  if (row.length > 0) yield row;
}

type Cell = { cell: string; end: number };

type Dialect = { delimiter: string; hasEscapes: boolean };

function cellAt(text: string, at: number, { delimiter, hasEscapes }: Dialect, place: Place): Cell {
  const quoted = text[at] === '"' ? quotedCell(text, at, hasEscapes) : null;
  if (quoted?.isStray === true) place.hasStrayQuote = true;
  if (quoted === null || quoted.isStray) return bareCell(text, at, delimiter);
  place.isInQuotes ||= quoted.isOpen;
  // Characters behind a closing quote still belong to the cell.
  const tail = bareCell(text, quoted.end, delimiter);
  return { cell: quoted.cell + tail.cell, end: tail.end };
}

function bareCell(text: string, from: number, delimiter: string): Cell {
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n") end++;
  return { cell: text.slice(from, end), end };
}

/** `isStray`: the quote is not closed within a cell's limit, so it opens none. */
function quotedCell(
  text: string,
  from: number,
  hasEscapes: boolean,
): Cell & { isOpen: boolean; isStray: boolean } {
  const last = from + MAX_QUOTED;
  let end = text.indexOf('"', from + 1);
  while (end >= 0 && end <= last) {
    if (hasEscapes && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    else if (text[end + 1] === '"') end = text.indexOf('"', end + 2);
    else break;
  }
  const stop = end < 0 ? text.length : end;
  if (stop > last) return { cell: "", end: from, isOpen: false, isStray: true };
  const cell = text.slice(from + 1, stop).replaceAll('""', '"');
  return {
    cell: hasEscapes ? cell.replace(/\\(["\\])/g, "$1") : cell,
    end: Math.min(stop + 1, text.length),
    isOpen: end < 0,
    isStray: false,
  };
}

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === "\\") start--;
  return (at - start) % 2 === 1;
}
