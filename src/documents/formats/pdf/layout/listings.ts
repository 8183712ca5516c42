/** In points. */
type TextRun = {
  text: string;
  x0: number;
  x1: number;
  y: number;
  size: number;
  isMonospaced?: boolean | undefined;
};
type Row<Part> = { segments: Part[]; y: number; size: number };

export type PageSection<Part> = { segments: Part[] } | { listing: string; first: Part };

/** A line number of a listing, which may be in another font than the lines. */
export const LINE_NUMBER = /^\s*\d{1,5}\s*$/;

/** In ems. */
const SAME_LINE = 0.35;
/** To the two nearest lines: a larger distance means an empty line between. */
const LINE_DISTANCE = 1.6;
const FARTHEST_LINE = 4;
const MIN_LINES = 2;
const MAX_INDENT = 200;

/** Takes monospaced lines out of a page's segments and keeps their indentation. */
export function listingsIn<Part extends TextRun>(segments: Part[]): PageSection<Part>[] {
  const found: PageSection<Part>[] = [];
  let rows: Row<Part>[] = [];
  const close = () => {
    const [row] = rows;
    const [first] = row?.segments ?? [];
    if (first === undefined) return;
    if (rows.length >= MIN_LINES) found.push({ listing: listingOf(rows), first });
    else found.push({ segments: rows.flatMap((each) => each.segments) });
    rows = [];
  };
  for (const row of rowsOf(segments)) {
    if (!isTyped(row)) {
      close();
      found.push({ segments: row.segments });
      continue;
    }
    const last = rows.at(-1);
    if (last !== undefined && !isBelow(last, row)) close();
    rows.push(row);
  }
  close();
  return together(found);
}

function isTyped({ segments }: Row<TextRun>): boolean {
  const [first] = segments;
  const isNumbered = first !== undefined && segments.length > 1 && LINE_NUMBER.test(first.text);
  const typed = isNumbered ? segments.slice(1) : segments;
  return typed.every(({ isMonospaced }) => isMonospaced === true);
}

function together<Part>(found: PageSection<Part>[]): PageSection<Part>[] {
  const whole: PageSection<Part>[] = [];
  for (const each of found) {
    const last = whole.at(-1);
    if ("segments" in each && last !== undefined && "segments" in last) {
      for (const segment of each.segments) last.segments.push(segment);
    } else whole.push("segments" in each ? { segments: [...each.segments] } : each);
  }
  return whole;
}

function rowsOf<Part extends TextRun>(segments: Part[]): Row<Part>[] {
  const rows: Row<Part>[] = [];
  for (const segment of segments) {
    const row = rows.at(-1);
    const last = row?.segments.at(-1);
    const isBeside =
      row !== undefined &&
      last !== undefined &&
      Math.abs(row.y - segment.y) <= segment.size * SAME_LINE &&
      segment.x0 >= last.x1;
    if (isBeside) row.segments.push(segment);
    else rows.push({ segments: [segment], y: segment.y, size: segment.size });
  }
  return rows;
}

function isBelow(last: Row<TextRun>, next: Row<TextRun>): boolean {
  const distance = next.y - last.y;
  const isSameSize = Math.abs(last.size - next.size) < next.size * 0.1;
  return isSameSize && distance > next.size * SAME_LINE && distance < next.size * FARTHEST_LINE;
}

function listingOf(rows: Row<TextRun>[]): string {
  const all = rows.flatMap(({ segments }) => segments);
  const left = all.reduce((least, { x0 }) => Math.min(least, x0), Infinity);
  const width = all.reduce((sum, { x0, x1 }) => sum + x1 - x0, 0);
  const advance = width / all.reduce((sum, { text }) => sum + text.length, 0);
  const distances = rows.slice(1).map((row, at) => row.y - (rows[at]?.y ?? row.y));
  const nearest = distances.reduce((least, distance) => Math.min(least, distance), Infinity);
  const farthest = nearest * LINE_DISTANCE;
  const lines: string[] = [];
  for (const [at, row] of rows.entries()) {
    const distance = distances[at - 1] ?? 0;
    if (distance > farthest) lines.push("");
    lines.push(lineOf(row.segments, left, advance));
  }
  return lines.join("\n");
}

function lineOf(segments: TextRun[], left: number, advance: number): string {
  let line = "";
  for (const { text, x0 } of segments) {
    const column = Math.min(Math.round((x0 - left) / advance), line.length + MAX_INDENT);
    line = line.padEnd(line === "" ? column : Math.max(column, line.length + 1)) + text.trim();
  }
  return line;
}
