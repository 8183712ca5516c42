import type { Segment } from "./page-segments.ts";

/** Running heads and page numbers, which interrupt the text on every page. */
export type RepeatedLines = {
  isRepeated(segment: Segment, page: Segment[], pageNumber: number): boolean;
};

const LEAST_PAGES = 5;
const LEAST_SHARE = 0.6;
/** Lines from the page's upper and lower edge at which running heads stand. */
const EDGE_LINES = 2;

/** Learns from a sample of pages. A document's first page keeps what the others repeat. */
export function repeatedLines(sample: Segment[][]): RepeatedLines {
  const counts = new Map<string, number>();
  for (const page of sample) {
    const keys = new Set(page.filter((segment) => isAtEdge(segment, page)).map(keyOf));
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const least = Math.max(LEAST_PAGES, sample.length * LEAST_SHARE);
  const repeated = new Set([...counts].filter(([, count]) => count >= least).map(([key]) => key));
  return {
    isRepeated: (segment, page, pageNumber) =>
      repeated.size > 0 &&
      pageNumber > 1 &&
      repeated.has(keyOf(segment)) &&
      isAtEdge(segment, page),
  };
}

/** Page numbers count up; the place and the words around them stay. */
function keyOf({ text, y }: Segment): string {
  return `${Math.round(y / 4)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, "#").trim()}`;
}

function isAtEdge(segment: Segment, page: Segment[]): boolean {
  const above = new Set<number>();
  const below = new Set<number>();
  for (const { y } of page) {
    if (y < segment.y - 1) above.add(Math.round(y));
    if (y > segment.y + 1) below.add(Math.round(y));
  }
  return above.size < EDGE_LINES || below.size < EDGE_LINES;
}
