import { rankByCount } from "../../../rank-by-total.ts";
import { foldTitle, HEADING_SCALE, type DocumentShape } from "../bounds/document-shape.ts";
import { rowsAtEdges } from "./page-rows.ts";
import type { Segment } from "./segment.ts";

type HeadingSigns = Pick<DocumentShape, "bodySize" | "bookmarks">;
/** A number that is the same on all pages, or one that counts along: the page's plus one of these. */
type KnownNumber = number | Set<number>;
type Kind = "head" | "counted" | "figure" | "text";

const MIN_PAGES = 5;
const MIN_SHARE = 0.6;
const MIN_TITLE_SHARE = 0.5;
/** Share of a line's pages whose number must be the same, or count along. */
const SAME_SHARE = 0.7;
/** Least pages with the same difference between number and page: fewer may be chance. */
const MIN_COUNTED = 3;
const TITLE_NUMBER = /^\d{1,3}(?:\.\d{1,2}){0,4}\.?$/;
const NUMBER = /\d+/g;
/** No page numbers: amounts, shares and times. */
const AMOUNT = /\d[.,:'\u2019]\d|[\p{Sc}%+=]/u;
const CHAPTER = /^\p{L}+\s+(?:\d+|[IVXLC]+|[A-Z])[.:]?\s+/u;
const MIN_TITLE_CHARACTERS = 3;

/** Lines at the edges of sample pages whose words and numbers, but the page's, repeat. */
export class RunningHeads {
  readonly #known = new Map<string, KnownNumber[]>();
  readonly #titlePlaces = new Set<number>();
  readonly #shape: HeadingSigns;
  readonly #titles: Set<string>;
  /** Titles that occurred apart from heads: slides have their only title at the top. */
  readonly #shown = new Set<string>();

  constructor(sample: Map<number, Segment[]>, shape: HeadingSigns) {
    this.#shape = shape;
    this.#titles = new Set([...shape.bookmarks.keys()].map(withoutDigits));
    this.#learnLines(sample);
    this.#learnTitles(sample);
  }

  #learnLines(sample: Map<number, Segment[]>): void {
    const lines = new Map<string, Map<number, number[][]>>();
    for (const [number, page] of sample) {
      for (const line of rowsAtEdges(page).flat()) {
        const pages = lines.get(keyOf(line)) ?? new Map<number, number[][]>();
        pages.set(number, [...(pages.get(number) ?? []), numbersIn(line)]);
        lines.set(keyOf(line), pages);
      }
    }
    const least = Math.max(MIN_PAGES, sample.size * MIN_SHARE);
    for (const [key, pages] of lines) {
      const numbers = pages.size < least ? null : learnNumbers(pages);
      if (numbers !== null) this.#known.set(key, numbers);
    }
  }

  #learnTitles(sample: Map<number, Segment[]>): void {
    const titled = new Map<number, number>();
    for (const page of sample.values()) {
      const heads = (rowsAtEdges(page)[0] ?? []).filter(
        (line) => this.#isSmall(line) && this.#titleOf(line) !== undefined,
      );
      for (const place of new Set(heads.map(placeOf)))
        titled.set(place, (titled.get(place) ?? 0) + 1);
    }
    const least = Math.max(MIN_PAGES, sample.size * MIN_TITLE_SHARE);
    for (const [place, pages] of titled) if (pages >= least) this.#titlePlaces.add(place);
  }

  /** The document's first page keeps them. Pages are to be given in order. */
  removeFrom(page: Segment[], pageNumber: number): Segment[] {
    if (this.#titlePlaces.size + this.#known.size === 0) return page;
    const [top = [], ...rest] = rowsAtEdges(page);
    const titles = new Set(
      top.filter((each) => this.#titlePlaces.has(placeOf(each)) && this.#isSmall(each)),
    );
    if (this.#titlePlaces.size > 0) {
      for (const each of page) {
        const title = titles.has(each) ? undefined : this.#titleOf(each);
        if (title !== undefined) this.#shown.add(title);
      }
    }
    if (pageNumber === 1) return page;
    const isTitle = (each: Segment) =>
      titles.has(each) && this.#shown.has(this.#titleOf(each) ?? "");
    const kindOf = (each: Segment) => (isTitle(each) ? "head" : this.#kindOf(each, pageNumber));
    const removed = new Set([top, ...rest].flatMap((row) => findRepeated(row, kindOf)));
    return removed.size === 0 ? page : page.filter((each) => !removed.has(each));
  }

  #kindOf(line: Segment, page: number): Kind {
    const numbers = numbersIn(line);
    const head = this.#known.get(keyOf(line));
    const otherwise = hasWords(line) || numbers.length === 0 ? "text" : "figure";
    if (head === undefined || (!hasWords(line) && AMOUNT.test(line.text))) return otherwise;
    const isKnown = head.every((each, at) =>
      typeof each === "number" ? numbers[at] === each : each.has((numbers[at] ?? 0) - page),
    );
    if (!isKnown) return otherwise;
    if (head.every((each) => typeof each === "number")) return "head";
    if (!hasWords(line)) return "counted";
    // "Lesson 3" on the third page counts along with the pages, too.
    const isTitle = !this.#isSmall(line) || this.#shape.bookmarks.has(foldTitle(line.text));
    return isTitle ? "text" : "head";
  }

  #isSmall({ size }: Segment): boolean {
    return size < this.#shape.bodySize * HEADING_SCALE;
  }

  #titleOf({ text }: Segment): string | undefined {
    if (this.#titles.size === 0) return undefined;
    return [text, text.replace(CHAPTER, "")]
      .map((each) => withoutDigits(foldTitle(each)))
      .find((title) => title.length >= MIN_TITLE_CHARACTERS && this.#titles.has(title));
  }
}

const withoutDigits = (text: string) => text.replace(/\d/g, "");
const placeOf = ({ y }: Segment) => Math.round(y / 4);

/** Words beside a figure explain it; a page number is at the end of its line, or beside heads. */
function findRepeated(row: Segment[], kindOf: (each: Segment) => Kind): Segment[] {
  const kinds = new Map(row.map((each) => [each, kindOf(each)] as const));
  const segmentsOfKind = (kind: Kind) => row.filter((each) => kinds.get(each) === kind);
  const figures = segmentsOfKind("figure");
  const isTitled = figures.length < 2 && row.filter(hasWords).length === 1;
  const isNumbered = figures.every(({ text }) => isTitled && TITLE_NUMBER.test(text.trim()));
  const [number, ...more] = segmentsOfKind("counted");
  if (!isNumbered || more.length > 0) return [];
  const texts = segmentsOfKind("text").length;
  if (texts === 0) return figures.length === row.length ? [] : row;
  const isAtEnd =
    number !== undefined &&
    (row.every(({ x0 }) => x0 <= number.x0) || row.every(({ x0 }) => x0 >= number.x0));
  // Beside several cells that change, a word that repeats is a cell: a unit, a state.
  const heads = texts > 1 ? [] : segmentsOfKind("head").filter(hasWords);
  return [...heads, ...(isAtEnd ? [number] : [])];
}

const hasWords = ({ text }: Segment) => /\p{L}{2}/u.test(text);

/** Numbers may change from page to page; the place and the words around them do not. */
const keyOf = (line: Segment) =>
  `${placeOf(line)} ${line.text.replace(NUMBER, "#").replace(/\s+/g, " ").trim()}`;

/** By page number; null for a line whose numbers differ by page, such as those of an invoice. */
function learnNumbers(pages: Map<number, number[][]>): KnownNumber[] | null {
  const [first] = pages.values();
  const history: KnownNumber[] = [];
  for (const at of first?.[0]?.keys() ?? []) {
    const values = [...pages].flatMap(([page, lines]) =>
      lines.map((numbers) => ({ page, value: numbers[at] ?? -1 })),
    );
    const ahead = rankByCount(values.map(({ page, value }) => value - page));
    const [same] = rankByCount(values.map(({ value }) => value));
    const least = pages.size * SAME_SHARE;
    const frequent = ahead.filter(([, count]) => count >= MIN_COUNTED);
    if (frequent.reduce((sum, [, count]) => sum + count, 0) >= least)
      history.push(new Set(frequent.map(([value]) => value)));
    else if (same !== undefined && same[1] >= least) history.push(same[0]);
    else return null;
  }
  return history;
}

const numbersIn = ({ text }: Segment): number[] => (text.match(NUMBER) ?? []).map(Number);
