import { isFigure } from "./tables.ts";

/** Side by side, so many tables with one header but for their first column are tables of their own. */
const MIN_TABLES = 3;
/** The share of the labels in a folded table that differ. */
const MIN_DIFFERING = 0.75;
/** Steps in one order, of those from label to label. */
const MIN_STEPS = 3;
const MIN_ORDERED = 0.75;
const ORDER = new Intl.Collator("en", { numeric: true });

/**
 * The tables that stand side by side in one, each with its header: a long table that was folded
 * into several columns of the page becomes one again.
 * @param rows the header first
 */
export function unfoldTables(rows: string[][]): string[][][] {
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
    if (!parts.every(hasHeader) || (isFolded && !areOneList(parts))) continue;
    return isFolded ? [parts.flatMap((part, at) => (at === 0 ? part : part.slice(1)))] : parts;
  }
  return [rows];
}

const hasHeader = ([header = [], ...body]: string[][]) =>
  header.every((cell) => cell !== "" && !isFigure(cell)) && body.length > 0;

/**
 * Whether the labels differ, unlike those of a form, and go on in their order from part to part,
 * unlike those of teams that play each other.
 */
function areOneList(parts: string[][][]): boolean {
  const labels = parts.map((part) => part.slice(1).map(([label = ""]) => label));
  const distinct = labels.flatMap((each) => [...new Set(each)]);
  if (new Set(distinct).size < distinct.length * MIN_DIFFERING) return false;
  const all = labels.flat().filter((label) => label !== "");
  const steps = all.slice(1).map((label, at) => ORDER.compare(all[at] ?? "", label));
  const ascending = steps.filter((step) => step < 0).length;
  const descending = steps.filter((step) => step > 0).length;
  const least = Math.max(MIN_STEPS, steps.length * MIN_ORDERED);
  return Math.max(ascending, descending) >= least;
}
