const CODE_INDENT = 4;
const TAB_WIDTH = 4;
const LOOK_CHARACTERS = 400;
const QUOTE = /^(?: {0,3}> ?){1,100}/;
const ITEM = /^([ \t]*(?:[-*+]|\d{1,9}[.)]))([ \t]+|$)/;

/** Scans the lines of Markdown once, and finds indented code (CommonMark 0.31, §4.4). */
export class MarkdownLines {
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
