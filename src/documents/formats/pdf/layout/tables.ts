import { ITEM_COST, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { textOfLines } from "./joined-lines.ts";
import { runsOf, wordWidth } from "./page-rows.ts";
import type { Gap, Interval, Segment } from "./segment.ts";

type Row = Segment[];
/** The segments of a line of a table, by their columns. */
type Cells = Segment[][];
/** `columns` from the left; the cells of each row in reading order. */
export type Table = { end: number; columns: Interval[]; rows: string[][] };

/** In ems. */
const ROW_DISTANCE = 4;
const LINE_DISTANCE = 1.75;
/** Closer lines overlap: a cell is centred next to a cell of two lines. */
const OVERLAPPING = 0.9;
const SPACE = 0.25;
const ALIGNED = 0.6;
/** Lines of a first cell before the line with the others. */
const LOOK_AHEAD = 6;
const MIN_FIGURES = 2;
/** Lines from a row to the next, where cells of several lines are centred beside both. */
const MAX_BETWEEN = 8;
/** Cells of a table: where each row adds a column, there are more than the memory holds. */
const MAX_CELLS = 1 << 18;
/** A segment that covers more columns is a cell that spans them. */
const MAX_DIVIDED = 50;

const FIGURE = /^[\p{Sc}\s()+\-–−±<>≤≥~*]*\d[\d\s.,:'’/%()\p{Sc}\-–−±*]*$/u;

export const isFigure = (cell: string) => FIGURE.test(cell);

/**
 * The table that begins with a row of several cells, or with a line of a cell next to them. It has
 * no `rows` where all lines form a single row or there are too many cells: the lines are text.
 */
export function* tableAt(rows: Row[], start: number): CooperativeWork<Table | null> {
  if (!mayBegin(rows, start)) return null;
  const end = yield* tableEnd(rows, start);
  const body = rows.slice(start, end);
  if (body.filter(({ length }) => length > 1).length < 2) return null;
  const columns = columnsOf(body);
  if (body.length * columns.length > 2 * MAX_CELLS) return { end, columns, rows: [] };
  const lines: Cells[] = [];
  for (const row of body) {
    lines.push(cellsOf(row, columns));
    yield row.length * ITEM_COST + columns.length;
  }
  const isFromRight = (body[0]?.[0]?.x0 ?? 0) > (body[0]?.[1]?.x0 ?? Infinity);
  const texts = rowsOf(lines, columns).map((cells) => {
    const row = cells.map((cell) => textOfLines(cell));
    return isFromRight ? row.reverse() : row;
  });
  return { end, columns, rows: texts.length < 2 ? [] : texts };
}

function mayBegin(rows: Row[], at: number): boolean {
  const [above = [], row = [], next = []] = [rows[at - 1], rows[at], rows[at + 1]];
  const [cell] = row;
  if (cell === undefined || row.length > 1 || next.length < 2) return row.length > 1;
  const column = columnsAt(columnsOf([next]), cell);
  const distance = distanceOf(row, next);
  const isNearer = distance <= LINE_DISTANCE && distanceOf(above, row) > distance;
  return distance < OVERLAPPING || (isNearer && column.at > 0 && column.end === column.at + 1);
}

function* tableEnd(rows: Row[], start: number): CooperativeWork<number> {
  let [first = null] = rows.slice(start, start + 1);
  let columns = columnsOf(rows.slice(start, start + 1));
  let end = start + 1;
  for (; end < rows.length && (end - start) * columns.length < MAX_CELLS; end++) {
    const [above = [], row = []] = [rows[end - 1], rows[end]];
    yield row.length * ITEM_COST;
    if (distanceOf(above, row) >= ROW_DISTANCE) break;
    if (!(row.length === 1 ? isPartialRow(rows, end, columns) : hasColumns(row, columns, first)))
      break;
    if (first !== null && row.length > 1) [columns, first] = [columnsOf([row, first]), null];
    else if (isRowOf(row, columns)) addColumns(columns, row);
  }
  return end;
}

/** Lines of a cell, or the title of the row that follows. */
function isPartialRow(rows: Row[], at: number, columns: Interval[]): boolean {
  const [row = [], above = []] = [rows[at], rows[at - 1]];
  const [cell] = row;
  const span = cell === undefined ? { at: 0, end: 0 } : columnsAt(columns, cell);
  const isSpanning = span.end - span.at > 1;
  if (span.end === span.at) return false;
  if (!isSpanning && span.at > 0 && distanceOf(above, row) <= LINE_DISTANCE) return true;
  const following = rows.slice(at + 1, at + (isSpanning ? 2 : LOOK_AHEAD));
  const next = following.find(
    (each, index) => each.length > 1 || isCentred(following[index - 1] ?? row, each, columns),
  );
  return next !== undefined && distanceOf(row, next) < ROW_DISTANCE && isRowOf(next, columns);
}

/** Whether a line is a single figure, centred beside two lines of the cell before it. */
const isCentred = ([above]: Row, [cell]: Row, columns: Interval[]) =>
  above !== undefined &&
  cell !== undefined &&
  isFigure(cell.text) &&
  distanceOf([above], [cell]) < OVERLAPPING &&
  columnsAt(columns, above).end === columnsAt(columns, cell).at &&
  isRowOf([cell], columns);

function distanceOf([above]: Row, [below]: Row): number {
  return above === undefined || below === undefined ? Infinity : (below.y - above.y) / below.size;
}

/** The columns from `at` to `end` (exclusive) that a cell touches; they are in order and apart. */
export function columnsAt(columns: Interval[], { x0, x1 }: Interval): { at: number; end: number } {
  const at = findColumn(0, columns, (column) => column.x1 > x0);
  return { at, end: findColumn(at, columns, (column) => column.x0 >= x1) };
}

/** The first column from `at` on that is beyond a place, as are all that follow it. */
function findColumn(
  at: number,
  columns: Interval[],
  isBeyond: (column: Interval) => boolean,
): number {
  let [low, high] = [at, columns.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const column = columns[middle];
    if (column === undefined || isBeyond(column)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether no cell spans two columns, and more than one column is used or kept. */
function isRowOf(row: Interval[], columns: Interval[]): boolean {
  const counts = row.map((cell) => {
    const { at, end } = columnsAt(columns, cell);
    return end - at;
  });
  return counts.every((count) => count <= 1) && counts.includes(1);
}

/** Whether cells, some of which span columns, have no column in common. */
function areApart(row: Row, columns: Interval[]): boolean {
  const spans = row.map((cell) => columnsAt(columns, cell)).sort((a, b) => a.at - b.at);
  return spans.every(({ at, end }, index) => end > at && at >= (spans[index - 1]?.end ?? 0));
}

/** @param first the only row with several cells so far */
const hasColumns = (row: Row, columns: Interval[], first: Row | null) =>
  isRowOf(row, columns) || (first === null ? areApart(row, columns) : areAlike(first, row));

/** Whether the cells of two rows stand above each other, one by one. */
export const areAlike = (row: Interval[], otherRow: Interval[]) =>
  row.length > 1 &&
  row.length === otherRow.length &&
  row.every(
    ({ x0, x1 }, at) => x0 < (otherRow[at]?.x1 ?? 0) && x1 > (otherRow[at]?.x0 ?? Infinity),
  );

/** Rows with more cells show more of the columns: cells of a header may stand above several. */
export function columnsOf(rows: Interval[][]): Interval[] {
  const columns: Interval[] = [];
  for (const row of rows.toSorted((a, b) => b.length - a.length))
    if (columns.length === 0 || isRowOf(row, columns)) addColumns(columns, row);
  return columns;
}

/** Merges what overlaps. */
function addColumns(columns: Interval[], row: Interval[]): void {
  for (const cell of row) {
    const { at, end } = columnsAt(columns, cell);
    const x0 = Math.min(cell.x0, columns[at]?.x0 ?? Infinity);
    const x1 = Math.max(cell.x1, columns[end - 1]?.x1 ?? -Infinity);
    if (end > at) columns.splice(at, end - at, { x0, x1 });
    else columns.splice(at, 0, { x0: cell.x0, x1: cell.x1 });
  }
}

function cellsOf(row: Row, columns: Interval[]): Cells {
  const cells: Cells = columns.map(() => []);
  const parts = row.length > 1 ? row.flatMap((segment) => divideCell(segment, columns)) : row;
  for (const part of parts)
    cells[Math.min(columnsAt(columns, part).at, cells.length - 1)]?.push(part);
  return cells;
}

/** Cells that are closer than most, divided at the gaps between their columns. */
function divideCell(segment: Segment, columns: Interval[]): Segment[] {
  const { at, end } = columnsAt(columns, segment);
  if (end - at < 2 || end - at > MAX_DIVIDED) return [segment];
  const gaps = gapsIn(segment);
  const { size, text } = segment;
  const parts: Segment[] = [];
  let start: Gap = { at: 0, x0: segment.x0, x1: segment.x0 };
  let next = 0;
  let edge = (columns[at]?.x1 ?? 0) - size * SPACE;
  for (const { x0: right, x1 } of columns.slice(at + 1, end)) {
    const leftEnd = Math.max(edge, right - size * ALIGNED);
    edge = x1 - size * SPACE;
    while ((gaps[next]?.x1 ?? Infinity) <= leftEnd) next++;
    const gap = gaps[next];
    if (gap === undefined || gap.x1 >= right + size * ALIGNED) continue;
    parts.push({ ...segment, text: text.slice(start.at, gap.at), x0: start.x1, x1: gap.x0 });
    start = gap;
    next++;
  }
  parts.push({ ...segment, text: text.slice(start.at), x0: start.x1 });
  return parts;
}

/** The gaps between a segment's words; those within a part are where letters of one width put them. */
function gapsIn({ text, x0, x1, gaps = [] }: Segment): Gap[] {
  const all: Gap[] = [];
  let start: Gap = { at: 0, x0, x1: x0 };
  for (const end of [...gaps, { at: text.length, x0: x1, x1 }]) {
    const advance = (end.x0 - start.x1) / Math.max(1, end.at - start.at);
    for (const { index } of text.slice(start.at, end.at).matchAll(/\s(?=\S)/g)) {
      const x = start.x1 + advance * index;
      all.push({ at: start.at + index + 1, x0: x, x1: x + advance });
    }
    if (end.at < text.length) all.push(end);
    start = end;
  }
  return all;
}

/** Joins the lines of a row's cells. */
function rowsOf(lines: Cells[], columns: Interval[]): Cells[] {
  const within = lines.filter((line, at) => isDrawnWithin(lines[at - 1] ?? [], line));
  const isByRows = within.length * 2 < lines.length;
  const figures = lines.map(figureColumns);
  /** Whether both lines have figures in several columns: each is a row of its own. */
  const areRows = (first: number, second: number) =>
    [...(figures[first] ?? [])].filter((at) => figures[second]?.has(at)).length >= MIN_FIGURES;
  /** Whether the row below was begun before this line: cells stand at the bottom of their row. */
  const isOfNext = (above: Cells, line: Cells, at: number) => {
    const next = lines.slice(at + 1, at + LOOK_AHEAD).find(([first]) => isFilled(first)) ?? [];
    return isByRows && isDrawnWithin(line, next) && !isDrawnWithin(above, next);
  };
  const rows = runsOf([...lines.entries()], ([at, line], run) => {
    const above = lines[at - 1] ?? [];
    const distance = distanceOf(above.flat(), line.flat());
    const isWithin = (each: Cells) => isByRows && isDrawnWithin(each, line);
    const isOther = ([before, each]: [number, Cells]) => areRows(before, at) && !isWithin(each);
    if (distance > LINE_DISTANCE || run.slice(-MAX_BETWEEN).some(isOther)) return false;
    if (overlap(above, line) || isWithin(above)) return true;
    const isBottom =
      isFilled(above[0]) && (isAhead(line, lines[at + 1]) || isOfNext(above, line, at));
    return !isBottom && isWrapped(above, line, columns);
  });
  return rows.map((row) => columns.map((_column, at) => row.flatMap(([, line]) => line[at] ?? [])));
}

const overlap = (above: Cells, below: Cells) =>
  distanceOf(above.flat(), below.flat()) < OVERLAPPING && areBeside(above, below);

const isFilled = (cell?: Segment[]) => cell !== undefined && cell.length > 0;

/** Whether a cell begins above the others of its row, which are centred beside it. */
const isAhead = (line: Cells, below: Cells = []) =>
  line.filter(isFilled).length === 1 &&
  isFilled(below[0]) &&
  below.filter(isFilled).length > 1 &&
  overlap(line, below);

const figureColumns = (line: Cells) =>
  new Set(line.flatMap(([first], at) => (isFigure(first?.text ?? "") ? [at] : [])));

const areBeside = (above: Cells, line: Cells) =>
  line.every((cell, at) => cell.length === 0 || above[at]?.length === 0);

/** Whether a line was begun before the line above it was complete: it belongs to a cell of that. */
function isDrawnWithin(above: Cells, line: Cells): boolean {
  const firstOrder = line.flat().reduce((least, { order }) => Math.min(least, order), Infinity);
  return above.flat().some(({ order }) => order > firstOrder);
}

/** Whether cells of the line above could not take the first words of this line. */
function isWrapped(above: Cells, line: Cells, columns: Interval[]): boolean {
  if ((line[0]?.length ?? 0) > 0) return false;
  return line.every(([next], at) => {
    const last = above[at]?.at(-1);
    if (next === undefined) return true;
    if (last === undefined || isFigure(next.text)) return false;
    return last.x1 + wordWidth(next) + last.size * SPACE > (columns[at]?.x1 ?? Infinity);
  });
}
