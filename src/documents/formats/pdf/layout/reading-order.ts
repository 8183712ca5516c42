import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { LINE_NUMBER } from "./listings.ts";
import { rowsByPlace } from "./page-rows.ts";
import { isRightToLeft } from "./right-to-left.ts";
import type { Segment } from "./segment.ts";

type Row = Segment[];
/** Rows between two lines that cross a river, and what lies on the river's two sides. */
type Band = { start: number; end: number; sides: [Segment[], Segment[]] };
/** A line of a column; `word`: the width of its first word, `slack`: the room behind it. */
type Line = { covered: number; word: number; slack: number; y: number; size: number };
type Side = { lines: Line[]; width: number; letters: number; size: number };

const MIN_SEGMENTS = 4;
const MAX_DEPTH = 12;
/** Rivers that are tried in a region. */
const MAX_RIVERS = 8;
/** In ems. */
const MIN_RIVER = 0.7;
const MIN_COLUMN = 11;
const SPACE = 0.25;
const LINE_DISTANCE = 1.9;
const ALIGNED = 0.2;
/** Of prose: the share of its column that lines cover, and that could not take the next word. */
const MIN_COVERED = 0.55;
const MIN_WRAPPED = 0.6;
const MIN_LETTERS_A_LINE = 10;
const LETTER = /\p{L}/gu;
const MIN_TEXT_A_LINE = 16;
const MIN_LINES = 3;
const MIN_NUMBERS = 4;
const MIN_NUMBERED = 0.75;
const MAX_ALIGNED = 0.5;
/** In characters: what the layout takes for a segment at each level. */
const SEGMENT_COST = 16;

/**
 * Regions of a page in reading order, each as rows from the top. Columns of prose are divided at
 * white rivers, between the lines that cross the river: a recursive XY cut whose crossing lines are
 * masked first (https://arxiv.org/abs/2504.10258). Tables stay whole.
 */
export function* regionsOf(segments: Segment[]): CooperativeWork<Row[][]> {
  const letters = segments.filter(({ text }) => isRightToLeft(text)).length;
  const isFromRight = letters * 2 > segments.length;
  const regions = yield* divided(segments, isFromRight, 0);
  if (isFromRight) for (const row of regions.flat()) row.reverse();
  return regions;
}

function* divided(
  segments: Segment[],
  isFromRight: boolean,
  depth: number,
): CooperativeWork<Row[][]> {
  const rows = rowsByPlace(segments);
  yield segments.length * SEGMENT_COST;
  if (segments.length < MIN_SEGMENTS || depth >= MAX_DEPTH) return rows.length > 0 ? [rows] : [];
  const bands = yield* bestBands(rows, isFromRight);
  if (bands.length === 0) return [rows];
  const regions: Row[][] = [];
  let at = 0;
  for (const { start, end, sides } of [...bands, { start: rows.length, end: 0, sides: [[], []] }]) {
    const parts = [rows.slice(at, start).flat(), ...(isFromRight ? sides.toReversed() : sides)];
    for (const part of parts)
      for (const region of yield* divided(part, isFromRight, depth + 1)) regions.push(region);
    at = end;
  }
  return regions;
}

/** The bands with columns at the river that divides the most text. */
function* bestBands(rows: Row[], isFromRight: boolean): CooperativeWork<Band[]> {
  let best: Band[] = [];
  let most = 0;
  for (const x of riversOf(rows)) {
    const bands = bandsAt(rows, x).filter(({ sides }) => areColumns(sides, isFromRight));
    const size = bands.reduce((sum, { start, end }) => sum + end - start, 0);
    if (size > most) [best, most] = [bands, size];
    yield rows.length * SEGMENT_COST;
  }
  return best;
}

/** Places that the fewest segments cross. */
function riversOf(rows: Row[]): number[] {
  const edges = rows
    .flat()
    .flatMap(({ x0, x1 }) => [
      { x: x0, step: 1 },
      { x: Math.max(x0, x1), step: -1 },
    ])
    .sort((a, b) => a.x - b.x);
  const size = sizeOf(rows.flat());
  const gaps: { x: number; depth: number; width: number }[] = [];
  let depth = 0;
  for (const [at, { x, step }] of edges.entries()) {
    depth += step;
    const width = (edges[at + 1]?.x ?? x) - x;
    if (width > size * SPACE) gaps.push({ x: x + width / 2, depth, width });
  }
  return gaps
    .sort((a, b) => a.depth - b.depth || b.width - a.width)
    .slice(0, MAX_RIVERS)
    .map(({ x }) => x);
}

function bandsAt(rows: Row[], x: number): Band[] {
  const bands: Band[] = [];
  let band: Band | null = null;
  for (const [at, row] of rows.entries()) {
    if (row.some(({ x0, x1 }) => x0 < x && x1 > x)) {
      band = null;
      continue;
    }
    if (band === null) bands.push((band = { start: at, end: at, sides: [[], []] }));
    band.end = at + 1;
    for (const segment of row) band.sides[segment.x0 < x ? 0 : 1].push(segment);
  }
  return bands;
}

