import { Parser } from "htmlparser2";
import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
import { isHidden, type HiddenSelectors } from "../html/hidden-styles.ts";

const COMMENT_START = "<!--";
const COMMENT_END = "-->";
const BEFORE = String.raw`(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t]){0,200}`;
/** Fences, code, comments and tags. Runs match whole: each shorter one would be tried, too. */
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
 * Markdown without its comments and hidden HTML elements, except in fences and inline code. A
 * container that begins a line may end in another paragraph; other elements that do not end in
 * theirs are shown: a page may mention elements.
 */
export function* withoutHiddenMarkup(text: string): CooperativeWork<ShownMarkdown> {
  const found: ShownMarkdown = { markdown: text, comments: 0, elements: 0 };
  if (!text.includes(COMMENT_START) && !MAY_BE_HIDDEN.test(text)) return found;
  const progress = new Progress();
  const ends = new HiddenEnds(text);
  const parts = new RegExp(PARTS);
  let kept = "";
  let from = 0;
  for (let part = parts.exec(text); part !== null; part = parts.exec(text)) {
    yield* progress.advanceTo(parts.lastIndex);
    const { fence, code, name } = part.groups ?? {};
    if ((fence ?? code) !== undefined) continue;
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
