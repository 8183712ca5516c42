import { normalForm } from "../../../../core/normal-form.ts";
import { toBatches } from "../../../../core/work/batches.ts";
import { ITEM_COST, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { joinAccent } from "../fonts/loose-accents.ts";
import { LINE_NUMBER } from "./listings.ts";
import { groupByTurn, LAID_OUT_AT_ONCE, groupIntoRows } from "./page-rows.ts";
import { isRightToLeft, readingOrder, normalizeShapes } from "./right-to-left.ts";
import { endFontOf, type Piece, type Segment, type TextItem } from "./segment.ts";
import { gapsOf, letterGap, removeSpacing } from "./spaced-letters.ts";

/** In ems: closer fragments are one word, wider gaps separate columns. */
const WORD_GAP = 0.13;
const COLUMN_GAP = 0.85;
/** Between the words of a right-to-left line, which must not be split. */
const JUSTIFIED_GAP = 1.5;
const OVERLAP = -0.5;
const SAME_LINE = 0.35;
const RAISED = 0.6;
/** Signs of another font may be so much larger than the text that they stand in. */
const SIGN_SCALE = 1.2;
const SIGN_LENGTH = 2;
const FAR_LONGER = 5;
const MARK_GAP = 4;
/** Two spaces in a justified line. */
const SENTENCE_GAP = 1.25;
const ENDS_SENTENCE = /\p{Ll} \p{Ll}+[.?!]\s*$/u;
const BEGINS_SENTENCE = /^\s*\p{Lu}\p{L}*,? \p{Ll}/u;
const LIST_MARK = /^\s*(?:[•◦▪‣●○■–·*-]|\d{1,3}[.)]|\(?[a-z][.)])\s*$/;
const MIN_SIZE = 0.5;
/** Gaps between words, in those between letters that are spaced. */
const SPACED_WORDS = 3;
/** Each item that joins a line looks through the line's text. */
const MAX_LINE_CHARACTERS = 4_096;

/** Joins text items into segments in the order of drawing; none spans two `blocks` of marked content. */
export function* segmentsOf(
  items: TextItem[],
  viewport: number[],
  blocks: Map<string, number> | null = null,
): CooperativeWork<Segment[]> {
  const lines: Segment[] = [];
  let last: Segment | null = null;
  let pendingSpace = false;
  for (const [order, item] of items.entries()) {
    yield ITEM_COST;
    if (item.str.trim() === "") {
      pendingSpace ||= item.str !== "";
      continue;
    }
    const segment = segmentOf(item, viewport, order, blocks);
    if (last === null || !continueSegment(last, segment, pendingSpace)) {
      lines.push(segment);
      last = segment;
    }
    pendingSpace = /\s$/.test(item.str);
  }
  const whole: Segment[] = [];
  for (const some of toBatches(lines, LAID_OUT_AT_ONCE)) whole.push(...(yield* wholeLines(some)));
  return whole;
}

/** Joins segments that are side by side; returns the lines in the order of drawing. */
function* wholeLines(segments: Segment[]): CooperativeWork<Segment[]> {
  const lines: Segment[] = [];
  for (const row of groupByTurn(segments).flatMap(groupIntoRows)) {
    let last: Segment | null = null;
    for (const segment of row) {
      yield ITEM_COST;
      if (last !== null) dropOverprinted(last, segment);
      if (segment.text !== "" && (last === null || !joinPieces(last, segment)))
        lines.push((last = segment));
    }
  }
  for (const line of lines) {
    if (line.pieces !== undefined) line.text = readingOrder(line.pieces, line.size);
    else line.text = removeSpacing(line);
    delete line.pieces;
    yield line.text.length;
  }
  return lines.sort((a, b) => a.order - b.order);
}

/** Whether both are parts of a line with right-to-left text. */
function isBeside(last: Segment, next: Segment): boolean {
  if (!mayJoin(last, next) || !(hasRightToLeft(last) || hasRightToLeft(next))) return false;
  const size = Math.max(last.size, next.size);
  if (Math.abs(last.y - next.y) > size * SAME_LINE) return false;
  const gap = next.x0 - last.x1;
  const isWithin = hasRightToLeft(last) && hasRightToLeft(next);
  return gap > size * OVERLAP && gap <= size * (isWithin ? JUSTIFIED_GAP : COLUMN_GAP);
}

const hasRightToLeft = ({ pieces, text }: Segment) => pieces !== undefined || isRightToLeft(text);

function appendPiece(into: Segment, next: Segment): void {
  into.pieces ??= [pieceOf(into)];
  for (const piece of next.pieces ?? [pieceOf(next)]) into.pieces.push(piece);
  into.endFont = endFontOf(next);
  into.x0 = Math.min(into.x0, next.x0);
  into.x1 = Math.max(into.x1, next.x1);
}

