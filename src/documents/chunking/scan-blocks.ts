import { Progress, type CooperativeWork } from "../../core/work/cooperative.ts";
import { hasWords, headingText, plainHeading } from "../../text/heading-text.ts";

/** Blocks follow each other without gaps; blank lines trail. */
export type Block = {
  kind: "heading" | "paragraph" | "list" | "table" | "code";
  start: number;
  end: number;
  /** Heading: 1 to 6, otherwise 0. */
  level: number;
  /** Heading: its text without markup, otherwise empty. */
  heading: string;
};

type Line = { start: number; next: number; text: string };

const MAX_HEADING_CHARACTERS = 300;
const MAX_HTML_HEADING_CHARACTERS = 2_000;
const LOOK_CHARACTERS = 1_000;
const ATX = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const SETEXT = /^ {0,3}(=+|-{2,})[ \t]*$/;
const HTML_HEADING_START = /^ {0,3}(?:<(?!h[1-6])[a-z][^<>]*>[ \t]*)*<h([1-6])(?=\s|>|$)/i;
/** It ends before another heading begins, so that each character is read once. */
const HTML_HEADING_END = /^[^<>]*>((?:[^<]|<(?!\/?h[1-6][\s>]))*)<\/h[1-6]\s*>/i;
const OTHER_TAGS = /<(?!(?:img|br)\b)[^<>]*>/gi;
/** A line of backticks that end in it is code within a paragraph (CommonMark 0.31, §4.5). */
const FENCE = /^ {0,3}(`{3,}(?!`)(?!.*`)|~{3,})/;
export const LIST_ITEM = /^([ \t]*)(?:[-*+•‣◦]|\d{1,9}[.)]|[a-z][.)])[ \t]+\S/;
const TABLE_RULE = /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;
const INDENTED = /^(?: {2}|\t)/;
export const FRONT_MATTER = /^---[ \t]*\n([^]{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;

export const blocksOf = (markdown: string): Block[] =>
  [...scanBlocks(markdown)].filter((step) => typeof step !== "number");

/** The cells of a table's line, with or without its outer bars. */
export const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

/** Finds blocks in one pass; the work is linear in the text. Numbers: progress within a block. */
export function* scanBlocks(markdown: string): Generator<Block | number> {
  let at = yield* frontMatterEnd(markdown);
  if (at > 0) yield block("paragraph", 0, at);
  while (at < markdown.length) {
    const next = yield* scanBlock(markdown, at);
    next.end = yield* skipBlankLines(markdown, next.end);
    yield next;
    at = next.end;
  }
}

function* frontMatterEnd(markdown: string): CooperativeWork<number> {
  const match = FRONT_MATTER.exec(markdown);
  return match === null ? 0 : yield* skipBlankLines(markdown, match[0].length);
}

function* scanBlock(markdown: string, start: number): CooperativeWork<Block> {
  const line = lineAt(markdown, start);
  if (isBlank(line)) return block("paragraph", start, line.next);
  const marked = scanHtmlHeading(markdown, line) ?? (yield* scanMarkedBlock(markdown, line));
  return marked ?? (yield* scanUnmarkedBlock(markdown, line));
}

function* scanMarkedBlock(markdown: string, line: Line): CooperativeWork<Block | null> {
  const { start, next, text } = line;
  const [opening, marks] = ATX.exec(text) ?? [];
  if (opening !== undefined && marks !== undefined) {
    const end = yield* commentsEnd(markdown, next, marks);
    if (end > next) return block("paragraph", start, end);
    return headingBlock(start, next, marks.length, headingText(text.slice(opening.length)));
  }
  const fence = FENCE.exec(text)?.[1];
  if (fence !== undefined) return block("code", start, yield* fenceEnd(markdown, line, fence));
  return LIST_ITEM.test(text) ? block("list", start, yield* listEnd(markdown, next)) : null;
}

/** Null for a heading without an end or without words, which is text. */
function scanHtmlHeading(markdown: string, { start, text }: Line): Block | null {
  const [opening, level] = HTML_HEADING_START.exec(text) ?? [];
  if (opening === undefined) return null;
  const from = start + opening.length;
  const rest = markdown.slice(from, from + MAX_HTML_HEADING_CHARACTERS);
  const [html, inner] = HTML_HEADING_END.exec(rest) ?? [];
  if (html === undefined || inner === undefined) return null;
  const end = lineAt(markdown, from + html.length).next;
  const heading = headingBlock(start, end, Number(level), inner.replace(OTHER_TAGS, " "));
  return heading.heading === "" ? null : heading;
}

/** Headings never occupy consecutive lines; comments in plain text do. */
function commentsEnd(markdown: string, from: number, marks: string): CooperativeWork<number> {
  return textEnd(markdown, from, (line) => ATX.exec(line.text)?.[1] !== marks);
}

function* scanUnmarkedBlock(markdown: string, line: Line): CooperativeWork<Block> {
  const { start } = line;
  const second = lineAt(markdown, line.next);
  if (isTableStart(line, second)) {
    const end = yield* textEnd(markdown, second.next, (next) => !next.text.includes("|"));
    return block("table", start, end);
  }
  const underline = SETEXT.exec(second.text)?.[1];
  if (underline !== undefined && line.text.length <= MAX_HEADING_CHARACTERS) {
    return headingBlock(start, second.next, underline.startsWith("=") ? 1 : 2, line.text);
  }
  // A title may stand right below a line of badges.
  if (line.text.includes("![") && !hasWords(line.text)) return block("paragraph", start, line.next);
  return block("paragraph", start, yield* textEnd(markdown, line.next, mayInterruptParagraph));
}

function block(kind: Block["kind"], start: number, end: number): Block {
  return { kind, start, end, level: 0, heading: "" };
}

function headingBlock(start: number, end: number, level: number, text: string): Block {
  return { kind: "heading", start, end, level, heading: plainHeading(text) };
}

function lineAt(markdown: string, start: number): Line {
  const feed = markdown.indexOf("\n", start);
  const next = feed < 0 ? markdown.length : feed + 1;
  const end = feed < 0 ? markdown.length : feed;
  return { start, next, text: markdown.slice(start, Math.min(end, start + LOOK_CHARACTERS)) };
}

const isBlank = (line: Line) => line.text.trim() === "";

const isTableStart = (line: Line, second: Line) =>
  line.text.includes("|") && second.text.includes("|") && TABLE_RULE.test(second.text);

/** The first characters of lines that may begin a block. */
const MAY_INTERRUPT = /^ {0,3}[#`~\-*+•<]/;

