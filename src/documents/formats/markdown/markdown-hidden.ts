import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
import { Parser } from "htmlparser2";
import { isHidden, type HiddenSelectors } from "../html/hidden-styles.ts";

const COMMENT_START = "<!--";
const COMMENT_END = "-->";
const BEFORE = String.raw`(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t]){0,200}`;
/**
 * What can hide text, or prevents hiding: fences, inline code, comments, tags. Runs of marks and
 * names are matched whole: otherwise each shorter run would be tried as well.
 */
const PARTS = new RegExp(
  [
    `(?<fence>^${BEFORE}` +
      "(?<marks>`{3,}(?=[^`\\n]*(?:\\n|$(?![^])))|~{3,}(?!~))[^\\n]*" +
      "(?:\\n[^]*?(?:^[ \\t>]{0,200}\\k<marks>[`~]*[ \\t]*$|$(?![^]))|$(?![^])))",
    "(?<code>`[^`\\n]+`)",
    "(?<comment><!--)",
    String.raw`<(?<slash>\/?)(?<name>[a-z][a-z0-9-]*)(?![a-z0-9-])(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^<>"']){0,4000}>`,
  ].join("|"),
  "gim",
);
const MAY_BE_HIDDEN = /<[a-z][^<>]{0,2000}\b(?:hidden|style)\b/i;
const BLANK_LINE = /\n[ \t>]*\n/g;
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
/** Elements that may hold paragraphs: only their closing tag ends them. */
const CONTAINERS = new Set(
  "address article aside blockquote center details dialog div dl fieldset figure footer form header main menu nav ol pre section table ul".split(
    " ",
  ),
);
const LINE_START = new RegExp(`^${BEFORE}$`);
const LOOK_CHARACTERS = 400;
const NO_SELECTORS: HiddenSelectors = new Set();

export type ShownMarkdown = { markdown: string; comments: number; elements: number };

/**
 * Markdown without its comments and hidden HTML elements, except in code, where they are shown. A
 * container that begins a line is hidden up to its closing tag. Other elements, and those never
 * closed, end with their paragraph: a page may mention elements. Linear in the text.
 */
export function* withoutHiddenMarkup(text: string): CooperativeWork<ShownMarkdown> {
  const mayHide = text.includes(COMMENT_START) || MAY_BE_HIDDEN.test(text);
  if (!mayHide) return { markdown: text, comments: 0, elements: 0 };
  return yield* new Remover(text).remove();
}

type Tag = { text: string; name: string; isEnd: boolean };
type Part = { start: number; end: number; isFence: boolean; isComment: boolean; tag: Tag | null };

/** The parts in their order, without those in code. */
function* partsOf(text: string): Generator<Part> {
  const lines = new MarkdownLines(text);
  let commentsEnd = true;
  const parts = new RegExp(PARTS);
  for (let found = parts.exec(text); found !== null; found = parts.exec(text)) {
    const { fence, comment, slash, name } = found.groups ?? {};
    const start = found.index;
    const isFence = fence !== undefined;
    const mayHide = comment !== undefined || name !== undefined;
    if (isFence) lines.skipTo(parts.lastIndex);
    else if (mayHide && lines.isCode(start)) continue;
    const isComment = comment !== undefined;
    if (isComment) {
      const inside = start + COMMENT_START.length;
      const close: number = commentsEnd ? text.indexOf(COMMENT_END, inside) : -1;
      commentsEnd = close >= 0;
      parts.lastIndex = close < 0 ? inside : close + COMMENT_END.length;
      if (close < 0) continue;
    }
    const tag =
      name === undefined ? null : { text: found[0], name: name.toLowerCase(), isEnd: slash !== "" };
    yield { start, end: parts.lastIndex, isFence, isComment, tag };
  }
}

/** An element that is being left out. `end` if known; else it ends at `limit`. */
type Hiding = { name: string; depth: number; end: number | null; limit: number };

class Remover {
  #kept = "";
  #from = 0;
  #comments = 0;
  #elements = 0;
  #hiding: Hiding | null = null;
  #paragraphEnd = 0;
  /** Ends of the containers that may be hidden, by where they begin. */
  #ends = new Map<number, number>();
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  *remove(): CooperativeWork<ShownMarkdown> {
    if (MAY_BE_HIDDEN.test(this.#text)) this.#ends = yield* containerEnds(this.#text);
    const progress = new Progress();
    for (const part of partsOf(this.#text)) {
      yield* progress.advanceTo(part.end);
      this.#endParagraph(part.start, part.isFence);
      if (part.isComment) this.#passComment(part);
      else if (part.tag !== null) this.#passTag(part, part.tag);
    }
    this.#show(this.#hiding?.limit ?? this.#from);
    const markdown = this.#kept + this.#text.slice(this.#from);
    return { markdown, comments: this.#comments, elements: this.#elements };
  }

  /** An element without a known end ends with its paragraph, as does one before a fence. */
  #endParagraph(at: number, isFence: boolean): void {
    if (this.#hiding === null) return;
    const { limit, end } = this.#hiding;
    if (at >= limit) this.#show(limit);
    else if (isFence && end === null) this.#show(at);
  }

  #passComment({ start, end }: Part): void {
    if (this.#hiding === null) {
      this.#hide(start);
      this.#comments++;
      this.#from = end;
    } else this.#hiding.limit = Math.max(this.#hiding.limit, end);
  }

  #passTag({ start, end }: Part, { name, text, isEnd }: Tag): void {
    const hiding = this.#hiding;
    if (hiding === null) {
      if (!isEnd && !VOID.has(name) && hides(name, text)) this.#startHiding(name, start);
    } else if (hiding.end === null && name === hiding.name) {
      hiding.depth += isEnd ? -1 : 1;
      if (hiding.depth === 0) this.#show(end);
    }
  }

  #startHiding(name: string, start: number): void {
    const paragraphEnd = this.#endOfParagraph(start);
    let end: number | null = null;
    if (CONTAINERS.has(name)) {
      end = this.#ends.get(start) ?? null;
      const isInProse = !this.#beginsLine(start);
      if (isInProse && (end === null || end > paragraphEnd)) return;
    }
    this.#hide(start);
    this.#elements++;
    this.#hiding = { name, depth: 1, end, limit: end ?? paragraphEnd };
  }

  #beginsLine(start: number): boolean {
    const before = this.#text.slice(Math.max(0, start - LOOK_CHARACTERS), start);
    return LINE_START.test(before.slice(before.lastIndexOf("\n") + 1));
  }

