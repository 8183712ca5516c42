import { ITEM_COST, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { LINE_NUMBER } from "./listings.ts";
import { boundsOf, groupIntoRows, runsOf } from "./page-rows.ts";
import {
  hasFullLines,
  isNumbered,
  isProse,
  isRunningText,
  lettersIn,
  MIN_LETTERS,
  sizeOf,
} from "./prose.ts";
import { isRightToLeft } from "./right-to-left.ts";
import type { Interval, Segment } from "./segment.ts";

type Row = Segment[];
/** Rows with columns side by side. */
type ColumnBand = { start: number; end: number; sides: Segment[][] };
/** Rows between two lines that cross a river, and the segments on the river's two sides. */
type Band = ColumnBand & { sides: [Segment[], Segment[]] };

const MIN_SEGMENTS = 4;
const MAX_DEPTH = 12;
/** Rivers that are tried in a region. */
const MAX_RIVERS = 8;
const MAX_COMMON_RIVERS = 4;
/** Rows with a gap at the same place: fewer are rather a table. */
const MIN_COMMON = 12;
/** In ems. */
const MIN_RIVER = 0.7;
const MIN_GAP = 0.25;
/** Captions or the page's foot are drawn last, but nothing by rows. */
const MAX_RUNS = 5;
/** The share of a side that is drawn at once. */
const MIN_RUN = 0.7;
const MIN_LINES = 3;
/** Lines of a table, and of a chart beside it. */
const MIN_BESIDE = 5;
/** In ems, and the share of lines that are as near by chance. */
const LEVEL = [
  { within: 0.08, most: 0.5 },
  { within: 0.24, most: 0.85 },
] as const;

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
): CooperativeWork<ColumnBand[]> {
  let best: ColumnBand[] = [];
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
function columnsIn(band: Band, rows: Row[], isFromRight: boolean): ColumnBand[] {
  const [leftSide, rightSide] = band.sides;
  if (leftSide.length === 0 || rightSide.length === 0 || !hasRiver(band)) return [];
  if (areColumns(band, isFromRight)) return [band];
  const columns = band.sides.flatMap(columnsOfSide);
  if (columns.every(isRunningText) && isDrawnAtOnce(columns)) return [{ ...band, sides: columns }];
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

/** The segments of the sides in the order of drawing, in runs of one side each. */
function runsOfSides(sides: Segment[][]) {
  const drawn = sides
    .flatMap((side, at) => side.map(({ order }) => ({ order, at })))
    .sort((a, b) => a.order - b.order);
  return runsOf(drawn, ({ at }, [first]) => at === first.at);
}

/** Whether most of each side was drawn at once: unlike tables, even those of two rows. */
function isDrawnAtOnce(sides: Segment[][]): boolean {
  const longest = sides.map(() => 0);
  for (const run of runsOfSides(sides))
    longest[run[0]?.at ?? 0] = Math.max(longest[run[0]?.at ?? 0] ?? 0, run.length);
  return sides.every(({ length }, at) => (longest[at] ?? 0) >= length * MIN_RUN);
}

function areColumns({ sides: [leftSide, rightSide] }: Band, isFromRight: boolean): boolean {
  const rows: [Row[], Row[]] = [groupIntoRows(leftSide), groupIntoRows(rightSide)];
  if (!isOfWords(rightSide, rows)) return false;
  const prose = rows.filter((side) => isProse(side, isFromRight));
  if (isNumbered(leftSide, rows[1]) || prose.length === rows.length) return true;
  if (
    prose.length > 0 &&
    rows.every(hasFullLines) &&
    runsOfSides([leftSide, rightSide]).length <= MAX_RUNS
  )
    return true;
  return areApart(rows, MIN_LINES) && isDrawnBehind(leftSide, rightSide);
}

const isOfWords = (rightSide: Segment[], [leftRows, rightRows]: [Row[], Row[]]) =>
  Math.max(leftRows.length, rightRows.length) >= MIN_LINES &&
  lettersIn(rightSide) >= rightRows.length * MIN_LETTERS;

/** The parts of a side between which no line crosses. */
function columnsOfSide(side: Segment[]): Segment[][] {
  const sorted = side.toSorted((a, b) => a.x0 - b.x0);
  let edge = sorted[0]?.x1 ?? 0;
  return runsOf(sorted, ({ x0, x1 }) => {
    const isWithin = x0 < edge;
    edge = Math.max(edge, x1);
    return isWithin;
  });
}