const pieceOf = ({ text, x0, x1, order }: Segment): Piece => ({ text, x0, x1, order });

function segmentOf(
  item: TextItem,
  viewport: number[],
  order: number,
  blocks: Map<string, number> | null,
): Segment {
  const [a, b, c, d, e, f] = multiply(viewport, item.transform);
  const size = Math.max(Math.hypot(c, d), MIN_SIZE);
  const { turn, cos, sin } = directionOf(a, b);
  // Turned text is laid out along its own direction.
  const along = e * cos + f * sin;
  const text = normalizeShapes(plainCharacters(item.str));
  return {
    text,
    x0: along,
    x1: along + item.width,
    y: f * cos - e * sin,
    size,
    font: item.fontName,
    order,
    block: blocks?.get(item.mark ?? ""),
    isMonospaced: item.isMonospaced,
    turn,
    gaps: gapsOf(text, item.gaps, along),
  };
}

/** In degrees: scans are not quite straight. */
const MAX_SKEW = 12;
const QUARTER = 90;

function directionOf(a: number, b: number): { turn: number; cos: number; sin: number } {
  const degrees = (Math.atan2(b, a) * 180) / Math.PI;
  const quarters = Math.round(degrees / QUARTER);
  const isSkew = Math.abs(degrees - quarters * QUARTER) > MAX_SKEW;
  const turn = isSkew ? QUARTER + Math.round(degrees) : (quarters + 4) % 4;
  const angle = ((isSkew ? degrees : quarters * QUARTER) * Math.PI) / 180;
  return { turn, cos: Math.cos(angle), sin: Math.sin(angle) };
}

function joinPieces(last: Segment, next: Segment): boolean {
  if (isBeside(last, next)) appendPiece(last, next);
  else if (isContinued(last, next)) append(last, next, false);
  else return false;
  return true;
}

function continueSegment(last: Segment, next: Segment, spaceBetween: boolean): boolean {
  const accented = mayJoin(last, next) ? joinAccent(last, next) : null;
  if (accented !== null) {
    last.text = accented;
    last.x1 = Math.max(last.x1, next.x1);
    return true;
  }
  if (hasRightToLeft(last) || hasRightToLeft(next)) return false;
  if (!isContinued(last, next) && !isNextSentence(last, next)) return false;
  append(last, next, spaceBetween);
  return true;
}

function isContinued(last: Segment, next: Segment, columnGap = COLUMN_GAP): boolean {
  if (!mayJoin(last, next)) return false;
  const size = Math.max(last.size, next.size);
  const gap = next.x0 - last.x1;
  const isMark = Math.min(last.size, next.size) < size * 0.9 && gap < size * WORD_GAP * 2;
  if (Math.abs(last.y - next.y) > size * (isMark ? RAISED : SAME_LINE)) return false;
  const widest = LIST_MARK.test(last.text) ? MARK_GAP : columnGap;
  return gap > size * OVERLAP && gap < size * widest + letterGap(last) * SPACED_WORDS;
}

/** Only where it is drawn next: lines of a narrow page's columns are as near to each other. */
const isNextSentence = (last: Segment, next: Segment) =>
  isContinued(last, next, SENTENCE_GAP) &&
  BEGINS_SENTENCE.test(next.text) &&
  ENDS_SENTENCE.test(last.text);

const mayJoin = (first: Segment, second: Segment) =>
  first.text.length <= MAX_LINE_CHARACTERS &&
  first.block === second.block &&
  first.turn === second.turn;

function append(into: Segment, next: Segment, spaceBetween: boolean): void {
  into.isMonospaced = next.isMonospaced && (into.isMonospaced || LINE_NUMBER.test(into.text));
  into.text += signBetween(into, next, spaceBetween);
  const at = into.text.length;
  into.gaps ??= [];
  into.gaps.push({ at, x0: into.x1, x1: next.x0 });
  for (const each of next.gaps ?? []) into.gaps.push({ ...each, at: at + each.at });
  into.text += next.text;
  into.endFont = endFontOf(next);
  into.x1 = Math.max(into.x1, next.x1);
  if (isMain(next, into, at)) ({ size: into.size, font: into.font, y: into.y } = next);
}

/** Whether a line has the size, font and baseline of what follows: not of a superscript or a sign. */
function isMain(next: Segment, into: Segment, lengthBefore: number): boolean {
  const { length } = next.text;
  const scale = next.size / into.size;
  const isSign = length <= SIGN_LENGTH && length * FAR_LONGER <= lengthBefore;
  if (scale > 1) return scale > SIGN_SCALE || !isSign;
  return scale < 1 && scale * SIGN_SCALE > 1 && length > lengthBefore * FAR_LONGER;
}

