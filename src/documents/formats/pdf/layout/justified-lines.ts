/** In points. */
type TextRun = {
  text: string;
  x0: number;
  x1: number;
  y: number;
  size: number;
  block?: number | undefined;
};
type Row<Part> = { segments: Part[]; x0: number; x1: number; y: number; size: number };

/** In ems. */
const SAME_LINE = 0.35;
const MAX_GAP = 2.5;
/** Limit of a line's only gap, which cannot be compared with others. */
const MAX_SINGLE_GAP = 1.6;
const GAP_TOLERANCE = 0.04;
const EDGE_TOLERANCE = 0.15;
const LINE_DISTANCE = 1.75;

/**
 * In narrow columns, justification can spread words as far apart as the columns of a table. Such a
 * line has equal gaps, and a line above or below has the same edges.
 */
export function withJustifiedLines<Part extends TextRun>(segments: Part[]): Part[] {
  const rows = rowsOf(segments);
  return rows.flatMap((row, at) => {
    const isSpread = isEven(row) && [rows[at - 1], rows[at + 1]].some((near) => isAlike(row, near));
    return isSpread ? [joined(row)] : row.segments;
  });
}

function rowsOf<Part extends TextRun>(segments: Part[]): Row<Part>[] {
  const rows: Row<Part>[] = [];
  for (const segment of segments) {
    const { x0, x1, y, size, block } = segment;
    const row = rows.at(-1);
    const isNext =
      row !== undefined &&
      row.segments[0]?.block === block &&
      Math.abs(row.y - y) <= size * SAME_LINE &&
      x0 > row.x1;
    if (isNext) {
      row.segments.push(segment);
      row.x1 = x1;
    } else rows.push({ segments: [segment], x0, x1, y, size });
  }
  return rows;
}

function isEven({ segments, size }: Row<TextRun>): boolean {
  const gaps = segments.slice(1).map(({ x0 }, at) => x0 - (segments[at]?.x1 ?? x0));
  let [least, most] = [Infinity, -Infinity];
  for (const gap of gaps) [least, most] = [Math.min(least, gap), Math.max(most, gap)];
  const widest = gaps.length === 1 ? MAX_SINGLE_GAP : MAX_GAP;
  const words = segments.filter(({ text }) => /\p{L}{2}/u.test(text)).length;
  const isOfWords = gaps.length > 0 && words * 2 > segments.length;
  return isOfWords && most < size * widest && most - least < size * GAP_TOLERANCE;
}

function isAlike(row: Row<TextRun>, near: Row<TextRun> | undefined): boolean {
  if (near === undefined) return false;
  const distance = Math.abs(near.y - row.y);
  if (distance < row.size * SAME_LINE || distance > row.size * LINE_DISTANCE) return false;
  const tolerance = row.size * EDGE_TOLERANCE;
  return Math.abs(near.x0 - row.x0) < tolerance && Math.abs(near.x1 - row.x1) < tolerance;
}

function joined<Part extends TextRun>({ segments, x1 }: Row<Part>): Part {
  const text = segments.map((segment) => segment.text.trim()).join(" ");
  const [first] = segments;
  if (first === undefined) throw new Error("a row holds a segment at least");
  return { ...first, text, x1 };
}
