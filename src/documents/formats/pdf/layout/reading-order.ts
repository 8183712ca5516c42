import { ITEM_COST, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { LINE_NUMBER } from "./listings.ts";
import { boundsOf, groupIntoRows, wordWidth } from "./page-rows.ts";
import { isRightToLeft } from "./right-to-left.ts";
import type { Interval, Segment } from "./segment.ts";

type Row = Segment[];
/** Rows between two lines that cross a river, and the segments on the river's two sides. */
type Band = { start: number; end: number; sides: [Segment[], Segment[]] };

const MIN_SEGMENTS = 4;
const MAX_DEPTH = 12;
/** Rivers that are tried in a region. */
const MAX_RIVERS = 8;
const MAX_COMMON_RIVERS = 4;
/** Rows with a gap at the same place: fewer are rather a table. */
const MIN_COMMON = 12;
/** In ems. */
const MIN_RIVER = 0.7;
const MIN_COLUMN = 11;
const MIN_GAP = 0.25;
/** In prose: the share of the column that lines cover, and of lines without room for a word. */
const MIN_COVERED = 0.55;
const MIN_WRAPPED = 0.55;
const MIN_FULL = 0.85;
const MAX_OUTSIDE = 0.1;
const MAX_TURNS = 4;
const LETTER = /\p{L}/gu;
/** Average letters a line, in prose and in lines with numbers. */
const MIN_LETTERS = 10;
const MIN_LETTERS_NUMBERED = 16;
const MAX_PARTS = 1.2;
const MIN_LINES = 3;
/** Lines of a table, and of a chart beside it. */
const MIN_BESIDE = 5;
/** In ems, and the share of lines that are as near by chance. */
const LEVEL = [
  { within: 0.08, most: 0.5 },
  { within: 0.24, most: 0.85 },
] as const;
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
  const regions = yield* divideIntoRegions(segments, isFromRight, 0);
  if (isFromRight) for (const row of regions.flat()) row.reverse();
  return regions;
}

function* divideIntoRegions(
  segments: Segment[],
  isFromRight: boolean,
  depth: number,
): CooperativeWork<Row[][]> {
  const rows = groupIntoRows(segments);
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
      const inner = isNumbers ? [[part]] : yield* divideIntoRegions(part, isFromRight, depth + 1);
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
  for (const x of riversOf(segments, rows)) {
    const bands = bandsAt(rows, x).flatMap((band) => columnsIn(band, rows, isFromRight));
    const size = bands.reduce((sum, { start, end }) => sum + end - start, 0);
    if (size > most) [best, most] = [bands, size];
    yield segments.length * ITEM_COST;
  }
  return best;
}

/** Places that the fewest segments cross, and those where the most rows have a gap. */
function riversOf(segments: Segment[], rows: Row[]): number[] {
  const gaps = rows.flatMap((row) =>
    row.slice(1).map(({ x0 }, at) => ({ x0: row[at]?.x1 ?? x0, x1: x0 })),
  );
  const narrowest = sizeOf(segments) * MIN_GAP;
  const stretches = stretchesOf(segments).filter(({ width }) => width > narrowest);
  const recurringGaps = stretchesOf(gaps).filter(
    ({ depth, isMost }) => isMost && depth >= MIN_COMMON,
  );
  const places = [
    ...stretches.sort((a, b) => a.depth - b.depth || b.width - a.width).slice(0, MAX_RIVERS),
    ...recurringGaps
      .sort((a, b) => b.depth - a.depth || b.width - a.width)
      .slice(0, MAX_COMMON_RIVERS),
  ];
  return [...new Set(places.map(({ x, width }) => x + width / 2))];
}

/** `isMost`: more intervals cover it than cover what is on its two sides. */
type Stretch = { x: number; depth: number; width: number; isMost: boolean };