const INTERRUPTING = [ATX, FENCE, /^ {0,3}[-*+•][ \t]+\S/, HTML_HEADING_START];

function mayInterruptParagraph(line: Line): boolean {
  if (!MAY_INTERRUPT.test(line.text)) return false;
  return INTERRUPTING.some((start) => start.test(line.text));
}

/** The first line from `at` on for which `stops` is true. */
function* endOf(
  markdown: string,
  at: number,
  stops: (line: Line) => boolean,
): CooperativeWork<number> {
  const progress = new Progress(at);
  let line = lineAt(markdown, at);
  while (line.start < markdown.length && !stops(line)) {
    yield* progress.advanceTo(line.next);
    line = lineAt(markdown, line.next);
  }
  return line.start;
}

const textEnd = (markdown: string, at: number, stops: (line: Line) => boolean) =>
  endOf(markdown, at, (line) => isBlank(line) || stops(line));

function* fenceEnd(markdown: string, opening: Line, fence: string): CooperativeWork<number> {
  const closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\t]*$`);
  const end = yield* endOf(markdown, opening.next, ({ text }) => closing.test(text));
  return lineAt(markdown, end).next;
}

function* listEnd(markdown: string, at: number): CooperativeWork<number> {
  const progress = new Progress(at);
  let end = at;
  while (end < markdown.length) {
    const line = lineAt(markdown, end);
    if (ATX.test(line.text) || FENCE.test(line.text)) break;
    if (isBlank(line)) {
      const resumed = lineAt(markdown, yield* skipBlankLines(markdown, line.next));
      if (!LIST_ITEM.test(resumed.text) && !INDENTED.test(resumed.text)) break;
      end = resumed.start;
    } else end = line.next;
    yield* progress.advanceTo(end);
  }
  return end;
}

const skipBlankLines = (markdown: string, at: number) =>
  endOf(markdown, at, (line) => !isBlank(line) || line.next - line.start > LOOK_CHARACTERS);
