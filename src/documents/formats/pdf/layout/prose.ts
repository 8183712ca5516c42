import { boundsOf, groupIntoRows, wordWidth } from "./page-rows.ts";
import type { Interval, Segment } from "./segment.ts";

type Row = Segment[];

/** In ems. */
const MIN_COLUMN = 11;
/** In prose: the share of the column that lines cover, and of lines without room for a word. */
const MIN_COVERED = 0.55;
const MIN_WRAPPED = 0.55;
const MIN_FULL = 0.85;
const MIN_VARIED = 0.5;
const MAX_OUTSIDE = 0.1;
/** The share of lines that go on in a sentence. */
const MIN_WITHIN = 0.4;
const WITHIN_SENTENCE = /^\s*\p{Ll}/u;
const SENTENCE_END = /[.:;!?]\s*$/;
const LETTER = /\p{L}/gu;
/** Average letters a line, in prose and in lines with numbers. */
export const MIN_LETTERS = 10;
const MIN_LETTERS_NUMBERED = 16;
const MAX_PARTS = 1.2;
const MIN_LINES = 5;
const MIN_NUMBERS = 3;
const MIN_NUMBERED = 0.6;

/** Whether lines are as long as their column allows: they could not take the next word. */
export function isProse(rows: Row[], isFromRight: boolean): boolean {
  const segments = rows.flat();
  const [{ x0, x1 }, size] = [boundsOf(segments), sizeOf(segments)];
  const covered = segments.reduce((sum, each) => sum + each.x1 - each.x0, 0);
  if (x1 - x0 < size * MIN_COLUMN || lettersIn(segments) < rows.length * MIN_LETTERS) return false;
  const wrapped = rows.slice(1).filter((row, at) => {
    const last = boundsOf(rows[at] ?? row);
    const room = isFromRight ? last.x0 - x0 : x1 - last.x1;
    return wordWidth(isFromRight ? row.at(-1) : row[0]) + size > room;
  });
  const isFull = covered >= rows.length * (x1 - x0) * MIN_COVERED;
  // Cells of a column that repeat a few words are as long as each other, too.
  const isVaried = new Set(segments.map(({ text }) => text)).size >= segments.length * MIN_VARIED;
  return isFull && isVaried && wrapped.length >= (rows.length - 1) * MIN_WRAPPED;
}

/** Whether many lines go on in the middle of a sentence. */
export function isRunningText(column: Segment[]): boolean {
  const rows = groupIntoRows(column);
  const within = rows.filter(([first], at) => {
    const above = rows[at - 1]?.at(-1)?.text ?? ".";
    return WITHIN_SENTENCE.test(first?.text ?? "") && !SENTENCE_END.test(above);
  });
  return (
    rows.length >= MIN_LINES &&
    column.length < rows.length * MAX_PARTS &&
    lettersIn(column) >= rows.length * MIN_LETTERS &&
    within.length >= rows.length * MIN_WITHIN
  );
}

/** The edges of a column, beyond which a tenth of its lines may reach, such as a page's number. */
function edgesOf(rows: Row[]): Interval {
  const bounds = rows.map(boundsOf);
  const outside = Math.floor(rows.length * MAX_OUTSIDE);
  const starts = bounds.map(({ x0 }) => x0).sort((a, b) => a - b);
  const ends = bounds.map(({ x1 }) => x1).sort((a, b) => b - a);
  return { x0: starts[outside] ?? 0, x1: ends[outside] ?? 0 };
}

/** Whether some lines are as long as their column is wide: a figure stands above or below prose. */
export function hasFullLines(rows: Row[]): boolean {
  const { x0, x1 } = edgesOf(rows);
  const full = rows.filter(
    (row) => row.length === 1 && boundsOf(row).x1 - boundsOf(row).x0 > (x1 - x0) * MIN_FULL,
  );
  return full.length >= MIN_LINES;
}

/** Whether nearly each line has its number, as in transcripts and contracts. */
export function isNumbered(numbers: Segment[], rows: Row[]): boolean {
  const ascending = numbers.filter(
    ({ text }, at) => Number(text) === Number(numbers[at - 1]?.text) + 1,
  );
  const isText = rows.flat().length < rows.length * MAX_PARTS;
  const isLong = lettersIn(rows.flat()) > rows.length * MIN_LETTERS_NUMBERED;
  return isText && isLong && ascending.length >= Math.max(MIN_NUMBERS, rows.length * MIN_NUMBERED);
}

export const lettersIn = (segments: Pick<Segment, "text">[]) =>
  segments.reduce((sum, { text }) => sum + (text.match(LETTER)?.length ?? 0), 0);

export const sizeOf = (segments: Segment[]) =>
  segments.map(({ size }) => size).sort((a, b) => a - b)[segments.length >>> 1] ?? 1;
