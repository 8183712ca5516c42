/** A stretch of a passage, UTF-16 offsets, end excluded. */
export type Span = { start: number; end: number };

/** Whole lines of a passage. `parts`: a list's items, a table's rows below its header. */
export type Block = Span & {
  kind: "paragraph" | "list" | "table" | "code";
  parts: Span[];
  /** A table's header with its rule. */
  header: Span | null;
};

/** What stands below one heading, or before the first; `isCut`: its beginning is elsewhere. */
export type Section = { heading: string; isCut: boolean; blocks: Block[] };

const HEADING = /^\s{0,3}#{1,6}\s/;
const UNDERLINE = /^\s{0,3}(?:={3,}|-{3,})\s*$/;
const FENCE = /^\s*(```+|~~~+)/;
const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
const ROW = /^\s*\|.*\|\s*$/;
const RULE = /^\s*\|[\s:|-]+\|\s*$/;
/** `1. Safety` above a paragraph, and the title of a section of a manual page. */
const NUMBERED_TITLE = /^\d{1,3}(?:\.\d{1,3}){0,3}[.)]? \p{Lu}[^.:;!?,|]{1,38}$/u;
const CAPITALS = /^[A-Z][A-Z0-9 /,-]{2,40}$/;
const OPTION = /^\s*-/;
const MAX_TITLE_CHARACTERS = 60;
/** How much deeper a line is that explains the one above it. */
const DEEPER = 2;

type Line = Span & { text: string; indent: number; isBlank: boolean };

/** The sections of Markdown or plain text, with their blocks as they are written. */
export function sectionsOf(passage: string): Section[] {
  const reader = new Reader(linesOf(passage));
  return reader.read();
}

function linesOf(passage: string): Line[] {
  let start = 0;
  return passage.split("\n").map((text) => {
    const from = start;
    start += text.length + 1;
    const indent = text.length - text.trimStart().length;
    return { start: from, end: start - 1, text, indent, isBlank: text.trim() === "" };
  });
}

class Reader {
  readonly #lines: Line[];
  readonly #sections: Section[] = [{ heading: "", isCut: true, blocks: [] }];
  #open: { block: Block; indent: number; body: number; title: string } | null = null;
  #afterBlank = true;
  #fence: string | null = null;

  constructor(lines: Line[]) {
    this.#lines = lines;
  }

  read(): Section[] {
    const first = this.#lines.findIndex(({ isBlank }) => !isBlank);
    for (let at = skipFrontMatter(this.#lines, first); at < this.#lines.length; at++) {
      const line = this.#lines[at];
      if (line === undefined) break;
      if (this.#readsCode(line)) continue;
      if (line.isBlank) this.#afterBlank = true;
      else {
        // What stands below a heading begins something, as it does below a blank line.
        this.#afterBlank = this.#readText(line, at) === "heading";
      }
    }
    return this.#sections.filter(({ blocks }) => blocks.length > 0);
  }

  #readsCode(line: Line): boolean {
    const fence = FENCE.exec(line.text)?.[1];
    if (this.#fence !== null) {
      if (this.#open !== null) this.#open.block.end = line.end;
      if (fence?.startsWith(this.#fence) === true) {
        this.#fence = null;
        if (this.#open?.block.kind === "code") this.#open = null;
      }
      return true;
    }
    if (fence === undefined) return false;
    this.#fence = fence;
    // The code of a list's item belongs to the item.
    if (this.#open?.block.kind === "list" && line.indent > this.#open.indent) {
      this.#extend(line);
    } else this.#start("code", line);
    return true;
  }

  #readText(line: Line, at: number): "heading" | "text" {
    const heading = this.#headingAt(line, at);
    const open = this.#open;
    if (heading !== null) {
      this.#open = null;
      this.#sections.push({ heading, isCut: false, blocks: [] });
      return "heading";
    }
    if (UNDERLINE.test(line.text) && this.#isTitleAbove(open)) {
      this.#makeHeading();
      return "heading";
    }
    if (ROW.test(line.text)) this.#readRow(line);
    else if (this.#isDeeper(line)) this.#extend(line);
    else if (ITEM.test(line.text)) this.#readItem(line);
    else if (open === null || this.#afterBlank || open.block.kind === "table") {
      this.#start("paragraph", line);
    } else this.#extend(line);
    return "text";
  }

  #headingAt({ text, indent }: Line, at: number): string | null {
    const [mark] = HEADING.exec(text) ?? [];
    if (mark !== undefined) return text.slice(mark.length).trim().replace(/\s#+$/, "").trimEnd();
    const next = this.#lines[at + 1];
    return next === undefined || next.isBlank || !this.#afterBlank
      ? null
      : this.#plainTitle({ text, indent }, next, this.#lines[at + 2]);
  }

  #plainTitle(
    { text, indent }: Pick<Line, "text" | "indent">,
    next: Line,
    below: Line | undefined,
  ): string | null {
    if (text.length > MAX_TITLE_CHARACTERS) return null;
    if (NUMBERED_TITLE.test(text) && /^\p{Lu}/u.test(next.text)) return text;
    if (next.indent < indent + DEEPER || /^\s*-|[.:,;]$/.test(text)) return null;
    const isTitle = indent === 0 && CAPITALS.test(text);
    return isTitle || this.#isEntry(next, below) ? text.trim() : null;
  }

  /** Whether a term stands here, and deeper what it is, as below the titles of manual pages. */
  #isEntry = ({ text, indent }: Line, below: Line | undefined): boolean =>
    OPTION.test(text) || (below?.isBlank === false && below.indent >= indent + DEEPER);

  #isTitleAbove(open: { block: Block } | null): boolean {
    if (open === null || this.#afterBlank || open.block.kind !== "paragraph") return false;
    return open.block.end === open.block.parts[0]?.end;
  }

  #makeHeading(): void {
    const heading = this.#open?.title ?? "";
    this.#sections.at(-1)?.blocks.pop();
    this.#open = null;
    this.#sections.push({ heading, isCut: false, blocks: [] });
  }

  #readRow(line: Line): void {
    const table = this.#open?.block.kind === "table" && !this.#afterBlank ? this.#open.block : null;
    if (table === null) this.#start("table", line).header = spanOf(line);
    else if (RULE.test(line.text) && table.header !== null && table.parts.length === 0) {
      table.header.end = line.end;
      table.end = line.end;
    } else {
      table.parts.push(spanOf(line));
      table.end = line.end;
    }
  }

  #readItem(line: Line): void {
    const list = this.#open?.block.kind === "list" ? this.#open.block : this.#start("list", line);
    list.parts.push(spanOf(line));
    list.end = line.end;
    if (this.#open !== null) this.#open.indent = Math.min(this.#open.indent, line.indent);
  }

  /** Whether a line after a blank one belongs to the list's item or the term above it. */
  #isDeeper({ indent, text }: Line): boolean {
    const open = this.#open;
    if (open === null || !this.#afterBlank) return false;
    if (open.block.kind === "paragraph") return indent >= open.body;
    return open.block.kind === "list" && indent >= open.indent + DEEPER && !ITEM.test(text);
  }

  #extend(line: Line): void {
    const open = this.#open;
    if (open === null) return;
    const { block } = open;
    // The first line below a term says how deep its explanation stands.
    const isSecond = block.kind === "paragraph" && !this.#afterBlank && block.parts.length === 1;
    if (isSecond && line.indent >= open.indent + DEEPER) open.body = line.indent;
    if (isSecond) block.parts.push(spanOf(line));
    block.end = line.end;
    const part = block.parts.at(-1);
    if (block.kind === "list" && part !== undefined) part.end = line.end;
  }

  #start(kind: Block["kind"], line: Line): Block {
    const block: Block = { kind, ...spanOf(line), parts: [], header: null };
    if (kind === "paragraph") block.parts.push(spanOf(line));
    this.#open = {
      block,
      indent: line.indent,
      body: line.indent + DEEPER,
      title: line.text.trim(),
    };
    this.#sections.at(-1)?.blocks.push(block);
    return block;
  }
}

const spanOf = ({ start, end }: Span): Span => ({ start, end });

const MAX_FRONT_MATTER_LINES = 40;

/** Behind the settings between two rules with which a page begins: they are for programs. */
function skipFrontMatter(lines: Line[], first: number): number {
  if (first === -1 || lines[first]?.text.trim() !== "---") return Math.max(0, first);
  const inside = lines.slice(first + 1, first + MAX_FRONT_MATTER_LINES);
  const length = inside.findIndex(({ text }) => text.trim() === "---");
  return length > 0 && /^[\w-]+:(?:\s|$)/.test(inside[0]?.text ?? "") ? first + length + 2 : first;
}