/** The stretches between the ends of intervals, and how many of these cover each. */
function stretchesOf(intervals: Interval[]): Stretch[] {
  const ends = intervals
    .flatMap(({ x0, x1 }) => [
      { x: x0, step: 1 },
      { x: Math.max(x0, x1), step: -1 },
    ])
    .sort((a, b) => a.x - b.x);
  let depth = 0;
  return ends.map(({ x, step }, at) => {
    depth += step;
    const next = ends[at + 1];
    return { x, depth, width: (next?.x ?? x) - x, isMost: step > (next?.step ?? 1) };
  });
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

/** The band, or the part of it below what only its right side begins with, if that has columns. */
function columnsIn(band: Band, rows: Row[], isFromRight: boolean): Band[] {
  const [leftSide, rightSide] = band.sides;
  if (leftSide.length === 0 || rightSide.length === 0 || !hasRiver(band)) return [];
  if (areColumns(band, isFromRight)) return [band];
  const titleRows = rows.slice(band.start, band.end).findIndex(([first]) => first === leftSide[0]);
  const title = new Set(rows.slice(band.start, band.start + titleRows).flat());
  const chartSegments = rightSide.filter((segment) => !title.has(segment));
  const chart: Band = {
    start: band.start + titleRows,
    end: band.end,
    sides: [leftSide, chartSegments],
  };
  return isBesideTable(chart) ? [chart] : [];
}

/** Whether the right side, such as a chart's words, was drawn behind a table and between its lines. */
function isBesideTable({ sides: [leftSide, rightSide] }: Band): boolean {
  if (!isDrawnBehind(leftSide, rightSide)) return false;
  const [leftRows, rightRows] = [groupIntoRows(leftSide), groupIntoRows(rightSide)];
  const rowsOfCells = leftRows.filter(({ length }) => length > 1);
  const words = rightSide.filter(({ text }) => lettersIn([{ text }]) > 0);
  const isChart = rowsOfCells.length * 2 > leftRows.length && words.length * 2 > rightSide.length;
  // A column's head would be level with those of the others.
  const heads = levelRows(leftRows, rightRows.slice(0, 1), sizeOf(leftSide) * LEVEL[0].within);
  return isChart && heads === 0 && areApart([leftRows, rightRows], MIN_BESIDE);
}

/** Whether few lines stand as high as one of the other side: those would be cells of a row. */
function areApart([leftRows, rightRows]: [Row[], Row[]], least: number): boolean {
  const fewer = Math.min(leftRows.length, rightRows.length);
  const size = sizeOf(leftRows.flat());
  return (
    fewer >= least &&
    LEVEL.every(({ within, most }) => levelRows(leftRows, rightRows, size * within) < fewer * most)
  );
}

function levelRows(leftRows: Row[], rightRows: Row[], step: number): number {
  const placeOf = ([first]: Row) => Math.round((first?.y ?? 0) / step);
  const places = new Set(leftRows.map(placeOf));
  const isLevel = (row: Row) => [-1, 0, 1].some((distance) => places.has(placeOf(row) + distance));
  return rightRows.filter(isLevel).length;
}

const hasRiver = ({ sides: [leftSide, rightSide] }: Band) =>
  boundsOf(rightSide).x0 - boundsOf(leftSide).x1 >=
  Math.min(sizeOf(leftSide), sizeOf(rightSide)) * MIN_RIVER;

function isDrawnBehind(leftSide: Segment[], rightSide: Segment[]): boolean {
  const last = leftSide.reduce((most, { order }) => Math.max(most, order), 0);
  return rightSide.every(({ order }) => order > last);
}

/** Whether one side was drawn after the other, but for captions or the page's foot: not by rows. */
function isDrawnBySides(sides: Segment[][]): boolean {
  const drawn = sides
    .flatMap((side, at) => side.map(({ order }) => ({ order, at })))
    .sort((a, b) => a.order - b.order);
  const turns = drawn.filter(({ at }, index) => index > 0 && drawn[index - 1]?.at !== at);
  return turns.length <= MAX_TURNS;
}

function areColumns({ sides: [leftSide, rightSide] }: Band, isFromRight: boolean): boolean {
  const rows: [Row[], Row[]] = [groupIntoRows(leftSide), groupIntoRows(rightSide)];
  if (!isOfWords(rightSide, rows)) return false;
  const prose = rows.filter((side) => isProse(side, isFromRight));
  if (isNumbered(leftSide, rows[1]) || prose.length === rows.length) return true;
  if (prose.length > 0 && rows.every(hasFullLines) && isDrawnBySides([leftSide, rightSide]))
    return true;
  return areApart(rows, MIN_LINES) && isDrawnBehind(leftSide, rightSide);
}

const isOfWords = (rightSide: Segment[], [leftRows, rightRows]: [Row[], Row[]]) =>
  Math.max(leftRows.length, rightRows.length) >= MIN_LINES &&
  lettersIn(rightSide) >= rightRows.length * MIN_LETTERS;

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

/** The edges of a column, beyond which a tenth of its lines may reach, such as a page's number. */
function edgesOf(rows: Row[]): Interval {
  const bounds = rows.map(boundsOf);
  const outside = Math.floor(rows.length * MAX_OUTSIDE);
  const starts = bounds.map(({ x0 }) => x0).sort((a, b) => a - b);
  const ends = bounds.map(({ x1 }) => x1).sort((a, b) => b - a);
  return { x0: starts[outside] ?? 0, x1: ends[outside] ?? 0 };
}

/** Whether some lines are as long as their column is wide: a figure stands above or below prose. */
function hasFullLines(rows: Row[]): boolean {
  const { x0, x1 } = edgesOf(rows);
  const full = rows.filter(
    (row) => row.length === 1 && boundsOf(row).x1 - boundsOf(row).x0 > (x1 - x0) * MIN_FULL,
  );
  return full.length >= MIN_BESIDE;
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

const lettersIn = (segments: Pick<Segment, "text">[]) =>
  segments.reduce((sum, { text }) => sum + (text.match(LETTER)?.length ?? 0), 0);

const sizeOf = (segments: Segment[]) =>
  segments.map(({ size }) => size).sort((a, b) => a - b)[segments.length >>> 1] ?? 1;
