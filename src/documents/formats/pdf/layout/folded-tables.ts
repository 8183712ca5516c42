import { isFigure } from "./tables.ts";

/** Side by side, so many tables with one header but for their first column are tables of their own. */
const MIN_TABLES = 3;
/** The share of the labels in a folded table that differ. */
const MIN_DIFFERING = 0.75;

/**
 * The tables that stand side by side in one, each with its header: a long table that was folded
 * into several columns of the page becomes one again.
 * @param rows the header first
 */
export function unfolded(rows: string[][]): string[][][] {
  const [header = []] = rows;
  for (let width = 2; width * 2 <= header.length; width++) {
    if (header.length % width > 0) continue;
    const starts = header.flatMap((_cell, at) => (at % width === 0 ? [at] : []));
    const isRepeated = (at: number) => starts.every((start) => header[start + at] === header[at]);
    const isFolded = isRepeated(0);
    if (!isFolded && starts.length < MIN_TABLES) continue;
    if (!header.slice(1, width).every((_cell, at) => isRepeated(at + 1))) continue;
    const parts = starts.map((start) =>
      rows
        .map((row) => row.slice(start, start + width))
        .filter((row) => row.some((cell) => cell !== "")),
    );
    if (!parts.every(hasHeader) || (isFolded && haveSameLabels(parts))) continue;
    return isFolded ? [parts.flatMap((part, at) => (at === 0 ? part : part.slice(1)))] : parts;
  }
  return [rows];
}

const hasHeader = ([header = [], ...body]: string[][]) =>
  header.every((cell) => cell !== "" && !isFigure(cell)) && body.length > 0;

/** Whether what differs stands beside the labels: rows of a form, not of a table. */
function haveSameLabels(parts: string[][][]): boolean {
  const labels = parts.flatMap((part) => [...new Set(part.slice(1).map(([label]) => label))]);
  return new Set(labels).size < labels.length * MIN_DIFFERING;
}
