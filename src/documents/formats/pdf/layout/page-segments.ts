import { normalForm } from "../../../../core/normal-form.ts";
import { ITEM_COST, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { LINE_NUMBER } from "./listings.ts";
import { withAccent } from "../fonts/loose-accents.ts";
import { isRightToLeft, readingOrder, withoutShapes } from "./right-to-left.ts";
import type { Piece, Segment, TextItem } from "./segment.ts";

type Matrix = readonly [number, number, number, number, number, number];

/** In ems: closer fragments are one word, wider gaps separate columns. */
const WORD_GAP = 0.13;
const COLUMN_GAP = 0.85;
/** Between the words of a right-to-left line, which must not be split. */
const JUSTIFIED_GAP = 1.5;
const OVERLAP = -0.5;
const MAX_PIECES = 1000;
const SAME_LINE = 0.35;
const RAISED = 0.6;
const MARK_GAP = 4;
const LIST_MARK = /^\s*(?:[•◦▪‣●○■–·*-]|\d{1,3}[.)]|\(?[a-z][.)])\s*$/;
const MIN_SIZE = 0.5;
/** A line's text is looked through for each item that joins it. */
const MAX_LINE_CHARACTERS = 4_096;

/** Joins text items into segments, rotated text last; none spans two `blocks` of marked content. */
export function* segmentsOf(
  items: TextItem[],
  viewport: number[],
  blocks: Map<string, number> | null = null,
): CooperativeWork<Segment[]> {
  const level: Segment[] = [];
  const turned: Segment[] = [];
  let last: Segment | null = null;
  let pendingSpace = false;
  const drawn = new Map<string, Segment>();
  for (const [order, item] of items.entries()) {
    yield ITEM_COST;
    if (item.str.trim() === "") {
      pendingSpace ||= item.str !== "";
      continue;
    }
    const { segment, isTurned } = placed(item, viewport, order, blocks);
    if (isCopy(segment, drawn)) continue;
    const into = isTurned ? turned : level;
    const before = last !== null && into.at(-1) === last ? last : null;
    if (before === null || !continues(before, segment, pendingSpace)) {
      into.push(segment);
      last = segment;
    }
    pendingSpace = /\s$/.test(item.str);
  }
  return [...(yield* wholeLines(level)), ...turned];
}

function* wholeLines(segments: Segment[]): CooperativeWork<Segment[]> {
  const lines: Segment[] = [];
  for (const segment of segments) {
    const last = lines.at(-1);
    const isJoined = last !== undefined && last.text.length <= MAX_LINE_CHARACTERS;
    if (isJoined && isBeside(last, segment)) appendPiece(last, segment);
    else lines.push(segment);
    yield ITEM_COST;
  }
  for (const line of lines) {
    if (line.pieces !== undefined) line.text = readingOrder(line.pieces, line.size);
    delete line.pieces;
    yield line.text.length;
  }
  return lines;
}

/** Whether both are parts of a line with right-to-left text. */
function isBeside(last: Segment, next: Segment): boolean {
  if (last.block !== next.block || !(hasRightToLeft(last) || hasRightToLeft(next))) return false;
  const size = Math.max(last.size, next.size);
  if (Math.abs(last.y - next.y) > size * SAME_LINE) return false;
  const gap = Math.max(next.x0 - last.x1, last.x0 - next.x1);
  const isWithin = hasRightToLeft(last) && hasRightToLeft(next);
  if (gap > size * (isWithin ? JUSTIFIED_GAP : COLUMN_GAP)) return false;
  return hasRoom(last.pieces ?? [last], next, size);
}

function hasRoom(pieces: Piece[], { x0, x1 }: Segment, size: number): boolean {
  if (pieces.length >= MAX_PIECES) return false;
  return pieces.every((piece) => Math.max(x0 - piece.x1, piece.x0 - x1) > size * OVERLAP);
}

const hasRightToLeft = ({ pieces, text }: Segment) => pieces !== undefined || isRightToLeft(text);

function appendPiece(into: Segment, next: Segment): void {
  into.pieces ??= [pieceOf(into)];
  for (const piece of next.pieces ?? [pieceOf(next)]) into.pieces.push(piece);
  into.x0 = Math.min(into.x0, next.x0);
  into.x1 = Math.max(into.x1, next.x1);
}

const pieceOf = ({ text, x0, x1 }: Segment): Piece => ({ text, x0, x1 });