  #endOfParagraph(start: number): number {
    if (this.#paragraphEnd <= start) {
      BLANK_LINE.lastIndex = start;
      this.#paragraphEnd = BLANK_LINE.exec(this.#text)?.index ?? this.#text.length;
    }
    return this.#paragraphEnd;
  }

  #hide(start: number): void {
    this.#kept += this.#text.slice(this.#from, start);
    this.#from = start;
  }

  #show(at: number): void {
    this.#from = at;
    this.#hiding = null;
  }
}

/** Finds where containers end: each closing tag closes the last open element of its name. */
function* containerEnds(text: string): CooperativeWork<Map<number, number>> {
  const progress = new Progress();
  const ends = new Map<number, number>();
  const open = new Map<string, { start: number; mayHide: boolean }[]>();
  for (const { start, end, tag } of partsOf(text)) {
    yield* progress.advanceTo(end);
    if (tag === null || !CONTAINERS.has(tag.name)) continue;
    const same = open.get(tag.name) ?? [];
    open.set(tag.name, same);
    if (!tag.isEnd) same.push({ start, mayHide: MAY_BE_HIDDEN.test(tag.text) });
    else {
      const closed = same.pop();
      if (closed?.mayHide === true) ends.set(closed.start, end);
    }
  }
  return ends;
}

function hides(name: string, tag: string): boolean {
  let hidden = false;
  const parser = new Parser({
    onopentag: (_name, attributes) => {
      hidden = isHidden(name, attributes, NO_SELECTORS);
    },
  });
  parser.end(tag);
  return hidden;
}

const CODE_INDENT = 4;
const TAB_WIDTH = 4;
const QUOTE = /^(?: {0,3}> ?){1,100}/;
const ITEM = /^([ \t]*(?:[-*+]|\d{1,9}[.)]))([ \t]+|$)/;

/** Scans the lines of Markdown once, and finds indented code (CommonMark 0.31, §4.4). */
class MarkdownLines {
  #from = 0;
  #before: "blank" | "code" | "text" = "blank";
  /** The column where the text of the innermost open list item begins. */
  #offset = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the line at `at` is code; earlier lines can no longer be asked for. */
  isCode(at: number): boolean {
    while (this.#from <= at) {
      const end = this.#text.indexOf("\n", this.#from);
      const next = end < 0 ? this.#text.length : end;
      this.#pass(this.#text.slice(this.#from, Math.min(next, this.#from + LOOK_CHARACTERS)));
      this.#from = next + 1;
    }
    return this.#before === "code";
  }

  skipTo(at: number): void {
    if (this.#from >= at) return;
    this.#from = at;
    this.#before = "text";
  }

  #pass(line: string): void {
    const text = line.replace(QUOTE, "");
    if (text.trim() === "") {
      if (this.#before !== "code") this.#before = "blank";
      return;
    }
    const indent = widthOf(/^[ \t]*/.exec(text)?.[0] ?? "");
    if (this.#before !== "text" && indent >= this.#offset + CODE_INDENT) {
      this.#before = "code";
      return;
    }
    const isAnew = this.#before !== "text";
    this.#offset =
      offsetBehind(text, indent, this.#offset) ??
      (isAnew ? Math.min(indent, this.#offset) : this.#offset);
    this.#before = "text";
  }
}

/** The column where the text of the item that this line opens begins; null where it opens none. */
function offsetBehind(line: string, indent: number, offset: number): number | null {
  const found = ITEM.exec(line);
  if (found === null || indent >= offset + CODE_INDENT) return null;
  const [, marker = "", space = ""] = found;
  // After a wider space it is code.
  const width = Math.max(1, widthOf(space));
  return widthOf(marker) + (width > CODE_INDENT ? 1 : width);
}

function widthOf(text: string): number {
  let width = 0;
  for (const each of text) width += each === "\t" ? TAB_WIDTH - (width % TAB_WIDTH) : 1;
  return width;
}
