import { ITEM_COST, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { LINE_NUMBER } from "./listings.ts";
import { boundsOf, rowsByPlace, wordWidth } from "./page-rows.ts";
import { isRightToLeft } from "./right-to-left.ts";
import type { Segment } from "./segment.ts";

type Row = Segment[];
/** Rows between two lines that cross a river, and the segments on the river's two sides. */
type Band = { start: number; end: number; sides: [Segment[], Segment[]] };

const MIN_SEGMENTS = 4;
const MAX_DEPTH = 12;
/** Rivers that are tried in a region. */
const MAX_RIVERS = 8;
/** In ems. */
const MIN_RIVER = 0.7;
const MIN_COLUMN = 11;
const MIN_GAP = 0.25;
/** In prose: the share of the column that lines cover, and of lines without room for a word. */
const MIN_COVERED = 0.55;
const MIN_WRAPPED = 0.55;
const LETTER = /\p{L}/gu;
/** Average letters a line, in prose and in lines with numbers. */
const MIN_LETTERS = 10;
const MIN_LETTERS_NUMBERED = 16;
const MAX_PARTS = 1.2;
const MIN_LINES = 3;
const MIN_NUMBERS = 3;
const MIN_NUMBERED = 0.6;

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
  yield segments.length * ITEM_COST;
  if (segments.length < MIN_SEGMENTS || depth >= MAX_DEPTH) return rows.length > 0 ? [rows] : [];
  const bands = yield* bestBands(segments, rows, isFromRight);
  if (bands.length === 0) return [rows];
  const regions: Row[][] = [];
  let at = 0;
  for (const { start, end, sides } of [...bands, { start: rows.length, end: 0, sides: [[], []] }]) {
    const parts = [rows.slice(at, start).flat(), ...(isFromRight ? sides.toReversed() : sides)];
    for (const part of parts) {
      const isNumbers = part.length > 0 && part.every(({ text }) => LINE_NUMBER.test(text));
      const inner = isNumbers ? [[part]] : yield* divided(part, isFromRight, depth + 1);
      for (const region of inner) regions.push(region);
    }
    at = end;
  }
  return regions;
}

/** The bands with columns at the river that divides the most text. */
function* bestBands(
  segments: Segment[],
  rows: Row[],
  isFromRight: boolean,
): CooperativeWork<Band[]> {
  let best: Band[] = [];
  let most = 0;
  for (const x of riversOf(segments)) {
    const bands = bandsAt(rows, x).filter((band) => areColumns(band, isFromRight));
    const size = bands.reduce((sum, { start, end }) => sum + end - start, 0);
    if (size > most) [best, most] = [bands, size];
    yield segments.length * ITEM_COST;
  }
  return best;
}

/** Places that the fewest segments cross. */
function riversOf(segments: Segment[]): number[] {
  const edges = segments
    .flatMap(({ x0, x1 }) => [
      { x: x0, step: 1 },
      { x: Math.max(x0, x1), step: -1 },
    ])
    .sort((a, b) => a.x - b.x);
  const size = sizeOf(segments);
  const gaps: { x: number; depth: number; width: number }[] = [];
  let depth = 0;
  for (const [at, { x, step }] of edges.entries()) {
    depth += step;
    const width = (edges[at + 1]?.x ?? x) - x;
    if (width > size * MIN_GAP) gaps.push({ x: x + width / 2, depth, width });
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

function areColumns({ start, end, sides }: Band, isFromRight: boolean): boolean {
  const [left, right] = sides;
  if (sides.some((side) => side.length === 0)) return false;
  const river = boundsOf(right).x0 - boundsOf(left).x1;
  if (river < Math.min(sizeOf(left), sizeOf(right)) * MIN_RIVER) return false;
  const [leftRows, rightRows] = [rowsByPlace(left), rowsByPlace(right)];
  const [fewer = 0, more = 0] = [leftRows.length, rightRows.length].sort((a, b) => a - b);
  if (more < MIN_LINES || lettersIn(right) < rightRows.length * MIN_LETTERS) return false;
  if (isNumbered(left, rightRows)) return true;
  if ([leftRows, rightRows].every((rows) => isProse(rows, isFromRight))) return true;
  // Blocks that are drawn one after the other, with hardly a line at the same height.
  const shared = fewer + more - (end - start);
  const last = left.reduce((most, { order }) => Math.max(most, order), 0);
  return fewer >= MIN_LINES && shared * 2 < fewer && right.every(({ order }) => order > last);
}

/** Whether lines are as long as their column allows: they could not take the next word. */
function isProse(rows: Row[], isFromRight: boolean): boolean {
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
  return isFull && wrapped.length >= (rows.length - 1) * MIN_WRAPPED;
}

/** Whether nearly each line has its number, as in transcripts and contracts. */
function isNumbered(numbers: Segment[], rows: Row[]): boolean {
  const ascending = numbers.filter(
    ({ text }, at) => Number(text) === Number(numbers[at - 1]?.text) + 1,
  );
  const isText = rows.flat().length < rows.length * MAX_PARTS;
  const isLong = lettersIn(rows.flat()) > rows.length * MIN_LETTERS_NUMBERED;
  return isText && isLong && ascending.length >= Math.max(MIN_NUMBERS, rows.length * MIN_NUMBERED);
}

const lettersIn = (segments: Segment[]) =>
  segments.reduce((sum, { text }) => sum + (text.match(LETTER)?.length ?? 0), 0);

const sizeOf = (segments: Segment[]) =>
  segments.map(({ size }) => size).sort((a, b) => a - b)[segments.length >>> 1] ?? 1;