function placed(
  item: TextItem,
  viewport: number[],
  order: number,
  blocks: Map<string, number> | null,
) {
  const [a, b, c, d, e, f] = multiply(toMatrix(viewport), toMatrix(item.transform));
  const size = Math.max(Math.hypot(c, d), MIN_SIZE);
  const isTurned = Math.abs(b) > Math.abs(a) * 0.2;
  // Rotated text is laid out along its own direction.
  const along = isTurned ? f : e;
  const across = isTurned ? e : f;
  const segment: Segment = {
    text: withoutShapes(withoutRadicals(item.str)),
    x0: along,
    x1: along + item.width,
    y: across,
    size,
    font: item.fontName,
    order,
    block: blocks?.get(item.mark ?? ""),
    isMonospaced: item.isMonospaced,
  };
  return { segment, isTurned };
}

function continues(last: Segment, next: Segment, spaceBetween: boolean): boolean {
  if (last.text.length > MAX_LINE_CHARACTERS) return false;
  const accented = last.block === next.block ? withAccent(last, next) : null;
  if (accented !== null) {
    last.text = accented;
    last.x1 = Math.max(last.x1, next.x1);
    return true;
  }
  if (isBeside(last, next)) appendPiece(last, next);
  else if (isContinued(last, next)) append(last, next, spaceBetween);
  else return false;
  return true;
}

function isContinued(last: Segment, next: Segment): boolean {
  if (last.block !== next.block) return false;
  const size = Math.max(last.size, next.size);
  const gap = next.x0 - last.x1;
  const isMark = Math.min(last.size, next.size) < size * 0.9 && gap < size * WORD_GAP * 2;
  if (Math.abs(last.y - next.y) > size * (isMark ? RAISED : SAME_LINE)) return false;
  const widest = LIST_MARK.test(last.text) ? MARK_GAP : COLUMN_GAP;
  return gap > size * OVERLAP && gap < size * widest;
}

function append(into: Segment, next: Segment, spaceBetween: boolean): void {
  const gap = next.x0 - into.x1;
  const wantsSpace =
    spaceBetween || isNoteMark(into, next) || gap > Math.max(into.size, next.size) * WORD_GAP;
  const hasSpace = /\s$/.test(into.text) || /^\s/.test(next.text);
  into.isMonospaced = next.isMonospaced && (into.isMonospaced || LINE_NUMBER.test(into.text));
  into.text += wantsSpace && !hasSpace ? ` ${next.text}` : next.text;
  into.x1 = Math.max(into.x1, next.x1);
  // Superscripts must not change the line's size, font and baseline.
  if (next.size > into.size) ({ size: into.size, font: into.font, y: into.y } = next);
}

function isNoteMark(first: Segment, next: Segment): boolean {
  const isRaised = first.size < next.size * 0.8 && first.y < next.y - next.size * 0.1;
  return isRaised && /^\s*\d{1,3}$/.test(first.text);
}

function toMatrix(values: number[]): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = values;
  return [a, b, c, d, e, f];
}

function multiply(m: Matrix, n: Matrix): Matrix {
  return [
    m[0] * n[0] + m[2] * n[1],
    m[1] * n[0] + m[3] * n[1],
    m[0] * n[2] + m[2] * n[3],
    m[1] * n[2] + m[3] * n[3],
    m[0] * n[4] + m[2] * n[5] + m[4],
    m[1] * n[4] + m[3] * n[5] + m[5],
  ];
}

/** In ems: the most distance between copies that are to look like one bold text. */
const MAX_SHIFT = 0.12;

/** Whether a text is drawn again at nearly the same place: writers without a bold font do so. */
function isCopy(segment: Segment, drawn: Map<string, Segment>): boolean {
  const twin = drawn.get(segment.text);
  drawn.set(segment.text, { ...segment });
  const shift = segment.size * MAX_SHIFT;
  const isNear = (one: number, other = Infinity) => Math.abs(one - other) <= shift;
  return isNear(segment.x0, twin?.x0) && isNear(segment.y, twin?.y);
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

const withoutRadicals = (text: string) =>
  text
    .replace(KANGXI, (radical) => normalForm(radical, "NFKC"))
    .replace(SUPPLEMENT, (radical) => IDEOGRAPHS.get(radical) ?? normalForm(radical, "NFKC"));
