import { edgeLines, isOutermost, rowAt } from "./page-edges.ts";
import type { Segment } from "./page-segments.ts";

const COUNTED_SHARE = 0.7;
/** Least pages with the same difference between number and page: fewer may be chance. */
const MIN_COUNTED = 3;
/** A page or section number. Higher ones beside changing words may be invoice numbers or years. */
const TITLE_NUMBER = /^(?:\d{1,3}|[ivxlc]+)(?:\.\d{1,2}){0,4}\.?$/i;
const NUMBER = /\d+|\b[ivxlc]+\b/gi;
/** Parts of numbers that are no page numbers: amounts, shares and times. */
const AMOUNT = /\d[.,:'\u2019]\d|[\p{Sc}%+=]/u;

type Place = {
  constant: string | null;
  /** For each number: its differences from the page's, or its one value. */
  counted: (Set<number> | number)[] | null;
};
type Kind = "constant" | "counted" | "figure" | "other";

export const hasWords = ({ text }: Segment) =>
  /\p{L}{2}/u.test(text.replace(NUMBER, (each) => (/\d/.test(each) ? each : "")));

/** Numbers and signs at the pages' edges that are not part of the text. */
export type PageNumbers = {
  /** For a segment without words at the page's edges. */
  isRepeated(segment: Segment, page: Segment[], pageNumber: number): boolean;
  hasFigures(row: Segment[] | null, pageNumber: number): boolean;
};

/**
 * Page numbers increase with the pages and stand alone, beside a running head or beside one title
 * in a page's first or last line: anything else without words may be a figure in a table.
 *
 * @param least pages that show it at one place
 * @param isHead whether a segment with words is repeated
 */
export function pageNumbers(
  sample: Map<number, Segment[]>,
  least: number,
  isHead: (segment: Segment, page: Segment[]) => boolean,
): PageNumbers {
  const places = new Map<string, Place>();
  for (const [key, shown] of shownAt(sample)) {
    if (shown.length >= least) places.set(key, placeOf(shown));
  }
  const kindOf = (segment: Segment, pageNumber: number): Kind => {
    if (hasWords(segment)) return "other";
    const place = places.get(keyOf(segment));
    if (place !== undefined && place.constant === segment.text.trim()) return "constant";
    if (place !== undefined && countsIn(segment, place, pageNumber)) return "counted";
    return numbersIn(segment).length > 0 ? "figure" : "other";
  };
  const hasFigures = (row: Segment[] | null, pageNumber: number) => {
    if (row === null) return true;
    const kinds = row.map((each) => kindOf(each, pageNumber));
    return kinds.includes("figure") || kinds.filter((kind) => kind === "counted").length > 1;
  };
  const isRepeated = (segment: Segment, page: Segment[], pageNumber: number) => {
    if (places.size === 0) return false;
    const row = rowAt(segment, page);
    if (row === null) return false;
    const isOfHead = (each: Segment) => kindOf(each, pageNumber) !== "other" || isHead(each, page);
    if (!hasFigures(row, pageNumber) && row.every(isOfHead)) return true;
    const title = titleOf(row);
    if (title === null || !isOutermost(segment, page)) return false;
    const counted = row.filter((each) => kindOf(each, pageNumber) === "counted");
    const [number] = counted;
    if (counted.length !== 1 || number === undefined || !isAtEnd(number, row)) return false;
    return segment === number || isHead(title, page);
  };
  return { isRepeated, hasFigures };
}

/** Heads may give the chapter or section and its number; their words change. */
function titleOf(row: Segment[]): Segment | null {
  const [title, ...others] = row.filter(hasWords);
  const numbers = row.filter((each) => !hasWords(each));
  const isHead = numbers.length <= 2 && numbers.every(({ text }) => TITLE_NUMBER.test(text.trim()));
  return title !== undefined && others.length === 0 && isHead ? title : null;
}

function isAtEnd({ x0, x1 }: Segment, row: Segment[]): boolean {
  return row.every((each) => each.x0 >= x0) || row.every((each) => each.x1 <= x1);
}

type Shown = { page: number; texts: string[]; numbers: number[][] };

function shownAt(sample: Map<number, Segment[]>): Map<string, Shown[]> {
  const places = new Map<string, Shown[]>();
  for (const [page, segments] of sample) {
    const onPage = new Map<string, Shown>();
    for (const segment of edgeLines(segments)) {
      if (hasWords(segment) || rowAt(segment, segments) === null) continue;
      const shown = onPage.get(keyOf(segment)) ?? { page, texts: [], numbers: [] };
      shown.texts.push(segment.text.trim());
      shown.numbers.push(numbersIn(segment));
      onPage.set(keyOf(segment), shown);
    }
    for (const [key, shown] of onPage) {
      const pages = places.get(key) ?? [];
      pages.push(shown);
      places.set(key, pages);
    }
  }
  return places;
}

function placeOf(shown: Shown[]): Place {
  const text = shown[0]?.texts[0] ?? null;
  const isConstant = shown.every(({ texts }) => texts.every((each) => each === text));
  if (isConstant) return { constant: text, counted: null };
  const counted: (Set<number> | number)[] = [];
  for (const at of shown[0]?.numbers[0]?.keys() ?? []) {
    const number = countedAt(shown, at);
    if (number === null) return { constant: null, counted: null };
    counted.push(number);
  }
  const counts = counted.some((each) => typeof each !== "number");
  return { constant: null, counted: counts ? counted : null };
}

/** Null for a number that neither increases with the pages nor is the same on all of them. */
function countedAt(shown: Shown[], at: number): Set<number> | number | null {
  const values = shown.map(({ numbers }) => numbers.map((each) => each[at] ?? -1));
  const ahead = values.map((each, index) => each.map((value) => value - (shown[index]?.page ?? 0)));
  const counted = ahead.map((each, index) => {
    const near = new Set([...(ahead[index - 1] ?? []), ...(ahead[index + 1] ?? [])]);
    return each.filter((value) => near.has(value));
  });
  const counts = new Map<number, number>();
  for (const value of counted.flat()) counts.set(value, (counts.get(value) ?? 0) + 1);
  const often = [...counts].filter(([, count]) => count >= MIN_COUNTED);
  const offsets = new Set(often.map(([value]) => value));
  const pages = counted.filter((each) => each.some((value) => offsets.has(value))).length;
  if (pages >= shown.length * COUNTED_SHARE) return offsets;
  const first = values[0]?.[0] ?? -1;
  return values.flat().every((value) => value === first) ? first : null;
}

function countsIn(segment: Segment, { counted }: Place, pageNumber: number): boolean {
  if (counted === null || AMOUNT.test(segment.text)) return false;
  const numbers = numbersIn(segment);
  return counted.every((each, at) => {
    const value = numbers[at] ?? -1;
    return typeof each === "number" ? value === each : each.has(value - pageNumber);
  });
}

const keyOf = ({ text, y }: Segment) =>
  `${Math.round(y / 4)} ${text.replace(NUMBER, "#").replace(/\s+/g, " ").trim()}`;

const numbersIn = ({ text }: Segment): number[] =>
  (text.match(NUMBER) ?? []).map((each) => (/\d/.test(each) ? Number(each) : romanOf(each)));

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function romanOf(text: string): number {
  const digits = [...text.toLowerCase()].map((digit) => ROMAN[digit] ?? 0);
  return digits.reduce(
    (sum, digit, at) => sum + (digit < (digits[at + 1] ?? 0) ? -digit : digit),
    0,
  );
}
