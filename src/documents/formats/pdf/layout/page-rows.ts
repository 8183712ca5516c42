import type { Segment } from "./segment.ts";

/** In ems. */
const SAME_LINE = 0.35;
/** Number of lines at the top and bottom of a page that may hold running heads. */
const EDGE_LINES = 2;
const MAX_EDGE_PARTS = 100;

export function rowsOf(segments: Segment[]): Segment[][] {
  const rows: Segment[][] = [];
  for (const segment of segments) {
    const row = rows.at(-1);
    const last = row?.at(-1);
    const isBeside =
      last !== undefined &&
      last.block === segment.block &&
      isSameLine(last, segment) &&
      segment.x0 >= last.x1;
    if (isBeside) row?.push(segment);
    else rows.push([segment]);
  }
  return rows;
}

export function rowsAtEdges(page: Segment[]): Segment[][] {
  const rows: Segment[][] = [];
  for (const segment of page.toSorted((a, b) => a.y - b.y)) {
    const row = rows.at(-1);
    const [first] = row ?? [];
    if (first !== undefined && isSameLine(first, segment)) row?.push(segment);
    else rows.push([segment]);
  }
  return rows
    .filter((_row, at) => at < EDGE_LINES || at >= rows.length - EDGE_LINES)
    .filter(({ length }) => length <= MAX_EDGE_PARTS);
}

export const isSameLine = (one: Segment, other: Segment) =>
  Math.abs(one.y - other.y) <= Math.max(one.size, other.size) * SAME_LINE;
