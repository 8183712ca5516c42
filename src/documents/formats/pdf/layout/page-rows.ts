import { rankByTotal } from "../../../rank-by-total.ts";
import type { Interval, Segment } from "./segment.ts";

/** In ems. */
const SAME_LINE = 0.35;
/** In ems: how far a smaller text is raised or lowered within its line. */
const RAISED = 0.5;
const MIN_RAISED_SHARE = 0.5;
const MAX_RAISED_SHARE = 0.85;
/** A page with more segments, such as a map, is laid out in parts: each sorts all of its own. */
export const LAID_OUT_AT_ONCE = 1 << 14;
/** Number of lines at the top and bottom of a page that may hold running heads. */
const EDGE_LINES = 2;
const MAX_EDGE_PARTS = 100;

/** Runs of items, each of which joins the run before it or begins another. */
export function runsOf<Item>(
  items: Item[],
  joins: (item: Item, run: [Item, ...Item[]]) => boolean,
): Item[][] {
  const runs: [Item, ...Item[]][] = [];
  for (const item of items) {
    const run = runs.at(-1);
    if (run !== undefined && joins(item, run)) run.push(item);
    else runs.push([item]);
  }
  return runs;
}

/** Segments on shared baselines, from the top; each row from the left. */
export function groupIntoRows(segments: Segment[]): Segment[][] {
  const sorted = segments.toSorted((a, b) => a.y - b.y);
  const rows = runsOf(sorted, (segment, [first]) => isSameLine(first, segment));
  for (const row of rows) row.sort((a, b) => a.x0 - b.x0);
  return rows;
}

/** Segments by the direction they are written in; the direction with the most text first. */
export function groupByTurn(segments: Segment[]): Segment[][] {
  const groups = Map.groupBy(segments, ({ turn = 0 }) => turn);
  const sizes = [...groups].map(([turn, group]) => [turn, charactersIn(group)] as const);
  return rankByTotal(sizes).map(([turn]) => groups.get(turn) ?? []);
}

export const boundsOf = (segments: Interval[]) => ({
  x0: segments.reduce((least, { x0 }) => Math.min(least, x0), Infinity),
  x1: segments.reduce((most, { x1 }) => Math.max(most, x1), -Infinity),
});

/** The width of a segment's first word, or of its first ideograph. */
export function wordWidth(segment?: Segment): number {
  const { text = "", x0 = 0, x1 = 0 } = segment ?? {};
  const letters = /^\s*(?:\p{Script=Han}|\S+)/u.exec(text)?.[0].length ?? 0;
  return ((x1 - x0) * letters) / Math.max(1, text.length);
}

export const charactersIn = (segments: Segment[]) =>
  segments.reduce((sum, { text }) => sum + text.length, 0);

export function rowsAtEdges(page: Segment[]): Segment[][] {
  if (page.length > LAID_OUT_AT_ONCE) return [];
  const rows = groupIntoRows(groupByTurn(page)[0] ?? []);
  return rows
    .filter((_row, at) => at < EDGE_LINES || at >= rows.length - EDGE_LINES)
    .filter(({ length }) => length <= MAX_EDGE_PARTS);
}

export function isSameLine(first: Segment, second: Segment): boolean {
  const size = Math.max(first.size, second.size);
  const share = Math.min(first.size, second.size) / size;
  const isRaised = share >= MIN_RAISED_SHARE && share <= MAX_RAISED_SHARE;
  return Math.abs(first.y - second.y) <= size * (isRaised ? RAISED : SAME_LINE);
}
