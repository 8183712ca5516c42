import { Progress } from "../../core/stretches.ts";
import type { Stretches } from "../../core/stretches.ts";
import { Parser } from "htmlparser2";
import { isHidden } from "./html/hidden-styles.ts";
import type { HiddenSelectors } from "./html/hidden-styles.ts";

const COMMENT_START = "<!--";
const COMMENT_END = "-->";
/**
 * What can hide something, or shows what would hide it: fences, code in a line, comments, tags.
 * Runs of marks and names are taken whole, or each shorter part of them would be tried as well.
 */
const PARTS =
  /(?<fence>^(?<marks>`{3,}(?!`)|~{3,}(?!~))[^\n]*\n[^]*?(?:^\k<marks>[`~]*[ \t]*$|$(?![^])))|(?<code>`[^`\n]+`)|(?<comment><!--)|<(?<slash>\/?)(?<name>[a-z][a-z0-9-]*)(?![a-z0-9-])(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^<>"']){0,4000}>/gim;
const MAY_HIDE = /<!--|<[a-z][^<>]{0,2000}\b(?:hidden|style)\b/i;
const BLANK_LINE = /\n[ \t]*\n/g;
/** They hold nothing. */
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
/** They end with their closing tag only, whatever paragraphs stand between. */
const CONTAINERS = new Set(
  "address article aside blockquote center details dialog div dl fieldset figure footer form header main menu nav ol pre section table ul".split(
    " ",
  ),
);
/** Indented this far it may be code, and hides no more than its paragraph. */
const CODE_INDENT = /^(?: {4}|\t)/;
/** So much of a line is looked at for its indent. */
const INDENT_LOOK_CHARACTERS = 200;
const NO_SELECTORS: HiddenSelectors = new Set();

export type ShownMarkdown = { markdown: string; comments: number; elements: number };

/**
 * Markdown without its comments and hidden HTML elements, except where they are shown: in code. A
 * container that is never closed hides the rest, as it does in a browser; any other element ends
 * with its paragraph. Linear in the text.
 */
export function* withoutHiddenMarkup(text: string): Stretches<ShownMarkdown> {
  if (!MAY_HIDE.test(text)) return { markdown: text, comments: 0, elements: 0 };
  return yield* new Remover(text).remove();
}

/** An element that is being left out. */
type Hiding = { name: string; depth: number; isContainer: boolean; limit: number };

class Remover {
  #kept = "";
  #from = 0;
  #comments = 0;
  #elements = 0;
  #hiding: Hiding | null = null;
  /** Where the paragraph ends that was looked at last. */
  #paragraphEnd = 0;
  #commentsEnd = true;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  *remove(): Stretches<ShownMarkdown> {
    const parts = new RegExp(PARTS);
    const progress = new Progress();
    for (let found = parts.exec(this.#text); found !== null; found = parts.exec(this.#text)) {
      const { fence, comment, slash, name } = found.groups ?? {};
      const end = found.index + found[0].length;
      const stretch = progress.stretchTo(end);
      if (stretch > 0) yield stretch;
      this.#endParagraph(found.index, fence !== undefined);
      if (comment !== undefined) parts.lastIndex = this.#passComment(found.index);
      else if (name !== undefined) {
        this.#passTag({ tag: found[0], name: name.toLowerCase(), start: found.index, end }, slash);
      }
    }
    this.#show(this.#hiding?.limit ?? this.#from);
    const markdown = this.#kept + this.#text.slice(this.#from);
    return { markdown, comments: this.#comments, elements: this.#elements };
  }

  /** What is no container ends with its paragraph, which a fence ends as well. */
  #endParagraph(at: number, isFence: boolean): void {
    if (this.#hiding === null) return;
    const { limit, isContainer } = this.#hiding;
    if (at >= limit) this.#show(limit);
    else if (isFence && !isContainer) this.#show(at);
  }

  #passComment(start: number): number {
    const inside = start + COMMENT_START.length;
    const close = this.#commentsEnd ? this.#text.indexOf(COMMENT_END, inside) : -1;
    this.#commentsEnd = close >= 0;
    if (close < 0) return inside;
    const end = close + COMMENT_END.length;
    if (this.#hiding === null) {
      this.#hide(start);
      this.#comments++;
      this.#from = end;
    } else this.#hiding.limit = Math.max(this.#hiding.limit, end);
    return end;
  }

  #passTag(
    { tag, name, start, end }: { tag: string; name: string; start: number; end: number },
    slash: string | undefined,
  ): void {
    const hiding = this.#hiding;
    if (hiding === null) {
      if (slash === "" && !VOID.has(name) && hides(name, tag)) this.#startHiding(name, start);
    } else if (name === hiding.name) {
      hiding.depth += slash === "" ? 1 : -1;
      if (hiding.depth === 0) this.#show(end);
    }
  }

  #startHiding(name: string, start: number): void {
    const before = this.#text.slice(Math.max(0, start - INDENT_LOOK_CHARACTERS), start);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const isContainer = CONTAINERS.has(name) && !CODE_INDENT.test(line);
    const limit = isContainer ? this.#text.length : this.#endOfParagraph(start);
    this.#hide(start);
    this.#elements++;
    this.#hiding = { name, depth: 1, isContainer, limit };
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
