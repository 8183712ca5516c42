/** In points. */
type Placed = { text: string; x0: number; y: number; size: number; block?: number | undefined };
/** The fields of pdf.js's text items that are used here. */
type Item = {
  str: string;
  transform: number[];
  width: number;
  fontName: string;
  mark?: string | undefined;
};

/** In ems: the most distance between copies that are to look like one bold text. */
const MAX_SHIFT = 0.12;

/** Finds text that is drawn again at nearly the same place: writers without a bold font do so. */
export class OverprintedText {
  /** Texts by the grid square that they begin in, with their starting points. */
  readonly #drawn = new Map<string, { x0: number; y: number }>();

  /** Whether the segment's text was already drawn here; if not, it is remembered. */
  isCopy(segment: Placed): boolean {
    const { x0, y, size } = segment;
    const shift = size * MAX_SHIFT;
    for (const x of [x0 - shift, x0 + shift]) {
      for (const row of [y - shift, y + shift]) {
        const other = this.#drawn.get(keyOf(segment, x, row));
        if (other !== undefined && isNear(other, segment, shift)) return true;
      }
    }
    this.#drawn.set(keyOf(segment, x0, y), { x0, y });
    return false;
  }
}

const isNear = (one: { x0: number; y: number }, { x0, y }: Placed, shift: number) =>
  Math.abs(one.x0 - x0) <= shift && Math.abs(one.y - y) <= shift;

/** Squares are twice as wide as the largest shift, so that two in each direction suffice. */
function keyOf({ text, size, block }: Placed, x: number, y: number): string {
  const side = size * MAX_SHIFT * 2;
  return `${Math.floor(x / side)} ${Math.floor(y / side)} ${size.toFixed(1)} ${block} ${text}`;
}

/** In ems: the overlap of an item that holds a copy with the item drawn after it. */
const MIN_OVERLAP = 0.1;
const MAX_COPIES = 4;
const MIN_LETTERS = 2;
const MAX_COPIED_CHARACTERS = 100;
const MAX_RUN_ITEMS = 1_000;

/**
 * Joins items whose letters or words were each drawn several times before the next one: pdf.js
 * gives "H", "Ha", "ar" and so on, each from a last copy to the first copy of the next letter.
 */
export function withoutPartialCopies<Whole extends Item>(items: Whole[]): Whole[] {
  const kept: Whole[] = [];
  for (let at = 0; at < items.length;) {
    const run = overlappingFrom(items, at);
    for (const item of run.length > 1 ? withoutCopies(run) : run) kept.push(item);
    at += run.length;
  }
  return kept;
}

function overlappingFrom<Whole extends Item>(items: Whole[], start: number): Whole[] {
  let end = start + 1;
  while (end < items.length && end - start < MAX_RUN_ITEMS) {
    const [last, next] = [items[end - 1], items[end]];
    if (last === undefined || next === undefined || !overlaps(last, next)) break;
    end++;
  }
  return items.slice(start, end);
}

function overlaps(last: Item, next: Item): boolean {
  if (last.fontName !== next.fontName || last.mark !== next.mark) return false;
  const [from, to] = [placeOf(last), placeOf(next)];
  if (from.slant !== 0 || to.slant !== 0 || from.size !== to.size) return false;
  const isSameLine = Math.abs(from.y - to.y) <= from.size * MAX_SHIFT;
  return isSameLine && to.x >= from.x && to.x < from.end - from.size * MIN_OVERLAP;
}

function placeOf({ transform, width }: Item) {
  const [, slant = 0, , size = 0, x = 0, y = 0] = transform;
  return { slant, size, x, y, end: x + width };
}

function withoutCopies<Whole extends Item>(run: Whole[]): Whole[] {
  const [first] = run;
  const last = run.at(-1);
  const text = eachLetterOnce(run.map(({ str }) => str).join("")) ?? eachWordOnce(run);
  if (first === undefined || last === undefined || text === null) return run;
  return [{ ...first, str: text, width: placeOf(last).end - placeOf(first).x }];
}

/** Null unless each letter of each word is repeated equally often. */
function eachLetterOnce(text: string): string | null {
  for (let copies = MAX_COPIES; copies > 1; copies--) {
    const once = everyNth(text, copies);
    if (once !== null && once.replace(/\s/g, "").length >= MIN_LETTERS) return once;
  }
  return null;
}

function everyNth(text: string, copies: number): string | null {
  let once = "";
  for (let at = 0; at < text.length;) {
    const letter = text[at] ?? "";
    const count = letter.trim() === "" ? 1 : copies;
    if (text.slice(at, at + count) !== letter.repeat(count)) return null;
    once += letter;
    at += count;
  }
  return once;
}

/** Null if an item does not begin with the end of the item before. */
function eachWordOnce(run: Item[]): string | null {
  let text = "";
  let copied = 0;
  for (const { str } of run) {
    const common = text === "" ? 0 : commonLength(text, str);
    if (text !== "" && common === 0) return null;
    copied += common;
    text += str.slice(common);
  }
  return copied >= MIN_LETTERS ? text : null;
}

function commonLength(before: string, after: string): number {
  let length = Math.min(before.length, after.length, MAX_COPIED_CHARACTERS);
  while (length > 0 && !before.endsWith(after.slice(0, length))) length--;
  return length;
}
