import type { Segment } from "./page-segments.ts";

/** Number of lines at the top and bottom of a page that may hold running heads. */
const EDGE_LINES = 2;
/** In ems. */
const SAME_LINE = 0.35;
const MAX_ROW = 100;

/** Baselines of the first and last line, and the innermost that count as edges. */
type Edges = { top: number; upper: number; lower: number; bottom: number };

const edgesKnown = new WeakMap<Segment[], Edges>();

export function isAtEdge({ y }: Segment, page: Segment[]): boolean {
  const { upper, lower } = knownEdges(page);
  return upper >= y - 1 || lower <= y + 1;
}

function knownEdges(page: Segment[]): Edges {
  const edges = edgesKnown.get(page) ?? edgesOf(page);
  edgesKnown.set(page, edges);
  return edges;
}

/** Whether it is in the page's first or last line. */
export function isOutermost({ y }: Segment, page: Segment[]): boolean {
  const { top, bottom } = knownEdges(page);
  return top >= y - 1 || bottom <= y + 1;
}

const linesKnown = new WeakMap<Segment[], Segment[]>();

/** The segments in the lines at the page's edges. */
export function edgeLines(page: Segment[]): Segment[] {
  const lines = linesKnown.get(page) ?? page.filter((segment) => isAtEdge(segment, page));
  linesKnown.set(page, lines);
  return lines;
}

/** The segments on its line, including itself; null if there are too many. */
export function rowAt({ y, size }: Segment, page: Segment[]): Segment[] | null {
  const lines = edgeLines(page);
  if (lines.length > MAX_ROW * 2 * EDGE_LINES) return null;
  return lines.filter((each) => Math.abs(each.y - y) <= Math.max(size, each.size) * SAME_LINE);
}

function edgesOf(page: Segment[]): Edges {
  const lines = new Map<number, { least: number; most: number }>();
  for (const { y } of page) {
    const line = lines.get(Math.round(y)) ?? { least: y, most: y };
    lines.set(Math.round(y), { least: Math.min(line.least, y), most: Math.max(line.most, y) });
  }
  const sorted = [...lines].sort(([a], [b]) => a - b).map(([, line]) => line);
  return {
    top: sorted[0]?.most ?? Infinity,
    upper: sorted[EDGE_LINES - 1]?.least ?? Infinity,
    lower: sorted.at(-EDGE_LINES)?.most ?? -Infinity,
    bottom: sorted.at(-1)?.least ?? -Infinity,
  };
}