/** A figure or word and the first part of what is raised behind it: 10^6 is not 106. */
const POWER = /(?<!\^[-−]?\d{0,9})[\p{L}\d)\]]\n[-+−]?\d/u;

const NOTE_MARK = /^\s*\d{1,3}\n(?![/\u2044])/;

function signBetween(first: Segment, next: Segment, hasSpace: boolean): string {
  if (/\s$/.test(first.text) || /^\s/.test(next.text)) return "";
  // A figure before a bar is the upper part of a fraction.
  const isNoteMark = isRaised(first, next) && NOTE_MARK.test(`${first.text}\n${next.text}`);
  const gap = next.x0 - first.x1;
  if (hasSpace || isNoteMark || gap > Math.max(first.size, next.size) * WORD_GAP) return " ";
  return isRaised(next, first) && POWER.test(`${first.text.slice(-20)}\n${next.text}`) ? "^" : "";
}

const isRaised = (mark: Segment, line: Segment) =>
  mark.size < line.size * 0.9 && mark.y < line.y - line.size * 0.1;

/** The transformation of a text by its own matrix and then by the page's (ISO 32000-1, §8.3.4). */
function multiply(page: number[], text: number[]) {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = page;
  const project = (x = 0, y = 0) => [a * x + c * y, b * x + d * y] as const;
  const [startX, top] = project(text[4], text[5]);
  return [...project(text[0], text[1]), ...project(text[2], text[3]), startX + e, top + f] as const;
}

/** In ems: the largest distance between copies of a text that together look bold. */
const MAX_SHIFT = 0.12;

/** Drops the letters of a text that end the text before it: they are drawn again, to look bold. */
function dropOverprinted(last: Segment, next: Segment): void {
  const overlap = last.x1 - next.x0;
  const letters = Math.round((overlap * next.text.length) / (next.x1 - next.x0));
  const isNear = mayJoin(last, next) && Math.abs(last.y - next.y) <= next.size * MAX_SHIFT;
  if (!isNear || letters < 1) return;
  for (const count of [letters, letters - 1, letters + 1, letters - 2, letters + 2]) {
    const overlap = next.text.slice(0, Math.max(0, count));
    if (overlap === "" || !last.text.endsWith(overlap)) continue;
    const bare = next.text.slice(overlap.length).trimStart();
    const cut = next.text.length - bare.length;
    const gaps = next.gaps?.filter(({ at }) => at >= cut) ?? [];
    next.x0 = gaps[0]?.at === cut ? gaps[0].x1 : Math.min(last.x1, next.x1);
    next.text = bare;
    next.gaps = gaps.flatMap(({ at, x0, x1 }) => (at > cut ? [{ at: at - cut, x0, x1 }] : []));
    return;
  }
}

/** Fonts draw 日 and the radical ⽇ with one glyph, and some writers map it to the radical. */
const KANGXI = /[\u2f00-\u2fd5]/g;
const SUPPLEMENT = /[\u2e80-\u2ef3]/g;
/** Radicals that Unicode does not fold but that are whole ideographs themselves. */
const IDEOGRAPHS = new Map(
  (
    "⺁厂 ⺇几 ⺎兀 ⺐尢 ⺟母 ⺠民 ⺫罒 ⺬示 ⺰纟 ⺻聿 ⻁虎 ⻃覀 ⻄西 ⻅见 ⻆角 ⻉贝 ⻋车 ⻑長 ⻓长 ⻔门 ⻘青 ⻙韦 " +
    "⻚页 ⻛风 ⻜飞 ⻝食 ⻟飠 ⻠饣 ⻢马 ⻣骨 ⻤鬼 ⻥鱼 ⻦鸟 ⻧卤 ⻨麦 ⻩黄 ⻪黾 ⻫斉 ⻬齐 ⻭歯 ⻮齿 ⻯竜 ⻰龙 ⻱龜 ⻲亀"
  )
    .split(" ")
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);

/**
 * Old-style figures and small capitals in the private use that the Adobe Glyph List gave them
 * (https://github.com/adobe-type-tools/agl-aglfn/blob/master/glyphlist.txt).
 */
const VARIANTS =
  /[\uf721\uf724\uf726\uf730-\uf739\uf73f\uf760-\uf77a\uf7a1\uf7a2\uf7a8\uf7af\uf7b4\uf7b8\uf7bf\uf7e0-\uf7f6\uf7f8-\uf7ff]/g;

const plainCharacters = (text: string) =>
  text
    .replace(VARIANTS, (variant) => String.fromCharCode(variant.charCodeAt(0) & 0xff))
    .replace(KANGXI, (radical) => normalForm(radical, "NFKC"))
    .replace(SUPPLEMENT, (radical) => IDEOGRAPHS.get(radical) ?? normalForm(radical, "NFKC"));
