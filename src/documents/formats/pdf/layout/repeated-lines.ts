import { foldTitle, HEADING_SCALE } from "../bounds/document-shape.ts";
import type { DocumentShape } from "../bounds/document-shape.ts";
import { edgeLines, isAtEdge, rowAt } from "./page-edges.ts";
import { hasWords, pageNumbers } from "./page-numbers.ts";
import type { Segment } from "./page-segments.ts";

/** Running heads and page numbers, which interrupt the text on every page. */
export type RepeatedLines = {
  isRepeated(segment: Segment, page: Segment[], pageNumber: number): boolean;
};

type HeadingSigns = Pick<DocumentShape, "bodySize" | "bookmarks">;

const MIN_PAGES = 5;
const MIN_SHARE = 0.6;
const MIN_TITLE_SHARE = 0.5;
/** Share of pages that must show the same number, or one that counts along. */
const SAME_SHARE = 0.7;

/**
 * Learns from sample pages by page number. A document's first page keeps the lines that others
 * repeat.
 *
 * @param shape its bookmarks give the words of heads that change with the chapter
 */
export function repeatedLines(sample: Map<number, Segment[]>, shape: HeadingSigns): RepeatedLines {
  const isTitle = titleHeads(sample, shape);
  const least = Math.max(MIN_PAGES, sample.size * MIN_SHARE);
  const words = repeatedWords(sample, least);
  const isWords = (segment: Segment) => {
    const fixed = words.get(keyOf(segment));
    return fixed !== undefined && hasNumbers(segment, fixed);
  };
  const numbers = pageNumbers(sample, least, (each, page) => isWords(each) || isTitle(each, page));
  return {
    isRepeated: (segment, page, pageNumber) => {
      const isHead = isTitle(segment, page);
      if (isHead || pageNumber === 1) return isHead && pageNumber > 1;
      if (!isAtEdge(segment, page)) return false;
      if (!hasWords(segment)) {
        return numbers.isRepeated(segment, page, pageNumber) && !isMarked(segment, shape);
      }
      if (!isWords(segment)) return false;
      const counts = words.get(keyOf(segment))?.includes(undefined) === true;
      if (counts && isHeading(segment, shape)) return false;
      // Words beside a figure that is kept explain the figure.
      return !numbers.hasFigures(rowAt(segment, page), pageNumber);
    },
  };
}

type FixedNumbers = (number | undefined)[];

function repeatedWords(sample: Map<number, Segment[]>, least: number): Map<string, FixedNumbers> {
  const shown = new Map<string, number[][]>();
  for (const [number, page] of sample) {
    const lines = edgeLines(page).filter(hasWords);
    for (const [key, numbers] of new Map(lines.map((line) => [keyOf(line), numbersIn(line)]))) {
      const pages = shown.get(key) ?? [];
      pages.push([number, ...numbers]);
      shown.set(key, pages);
    }
  }
  return new Map(
    [...shown].flatMap(([key, pages]) => {
      const fixed = pages.length < least ? null : fixedNumbers(pages);
      return fixed === null ? [] : [[key, fixed] as const];
    }),
  );
}

/** Numbers may change from page to page; the place and the words around them do not. */
function keyOf({ text, y }: Segment): string {
  return `${Math.round(y / 4)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, "#").trim()}`;
}

const numbersIn = ({ text }: Segment): number[] => (text.match(/\d+/g) ?? []).map(Number);

/**
 * The numbers that a repeated line has on every page; undefined if they increase with the pages.
 * Null for a line whose numbers distinguish pages, such as those of an invoice.
 */
function fixedNumbers(pages: number[][]): FixedNumbers | null {
  const width = Math.max(...pages.map(({ length }) => length)) - 1;
  const fixed: FixedNumbers = [];
  for (let at = 1; at <= width; at++) {
    const values = pages.map((numbers) => numbers[at] ?? -1);
    const same = mostCommon(values);
    if (same.count >= pages.length * SAME_SHARE) fixed.push(same.value);
    else {
      const ahead = mostCommon(values.map((value, index) => value - (pages[index]?.[0] ?? 0)));
      if (ahead.count < pages.length * SAME_SHARE) return null;
      fixed.push(undefined);
    }
  }
  return fixed;
}

function mostCommon(values: number[]): { value: number; count: number } {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [value, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [0, 0];
  return { value, count };
}

function hasNumbers(segment: Segment, fixed: FixedNumbers): boolean {
  const numbers = numbersIn(segment);
  return fixed.every((value, at) => value === undefined || value === numbers[at]);
}

const NUMBERED = /^\p{L}+\s+(?:\d+|[IVXLC]+|[A-Z])[.:]?\s+/u;
const MIN_TITLE_CHARACTERS = 3;

/** A title without numbers; empty if hardly any text remains. */
function bareTitle(folded: string): string {
  const bare = folded.replace(/\d/g, "");
  return bare.length < MIN_TITLE_CHARACTERS ? "" : bare;
}

/**
 * Recognises heads that name the chapter or section by their place and the bookmarks, after the
 * same words occurred below: slides have their only title there, in large type.
 */
function titleHeads(sample: Map<number, Segment[]>, { bodySize, bookmarks }: HeadingSigns) {
  const known = new Set([...bookmarks.keys()].map(bareTitle));
  const titleOf = ({ text }: Segment) =>
    [text, text.replace(NUMBERED, "")]
      .map((each) => bareTitle(foldTitle(each)))
      .find((bare) => bare !== "" && known.has(bare));
  const isSmall = ({ size }: Segment) => size < bodySize * HEADING_SCALE;
  const places = new Map<number, number>();
  for (const page of sample.values()) {
    const rows = topRow(page).filter((each) => isSmall(each) && titleOf(each) !== undefined);
    for (const place of new Set(rows.map(placeOf))) {
      places.set(place, (places.get(place) ?? 0) + 1);
    }
  }
  const least = Math.max(MIN_PAGES, sample.size * MIN_TITLE_SHARE);
  const heads = new Set([...places].filter(([, pages]) => pages >= least).map(([place]) => place));
  const shown = new Set<string>();
  let top = new Set<Segment>();
  let last: Segment[] | null = null;
  const isAtHead = (segment: Segment) =>
    heads.has(placeOf(segment)) && isSmall(segment) && top.has(segment);
  return (segment: Segment, page: Segment[]) => {
    if (heads.size === 0) return false;
    if (last !== page) {
      [last, top] = [page, new Set(topRow(page))];
      for (const each of page) {
        const title = isAtHead(each) ? undefined : titleOf(each);
        if (title !== undefined) shown.add(title);
      }
    }
    return isAtHead(segment) && shown.has(titleOf(segment) ?? "");
  };
}

const placeOf = ({ y }: Segment) => Math.round(y / 4);

function topRow(page: Segment[]): Segment[] {
  const top = page.reduce((least, { y }) => Math.min(least, y), Infinity);
  return page.filter(({ y }) => y < top + 1);
}

const isMarked = ({ text }: Segment, { bookmarks }: HeadingSigns) => bookmarks.has(foldTitle(text));

/** Whether it is a heading: "Lesson 3" on the third page counts along with the pages, too. */
function isHeading(segment: Segment, shape: HeadingSigns): boolean {
  return segment.size >= shape.bodySize * HEADING_SCALE || isMarked(segment, shape);
}
