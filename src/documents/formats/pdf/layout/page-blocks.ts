import { ITEM_COST, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { joinedLines } from "./joined-lines.ts";
import { listingsIn } from "./listings.ts";
import { runsOf } from "./page-rows.ts";
import type { Segment } from "./segment.ts";
import type { BlockRole } from "../structure/structure-tree.ts";

export type Block = {
  lines: Segment[];
  x0: number;
  x1: number;
  top: number;
  bottom: number;
};

export type PagePart =
  /** `role` and `label` come from the document's structure tree, if it has one. */
  | { kind: "text"; block: Block; role?: BlockRole; label?: string }
  /** `order`: its position in the order of the page's content. */
  | { kind: "table"; rows: string[][]; order?: number }
  | { kind: "code"; text: string; order: number };

/** In ems. */
const LINE_DISTANCE = 1.75;
const SIZE_TOLERANCE = 0.12;
const ROW_TOLERANCE = 0.45;
/** Cells of a table: where each row adds a column, there are more than the memory holds. */
const MAX_CELLS = 1 << 18;
const LIST_MARK = /^\s*(?:[•◦▪‣●○■–·*-]|\d{1,3}[.)]|\(?[a-z][.)])(\s|$)/;

export function* partsOf(segments: Segment[]): CooperativeWork<PagePart[]> {
  const parts: PagePart[] = [];
  for (const section of yield* listingsIn(segments)) {
    if ("listing" in section)
      parts.push({ kind: "code", text: section.listing, order: section.order });
    else yield* addTables(parts, rowsOf(yield* blocksOf(section.segments)));
  }
  return parts;
}

export function blockOf([first, ...others]: Segment[]): Block | null {
  if (first === undefined) return null;
  const block = beginBlock(first);
  for (const line of others) extendBlock(block, line);
  return block;
}

function beginBlock(line: Segment): Block {
  const { x0, x1, y } = line;
  return { lines: [line], x0, x1, top: y, bottom: y };
}

function extendBlock(block: Block, line: Segment): void {
  block.lines.push(line);
  block.x0 = Math.min(block.x0, line.x0);
  block.x1 = Math.max(block.x1, line.x1);
  block.bottom = line.y;
}

function* blocksOf(segments: Segment[]): CooperativeWork<Block[]> {
  const blocks: Block[] = [];
  for (const segment of segments) {
    const last = blocks.at(-1);
    if (last !== undefined && continuesBlock(last, segment)) extendBlock(last, segment);
    else blocks.push(beginBlock(segment));
    yield ITEM_COST;
  }
  return blocks;
}

function continuesBlock(block: Block, next: Segment): boolean {
  const last = block.lines.at(-1);
  if (last === undefined) return false;
  const distance = next.y - last.y;
  const size = Math.max(last.size, next.size);
  if (distance <= size * ROW_TOLERANCE || distance > size * lineDistance(block)) return false;
  if (Math.abs(last.size - next.size) > size * SIZE_TOLERANCE) return false;
  if (LIST_MARK.test(next.text)) return false;
  return next.x0 < block.x1 && next.x1 > block.x0;
}

function lineDistance(block: Block): number {
  const [first, second] = block.lines;
  if (first === undefined || second === undefined) return LINE_DISTANCE;
  return Math.min(LINE_DISTANCE, ((second.y - first.y) / first.size) * 1.2);
}

const rowsOf = (blocks: Block[]) =>
  runsOf(blocks, (block, row) => {
    const size = block.lines[0]?.size ?? 1;
    const last = row.at(-1) ?? row[0];
    return (
      Math.abs(row[0].top - block.top) < size * ROW_TOLERANCE && block.x0 >= last.x1 - size * 0.2
    );
  });

function* addTables(parts: PagePart[], rows: Block[][]): CooperativeWork<void> {
  let at = 0;
  while (at < rows.length) {
    const { end, columns } = yield* tableAt(rows, at);
    const order = rows[at]?.[0]?.lines[0]?.order ?? 0;
    if (end - at >= 2)
      parts.push({ kind: "table", rows: yield* cellsOf(rows.slice(at, end), columns), order });
    else for (const part of looseRow(rows[at] ?? [])) parts.push(part);
    at = Math.max(end, at + 1);
  }
}