function areColumns([left, right]: Band["sides"], isFromRight: boolean): boolean {
  if (left.length === 0 || right.length === 0) return false;
  const river = leastOf(right, ({ x0 }) => x0) + leastOf(left, ({ x1 }) => -x1);
  if (river < Math.min(sizeOf(left), sizeOf(right)) * MIN_RIVER) return false;
  const sides = [sideOf(left, isFromRight), sideOf(right, isFromRight)] as const;
  const [fewer = sides[0], more = sides[1]] = sides.toSorted(
    (a, b) => a.lines.length - b.lines.length,
  );
  if (more.lines.length < MIN_LINES) return false;
  if (sides.every(isProse)) return true;
  if (fewer.lines.length < MIN_LINES) return false;
  if (isNumbered(sides, left, right)) return true;
  return sides.every(isWide) && alignedShare(fewer, more) < MAX_ALIGNED;
}

function sideOf(segments: Segment[], isFromRight: boolean): Side {
  const [x0, x1] = [leastOf(segments, (each) => each.x0), -leastOf(segments, (each) => -each.x1)];
  const lines = rowsByPlace(segments).map((row): Line => {
    const first = (isFromRight ? row.at(-1) : row[0]) ?? row[0];
    const { text = "", size = 1, y = 0 } = first ?? {};
    const letters = /^\s*(?:\p{Script=Han}|\S+)/u.exec(text)?.[0].length ?? 0;
    const width = first === undefined ? 0 : first.x1 - first.x0;
    return {
      covered: row.reduce((sum, each) => sum + each.x1 - each.x0, 0),
      word: (width * letters) / Math.max(1, text.length),
      slack: isFromRight
        ? leastOf(row, (each) => each.x0) - x0
        : x1 + leastOf(row, (each) => -each.x1),
      y,
      size,
    };
  });
  const letters = segments.reduce((sum, { text }) => sum + (text.match(LETTER)?.length ?? 0), 0);
  return { lines, width: x1 - x0, letters, size: sizeOf(segments) };
}

const isWide = ({ lines, width, letters, size }: Side) =>
  width > size * MIN_COLUMN && letters > lines.length * MIN_LETTERS_A_LINE;

/** Lines that are as long as their column allows. */
function isProse(side: Side): boolean {
  const { lines, width, size } = side;
  if (!isWide(side)) return false;
  const covered = lines.reduce((sum, line) => sum + line.covered, 0);
  if (covered < lines.length * width * MIN_COVERED) return false;
  const pairs = lines.slice(1).map((next, at) => ({ line: lines[at] ?? next, next }));
  const close = pairs.filter(({ line, next }) => next.y - line.y < next.size * LINE_DISTANCE);
  const wrapped = close.filter(({ line, next }) => next.word + size > line.slack);
  return close.length * 2 >= pairs.length && wrapped.length >= close.length * MIN_WRAPPED;
}

/** The share of lines that have another at their height, or are centred between two of them. */
function alignedShare(fewer: Side, more: Side): number {
  const heights = more.lines.map(({ y }) => y);
  const middles = heights.slice(1).map((y, at) => (y + (heights[at] ?? y)) / 2);
  const places = [...heights, ...middles].sort((a, b) => a - b);
  let at = 0;
  const aligned = fewer.lines.filter(({ y, size }) => {
    while ((places[at] ?? Infinity) < y - size * ALIGNED) at++;
    return (places[at] ?? Infinity) <= y + size * ALIGNED;
  });
  return aligned.length / fewer.lines.length;
}

/** Whether nearly each line has its number, as in transcripts and contracts. */
function isNumbered([left, right]: readonly [Side, Side], numbers: Row, text: Row): boolean {
  const { length } = right.lines;
  const isText = text.length < length * 1.2 && right.letters > length * MIN_TEXT_A_LINE;
  if (!isText || left.lines.length < Math.max(MIN_NUMBERS, length * MIN_NUMBERED)) return false;
  const values = numbers
    .toSorted((a, b) => a.y - b.y)
    .map((each) => (LINE_NUMBER.test(each.text) ? Number(each.text) : Number.NaN));
  const counted = values.filter((value, at) => value - 1 === values[at - 1]);
  return counted.length >= (values.length - 1) * MIN_NUMBERED;
}

const sizeOf = (segments: Segment[]) =>
  segments.map(({ size }) => size).sort((a, b) => a - b)[segments.length >>> 1] ?? 1;

const leastOf = (segments: Segment[], of: (segment: Segment) => number) =>
  segments.reduce((value, segment) => Math.min(value, of(segment)), Infinity);
