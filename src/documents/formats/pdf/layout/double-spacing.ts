import { rankedByCount } from "../../../ranked.ts";
import type { Segment } from "./segment.ts";

export type DoubleSpacing = {
  /** From line to line, in ems. */
  distance: number;
  /** The text's edges, in points. */
  x0: number;
  x1: number;
};

/** In ems. */
const MIN_DISTANCE = 1.75;
const MAX_DISTANCE = 2.8;
const SAME_DISTANCE = 0.1;
const MIN_INDENT = 0.5;
const SIZE_TOLERANCE = 0.12;
const MIN_LINES = 3;
const MIN_SHARE = 0.6;
/** How far a continued line may be indented at either edge, as a share of the text's width. */
const INDENTED = 0.25;
const RAGGED = 0.15;

/** Null if most full lines have their next line at another distance. */
export function doubleSpacingOf(segments: Segment[]): DoubleSpacing | null {
  let [x0, x1] = [Infinity, -Infinity];
  for (const segment of segments) [x0, x1] = [Math.min(x0, segment.x0), Math.max(x1, segment.x1)];
  const distances: number[] = [];
  for (const [at, next] of segments.entries()) {
    const last = segments[at - 1];
    if (last === undefined || next.y <= last.y || !isFull(last, { x0, x1 })) continue;
    distances.push(Math.round(distanceOf(last, next) / SAME_DISTANCE) * SAME_DISTANCE);
  }
  const [[distance, count] = [0, 0]] = rankedByCount(distances);
  if (distance <= MIN_DISTANCE || distance > MAX_DISTANCE) return null;
  return count >= Math.max(MIN_LINES, distances.length * MIN_SHARE) ? { distance, x0, x1 } : null;
}

/** Whether a line continues in the next one, which is not indented as a new paragraph. */
export function goesOn(last: Segment, next: Segment, spacing: DoubleSpacing): boolean {
  return (
    isFull(last, spacing) &&
    Math.abs(distanceOf(last, next) - spacing.distance) <= SAME_DISTANCE &&
    Math.abs(last.size - next.size) <= next.size * SIZE_TOLERANCE &&
    next.x0 <= last.x0 + next.size * MIN_INDENT
  );
}

const distanceOf = (last: Segment, next: Segment) =>
  (next.y - last.y) / Math.max(last.size, next.size);

function isFull(line: Segment, { x0, x1 }: { x0: number; x1: number }): boolean {
  const width = x1 - x0;
  return line.x0 <= x0 + width * INDENTED && line.x1 >= x1 - width * RAGGED;
}
