import type { Child } from "hono/jsx";

import { safeHref } from "./data.tsx";

/** Shows a stretch of text without markup. */
export type Words = (text: string) => Child;

type Span = { end: number; shown: Child };
type Scan = {
  text: string;
  words: Words;
  depth: number;
  /** Marks that nothing closes from here on: each is looked for once. */
  unclosed: Set<string>;
};

/** Emphasis in emphasis: what is nested deeper stays as it was written. */
const MAX_DEPTH = 6;
/** Backticks around code; a run of each length is looked for once. */
const MAX_MARKS = 16;
const SPECIAL = /[\\`*_~[!]/;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const LETTER = /[\p{L}\p{N}]/u;

/** One paragraph's Markdown: emphasis, code, links. The work is linear in the text. */
export function inline(text: string, words: Words, depth = 0): Child[] {
  const scan: Scan = { text, words, depth, unclosed: new Set() };
  const children: Child[] = [];
  let plainFrom = 0;
  let at = 0;
  while (at < text.length) {
    const span = SPECIAL.test(text.charAt(at)) ? spanAt(scan, at) : null;
    if (span === null) {
      at += 1;
      continue;
    }
    if (at > plainFrom) children.push(words(text.slice(plainFrom, at)));
    children.push(span.shown);
    at = span.end;
    plainFrom = at;
  }
  if (plainFrom < text.length) children.push(words(text.slice(plainFrom)));
  return children;
}

function spanAt(scan: Scan, at: number): Span | null {
  if (scan.depth >= MAX_DEPTH) return null;
  switch (scan.text.charAt(at)) {
    case "\\":
      return escapeAt(scan, at);
    case "`":
      return code(scan, at);
    case "[":
      return link(scan, at);
    case "!":
      return scan.text.charAt(at + 1) === "[" ? link(scan, at + 1) : null;
    default:
      return emphasis(scan, at);
  }
}

function escapeAt({ text, words }: Scan, at: number): Span | null {
  const next = text.charAt(at + 1);
  return PUNCTUATION.test(next) ? { end: at + 2, shown: words(next) } : null;
}

function code({ text, words, unclosed }: Scan, at: number): Span | null {
  let from = at;
  while (text.charAt(from) === "`") from += 1;
  const marks = text.slice(at, from);
  const end = marks.length > MAX_MARKS ? null : closing(text, marks, from, unclosed);
  // A run that nothing closes is text as a whole: not each of its marks is looked at.
  if (end === null) return { end: from, shown: words(marks) };
  return { end: end + marks.length, shown: <code>{words(text.slice(from, end).trim())}</code> };
}

function closing(text: string, mark: string, from: number, unclosed: Set<string>): number | null {
  const end = unclosed.has(mark) ? -1 : text.indexOf(mark, from);
  if (end === -1) unclosed.add(mark);
  return end === -1 ? null : end;
}

/** A link or a picture, of which the words are shown. Others' addresses: http and https only. */
function link(scan: Scan, at: number): Span | null {
  const { text, words, depth, unclosed } = scan;
  if (unclosed.has(")")) return null;
  const middle = closing(text, "](", at, unclosed);
  const close = middle === null ? null : closing(text, ")", middle, unclosed);
  if (middle === null || close === null) return null;
  // One pair of parentheses in the address, as encyclopedias have it.
  const isInner = text.slice(middle + 2, close).includes("(") && text.charAt(close + 1) === ")";
  const end = isInner ? close + 1 : close;
  const [target = ""] = text
    .slice(middle + 2, end)
    .trim()
    .split(/\s/, 1);
  const label = inline(text.slice(at + 1, middle), words, depth + 1);
  const href = safeHref(target);
  const element =
    href === null || text.charAt(at - 1) === "!" ? (
      <>{label}</>
    ) : (
      <a href={href} rel="noreferrer noopener">
        {label}
      </a>
    );
  return { end: end + 1, shown: element };
}

function emphasis(scan: Scan, at: number): Span | null {
  const { text, words, depth } = scan;
  const mark = text.charAt(at);
  const isDouble = text.charAt(at + 1) === mark;
  const marks = isDouble ? mark + mark : mark;
  const from = at + marks.length;
  // snake_case is no emphasis, 2 * 3 neither, and one tilde is a tilde.
  if ((mark === "~" && !isDouble) || isSpace(text.charAt(from))) return null;
  if (mark === "_" && LETTER.test(text.charAt(at - 1))) return null;
  const end = emphasisEnd(scan, marks, from);
  if (end === null) return null;
  const inner = inline(text.slice(from, end), words, depth + 1);
  const element =
    mark === "~" ? <del>{inner}</del> : isDouble ? <strong>{inner}</strong> : <em>{inner}</em>;
  return { end: end + marks.length, shown: element };
}

function emphasisEnd({ text, unclosed }: Scan, marks: string, from: number): number | null {
  let end = closing(text, marks, from, unclosed);
  while (end !== null) {
    const after = text.charAt(end + marks.length);
    const isClosing = !isSpace(text.charAt(end - 1)) && end > from;
    const isInWord = marks.startsWith("_") && LETTER.test(after);
    if (isClosing && !isInWord && after !== marks.charAt(0)) return end;
    end = closing(text, marks, end + (after === marks.charAt(0) ? marks.length + 1 : 1), unclosed);
  }
  return null;
}

const isSpace = (character: string) => character.trim() === "";
