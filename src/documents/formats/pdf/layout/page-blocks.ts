import { toBatches } from "../../../../core/work/batches.ts";
import { ITEM_COST, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { BlockRole } from "../structure/structure-tree.ts";
import { textOfLines } from "./joined-lines.ts";
import { listingsIn } from "./listings.ts";
import { boundsOf, groupByTurn, charactersIn, LAID_OUT_AT_ONCE, wordWidth } from "./page-rows.ts";
import { regionsOf } from "./reading-order.ts";
import { endFontOf, type Interval, type Segment } from "./segment.ts";
import { tableAt } from "./tables.ts";

export type Block = Interval & { lines: Segment[] };

export type PagePart =
  /** `role` and `label` come from the document's structure tree, if it has one. */
  (
    | { kind: "text"; block: Block; role?: BlockRole; label?: string }
    /** `order`: its position in the order of the page's content. */
    | { kind: "table"; rows: string[][]; columns?: Interval[]; order?: number | undefined }
    | { kind: "code"; text: string; order: number }
  ) & {
    /** In another direction than the page's text, such as a stamp in the margin. */
    isNote?: boolean;
  };

/** In ems. */
const LINE_DISTANCE = 1.75;
const DOUBLE_SPACED = 3;
const WORD_SPACE = 0.25;
/** A column of prose is wider. */
const MIN_PROSE = 20;
const OPEN_END = /[\p{L},，、;；-]\s*$/u;
const GOES_ON = /^\s*(?![一二三四五六七八九十]{1,3}、)[\p{Ll}\p{Lo}]/u;
/** Names and German nouns begin lines, too: these go on where others did. */
const CAPITAL = /^\s*\p{Lu}/u;
const OPEN_TITLE = /[,;&–-]\s*$/u;
const WITHIN_SENTENCE = /^\s*[\p{Ll}([{=]/u;
const SIZE_TOLERANCE = 0.12;
const ROW_TOLERANCE = 0.45;
/** Longer text in another direction may have headings. */
const MAX_NOTE_CHARACTERS = 300;
const SENTENCE_END = /[.!?:;)\]"”’»。！？]\s*$/u;
const LIST_MARK = /^\s*(?:[•◦▪‣●○■–·*-]|\d{1,3}[.)]|\(?[a-z][.)])(\s|$)/;

/** The parts of a page in reading order; text in another direction than most follows or precedes. */
export function* partsOf(segments: Segment[]): CooperativeWork<PagePart[]> {
  const parts: PagePart[] = [];
  for (const some of toBatches(segments, LAID_OUT_AT_ONCE))
    parts.push(...(yield* partsByDirection(some)));
  return parts;
}

function* partsByDirection(segments: Segment[]): CooperativeWork<PagePart[]> {
  const [upright = [], ...turned] = groupByTurn(segments);
  const parts = yield* partsIn(upright);
  const notes: PagePart[] = [];
  for (const group of turned) {
    const isNote = charactersIn(group) < MAX_NOTE_CHARACTERS;
    for (const part of yield* partsIn(group)) notes.push(isNote ? { ...part, isNote } : part);
  }
  const last = parts.at(-1);
  // A stamp in the margin is not to divide a sentence that goes on over the page.
  const isOpen = last?.kind === "text" && !SENTENCE_END.test(textOf(last.block));
  return isOpen ? [...notes, ...parts] : [...parts, ...notes];
}

function* partsIn(segments: Segment[]): CooperativeWork<PagePart[]> {
  const parts: PagePart[] = [];
  for (const rows of yield* regionsOf(segments)) {
    for (const section of yield* listingsIn(rows)) {
      if ("listing" in section)
        parts.push({ kind: "code", text: section.listing, order: section.order });
      else yield* addParts(parts, section.rows);
    }
  }
  return parts;
}

/** Tables, and blocks of the lines between them. */
function* addParts(parts: PagePart[], rows: Segment[][]): CooperativeWork<void> {
  let lines: Segment[] = [];
  for (let at = 0, end = 0; at <= rows.length; at = end) {
    const table = yield* tableAt(rows, at);
    end = table?.end ?? at + 1;
    const isTable = table !== null && table.rows.length > 0;
    if (isTable || at === rows.length) {
      for (const block of yield* blocksOf(lines)) parts.push({ kind: "text", block });
      lines = [];
    }
    if (isTable) parts.push({ kind: "table", ...table, order: rows[at]?.[0]?.order });
    else for (const row of rows.slice(at, end)) lines.push(...lineOf(row));
  }
}

/** Joins segments on one baseline, such as a title and a date on the right. */
function lineOf(row: Segment[]): Segment[] {
  const [first, ...rest] = row;
  if (first === undefined || rest.length === 0) return row;
  const text = row.map((segment) => segment.text.trim()).join(" ");
  return [{ ...first, ...boundsOf(row), text, endFont: endFontOf(rest.at(-1) ?? first) }];
}

export const blockOf = (lines: Segment[]): Block | null =>
  lines.length === 0 ? null : { lines, ...boundsOf(lines) };

function* blocksOf(segments: Segment[]): CooperativeWork<Block[]> {
  const blocks: Block[] = [];
  const { x1: edge } = boundsOf(segments);
  for (const segment of segments) {
    const last = blocks.at(-1);
    if (last !== undefined && isContinuation(last, segment, edge)) {
      last.lines.push(segment);
      Object.assign(last, boundsOf([last, segment]));
    } else blocks.push({ lines: [segment], ...boundsOf([segment]) });
    yield ITEM_COST;
  }
  return blocks;
}

/** @param edge where the longest of all lines ends */
function isContinuation(block: Block, next: Segment, edge: number): boolean {
  const last = block.lines.at(-1);
  if (last === undefined) return false;
  const distance = next.y - last.y;
  const size = Math.max(last.size, next.size);
  const isFull = last.x1 + wordWidth(next) + last.size * WORD_SPACE > edge;
  if (!isFull && block.lines.length === 1 && isTitleAbove(last, next)) return false;
  const most = isFull && isMidSentence(block, last, next, edge) ? DOUBLE_SPACED : LINE_DISTANCE;
  if (distance <= size * ROW_TOLERANCE || distance > size * lineDistance(block, most)) return false;
  if (Math.abs(last.size - next.size) > size * SIZE_TOLERANCE) return false;
  if (LIST_MARK.test(next.text)) return false;
  return next.x0 < block.x1 && next.x1 > block.x0;
}

/** Whether a line in a font of its own, to its end, ends before its sentence would. */
const isTitleAbove = (line: Segment, next: Segment) =>
  line.font !== next.font &&
  endFontOf(line) !== next.font &&
  /\p{L}/u.test(line.text) &&
  !OPEN_TITLE.test(line.text) &&
  !WITHIN_SENTENCE.test(next.text);

/** Whether the line below a full one goes on in its sentence: prose may be double-spaced. */
function isMidSentence(block: Block, last: Segment, next: Segment, edge: number): boolean {
  return (
    edge - next.x0 > next.size * MIN_PROSE &&
    OPEN_END.test(last.text) &&
    (GOES_ON.test(next.text) || (block.lines.length > 1 && CAPITAL.test(next.text)))
  );
}

function lineDistance(block: Block, most: number): number {
  const [first, second] = block.lines;
  if (first === undefined || second === undefined) return most;
  return Math.min(most, ((second.y - first.y) / first.size) * 1.2);
}

/** @param compounds words of the document that keep their hyphen where a line ends with it */
export const textOf = (block: Block, compounds?: ReadonlySet<string>) =>
  textOfLines(block.lines, compounds);
