import { isSameLine, rowsOf } from "./page-rows.ts";
import type { Segment } from "./segment.ts";

/** In ems. */
const MAX_GAP = 2.5;
/** Limit of a line's only gap, which cannot be compared with others. */
const MAX_SINGLE_GAP = 1.6;
const GAP_TOLERANCE = 0.04;
const EDGE_TOLERANCE = 0.15;
const LINE_DISTANCE = 1.75;

/** Justification can spread words like columns, but with equal gaps and a neighbour's edges. */
export function withJustifiedLines(segments: Segment[]): Segment[] {
  const rows = rowsOf(segments);
  return rows.flatMap((row, at) => {
    const isSpread = isEven(row) && [rows[at - 1], rows[at + 1]].some((near) => isAlike(row, near));
    const [first] = row;
    if (!isSpread || first === undefined) return row;
    const text = row.map((segment) => segment.text.trim()).join(" ");
    return [{ ...first, text, x1: row.at(-1)?.x1 ?? first.x1 }];
  });
}

function isEven(row: Segment[]): boolean {
  const gaps = row.slice(1).map(({ x0 }, at) => x0 - (row[at]?.x1 ?? x0));
  const size = row[0]?.size ?? 0;
  let [least, most] = [Infinity, -Infinity];
  for (const gap of gaps) [least, most] = [Math.min(least, gap), Math.max(most, gap)];
  const widest = gaps.length === 1 ? MAX_SINGLE_GAP : MAX_GAP;
  const words = row.filter(({ text }) => /\p{L}{2}/u.test(text)).length;
  const isOfWords = gaps.length > 0 && words * 2 > row.length;
  return isOfWords && most < size * widest && most - least < size * GAP_TOLERANCE;
}

function isAlike(row: Segment[], near: Segment[] | undefined): boolean {
  const [one, other] = [row[0], near?.[0]];
  if (one === undefined || other === undefined || isSameLine(one, other)) return false;
  if (Math.abs(other.y - one.y) > one.size * LINE_DISTANCE) return false;
  const tolerance = one.size * EDGE_TOLERANCE;
  const isEndSame = Math.abs((near?.at(-1)?.x1 ?? 0) - (row.at(-1)?.x1 ?? 0)) < tolerance;
  return isEndSame && Math.abs(other.x0 - one.x0) < tolerance;
}
