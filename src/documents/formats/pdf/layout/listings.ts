import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { isSameLine } from "./page-rows.ts";
import type { Segment } from "./segment.ts";
import { isFigure } from "./tables.ts";

export type PageSection = { rows: Segment[][] } | { listing: string; order: number };

/** A line number of a listing, which may be in another font than the lines. */
export const LINE_NUMBER = /^\s*\d{1,5}\s*$/;

/** To the two nearest lines: a larger distance means an empty line between. */
const LINE_DISTANCE = 1.6;
/** In ems. */
const MAX_LINE_DISTANCE = 4;
const MIN_LINES = 2;
const MAX_INDENT = 200;

/** @param rows from the top */
export function* listingsIn(rows: Segment[][]): CooperativeWork<PageSection[]> {
  const sections: PageSection[] = [];
  let typed: Segment[][] = [];
  const addText = (row: Segment[]) => {
    const last = sections.at(-1);
    if (last === undefined || "listing" in last) sections.push({ rows: [row] });
    else last.rows.push(row);
  };
  const close = () => {
    const order = typed[0]?.[0]?.order;
    if (order === undefined) return;
    if (typed.length >= MIN_LINES) sections.push({ listing: listingOf(typed), order });
    else for (const row of typed) addText(row);
    typed = [];
  };
  for (const row of rows) {
    const last = typed.at(-1);
    if (!isTyped(row) || (last !== undefined && !isBelow(last, row))) close();
    if (isTyped(row)) typed.push(row);
    else addText(row);
    yield row.length;
  }
  close();
  return sections;
}

function isTyped(row: Segment[]): boolean {
  const isNumbered = row.length > 1 && LINE_NUMBER.test(row[0]?.text ?? "");
  if (row.some(({ isMonospaced }, at) => isMonospaced !== true && !(isNumbered && at === 0)))
    return false;
  return row.length === 1 || isNumbered || !isFigure(row.at(-1)?.text ?? "");
}

function isBelow([last]: Segment[], [next]: Segment[]): boolean {
  if (last === undefined || next === undefined || isSameLine(last, next)) return false;
  const distance = next.y - last.y;
  const isSameSize = Math.abs(last.size - next.size) < next.size * 0.1;
  return isSameSize && distance > 0 && distance < next.size * MAX_LINE_DISTANCE;
}

function listingOf(rows: Segment[][]): string {
  const all = rows.flat();
  const edge = all.reduce((least, { x0 }) => Math.min(least, x0), Infinity);
  const width = all.reduce((sum, { x0, x1 }) => sum + x1 - x0, 0);
  const advance = width / all.reduce((sum, { text }) => sum + text.length, 0);
  const tops = rows.map(([first]) => first?.y ?? 0);
  const distances = tops.map((y, at) => (at === 0 ? Infinity : y - (tops[at - 1] ?? y)));
  const farthest = distances.reduce((a, b) => Math.min(a, b)) * LINE_DISTANCE;
  return rows
    .map(
      (row, at) =>
        (at > 0 && (distances[at] ?? 0) > farthest ? "\n" : "") + lineOf(row, edge, advance),
    )
    .join("\n");
}

function lineOf(row: Segment[], edge: number, advance: number): string {
  let line = "";
  for (const { text, x0 } of row) {
    const column = Math.min(Math.round((x0 - edge) / advance), line.length + MAX_INDENT);
    line = line.padEnd(line === "" ? column : Math.max(column, line.length + 1)) + text.trim();
  }
  return line;
}
