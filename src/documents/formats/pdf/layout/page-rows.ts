import type { Segment } from "./segment.ts";

/** In ems. */
const SAME_LINE = 0.35;
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

export const rowsOf = (segments: Segment[]) =>
  runsOf(segments, (segment, row) => {
    const last = row.at(-1) ?? row[0];
    return last.block === segment.block && isSameLine(last, segment) && segment.x0 >= last.x1;
  });

export function rowsAtEdges(page: Segment[]): Segment[][] {
  const sorted = page.toSorted((a, b) => a.y - b.y);
  const rows = runsOf(sorted, (segment, [first]) => isSameLine(first, segment));
  return rows
    .filter((_row, at) => at < EDGE_LINES || at >= rows.length - EDGE_LINES)
    .filter(({ length }) => length <= MAX_EDGE_PARTS);
}

export const isSameLine = (one: Segment, other: Segment) =>
  Math.abs(one.y - other.y) <= Math.max(one.size, other.size) * SAME_LINE;
