import { Parser } from "htmlparser2";
import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
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
    COMMENT_START,
    String.raw`<(?<name>[a-z][a-z0-9-]*)(?![a-z0-9-])(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^<>"']){0,4000}>`,
  ].join("|"),
  "gim",
);
const MAY_BE_HIDDEN = /<[a-z][^<>]{0,2000}\b(?:hidden|style)\b/i;
const TAGS = /<(\/?)([a-z][a-z0-9-]*)(?![a-z0-9-])[^<>]{0,4000}>/gi;
const BLANK_LINE = /\n[ \t>]*\n/g;
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const CONTAINERS = new Set(
  "address article aside blockquote center details dialog div dl fieldset figure footer form header main menu nav ol pre section table ul".split(
    " ",
  ),
);
const LINE_START = new RegExp(`^${BEFORE}$`);
const LOOK_CHARACTERS = 400;
const NO_SELECTORS: HiddenSelectors = new Set();
/** After so many comments and elements without an end, nothing more is left out. */
const MAX_UNCLOSED = 20;

export type ShownMarkdown = { markdown: string; comments: number; elements: number };

/**
 * Markdown without its comments and hidden HTML elements, except in code, where they are shown. A
 * container that begins a line may end in another paragraph; other elements that do not end in
 * theirs are shown: a page may mention elements.
 */
export function* withoutHiddenMarkup(text: string): CooperativeWork<ShownMarkdown> {
  const found: ShownMarkdown = { markdown: text, comments: 0, elements: 0 };
  if (!text.includes(COMMENT_START) && !MAY_BE_HIDDEN.test(text)) return found;
  const progress = new Progress();
  const lines = new MarkdownLines(text);
  const ends = new HiddenEnds(text);
  const parts = new RegExp(PARTS);
  let kept = "";
  let from = 0;
  for (let part = parts.exec(text); part !== null; part = parts.exec(text)) {
    yield* progress.advanceTo(parts.lastIndex);
    const { fence, code, name } = part.groups ?? {};
    if (fence !== undefined) lines.skipTo(parts.lastIndex);
    if ((fence ?? code) !== undefined || lines.isCode(part.index)) continue;
    const end = ends.of(part.index, part[0], name?.toLowerCase());
    if (end === null) continue;
    if (name === undefined) found.comments++;
    else found.elements++;
    kept += text.slice(from, part.index);
    parts.lastIndex = from = end;
  }
  return { ...found, markdown: kept + text.slice(from) };
}

/** Finds where comments and hidden elements end; positions are asked for in their order. */
class HiddenEnds {
  readonly #text: string;
  #paragraphEnd = 0;
  #unclosed = 0;

  constructor(text: string) {
    this.#text = text;
  }

  of(start: number, tag: string, name: string | undefined): number | null {
    if (this.#unclosed > MAX_UNCLOSED) return null;
    if (name === undefined) {
      const close = this.#text.indexOf(COMMENT_END, start + COMMENT_START.length);
      return close < 0 ? this.#never() : close + COMMENT_END.length;
    }
    return VOID.has(name) || !hides(name, tag) ? null : this.#endOfElement(start, name);
  }

  #never(): null {
    this.#unclosed++;
    return null;
  }

  #endOfElement(start: number, name: string): number | null {
    const before = this.#text.slice(Math.max(0, start - LOOK_CHARACTERS), start);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const mayGoOn = CONTAINERS.has(name) && LINE_START.test(line);
    let depth = 0;
    const inside = this.#text.slice(start, mayGoOn ? undefined : this.#endOfParagraph(start));
    for (const { 0: tag, 1: slash, 2: other = "", index } of inside.matchAll(TAGS)) {
      if (other.toLowerCase() !== name) continue;
      depth += slash === "/" ? -1 : 1;
      if (depth === 0) return start + index + tag.length;
    }
    return this.#never();
  }

  #endOfParagraph(start: number): number {
    if (this.#paragraphEnd <= start) {
      BLANK_LINE.lastIndex = start;
      this.#paragraphEnd = BLANK_LINE.exec(this.#text)?.index ?? this.#text.length;
    }
    return this.#paragraphEnd;
  }
}

function hides(name: string, tag: string): boolean {
  let hidden = false;
  if (!MAY_BE_HIDDEN.test(tag)) return false;
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