/** A single row is one line, such as a title with a date on the right; long blocks are columns. */
function looseRow(row: Block[]): PagePart[] {
  const [first] = row;
  const isLine = row.length > 1 && row.every((block) => block.lines.length === 1);
  if (!isLine || first === undefined) return row.map((block) => ({ kind: "text", block }));
  const lines = row.flatMap((block) => block.lines);
  const text = lines.map((line) => line.text.trim()).join("  ");
  const [line] = lines;
  if (line === undefined) return [];
  const x1 = row.at(-1)?.x1 ?? first.x1;
  return [{ kind: "text", block: { ...first, lines: [{ ...line, text, x1 }], x1 } }];
}

/** The rows from `start` that are a table's, and the table's columns. */
function* tableAt(
  rows: Block[][],
  start: number,
): CooperativeWork<{ end: number; columns: Interval[] }> {
  const first = rows[start] ?? [];
  const columns: Interval[] = [];
  if (first.length < 2) return { end: start + 1, columns };
  addColumns(columns, first);
  let end = start + 1;
  while (end < rows.length && (end - start) * columns.length < MAX_CELLS) {
    const row = rows[end] ?? [];
    const above = rows[end - 1] ?? [];
    if (!isBelow(above, row) || !fits(row, columns)) break;
    if (row.length === 1 && !isPartialRow(rows, end, columns)) break;
    addColumns(columns, row);
    yield row.length * ITEM_COST;
    end++;
  }
  return { end, columns };
}

function isPartialRow(rows: Block[][], at: number, columns: Interval[]): boolean {
  const next = rows[at + 1] ?? [];
  return next.length > 1 && isBelow(rows[at] ?? [], next) && fits(next, columns);
}

const ROW_DISTANCE = 4;

function isBelow(above: Block[], row: Block[]): boolean {
  const bottom = above.reduce((most, block) => Math.max(most, block.bottom), -Infinity);
  const top = row.reduce((least, block) => Math.min(least, block.top), Infinity);
  const size = row[0]?.lines[0]?.size ?? 1;
  return top > bottom - size * ROW_TOLERANCE && top - bottom < size * ROW_DISTANCE;
}

type Interval = { x0: number; x1: number };

/** The columns from `at` to `end` (exclusive) that a block touches; they are in order and apart. */
function touched(columns: Interval[], { x0, x1 }: Interval): { at: number; end: number } {
  let [at, high] = [0, columns.length];
  while (at < high) {
    const middle = (at + high) >>> 1;
    if ((columns[middle]?.x1 ?? 0) > x0) high = middle;
    else at = middle + 1;
  }
  let end = at;
  while ((columns[end]?.x0 ?? Infinity) < x1) end++;
  return { at, end };
}

/** Whether no cell spans two columns, and more than one column is used or kept. */
function fits(row: Block[], columns: Interval[]): boolean {
  const counts = row.map((block) => {
    const { at, end } = touched(columns, block);
    return end - at;
  });
  return counts.every((count) => count <= 1) && counts.includes(1);
}

/** Merges what overlaps. */
function addColumns(columns: Interval[], row: Block[]): void {
  for (const block of row) {
    const { at, end } = touched(columns, block);
    const x0 = Math.min(block.x0, columns[at]?.x0 ?? Infinity);
    const x1 = Math.max(block.x1, columns[end - 1]?.x1 ?? -Infinity);
    if (end > at) columns.splice(at, end - at, { x0, x1 });
    else columns.splice(at, 0, { x0: block.x0, x1: block.x1 });
  }
}

function* cellsOf(rows: Block[][], columns: Interval[]): CooperativeWork<string[][]> {
  const table: string[][] = [];
  for (const row of rows) {
    const cells = columns.map(() => "");
    for (const block of row) {
      const { at } = touched(columns, block);
      cells[at] = `${cells[at] ?? ""} ${textOf(block)}`.trim();
    }
    table.push(cells);
    yield row.length * ITEM_COST + cells.length;
  }
  return table;
}

const LEADERS = / ?(?:[.·] ?){5,}/g;
const NONE: ReadonlySet<string> = new Set();

/** @param compounds words of the document that keep their hyphen where a line ends with it */
export function textOf(block: Block, compounds = NONE): string {
  const lines = block.lines.map(({ text }) => text.trim());
  return joinedLines(lines, compounds).replace(LEADERS, " … ").trim();
}
