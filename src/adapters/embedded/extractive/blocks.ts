import { trimEnd } from "../../../core/trim.ts";

/** What a passage consists of, in its order; `lines` are Markdown. */
export type Block =
  | { kind: "heading"; text: string }
  | { kind: "paragraph"; text: string; term: string }
  | { kind: "list"; items: Item[] }
  | { kind: "table"; rows: string[] }
  | { kind: "code"; text: string };

/** `mark`: its indentation and bullet or number. */
type Item = { mark: string; text: string };

const HEADING = /^\s{0,3}#{1,6}\s/;
const FENCE = /^\s{0,3}(```+|~~~+)/;
const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
const TABLE_ROW = /^\s*\|(.+)\|\s*$/;
const TABLE_RULE = /^\s*\|[\s:|-]+\|\s*$/;
/** A longer line is a sentence, not the term that a deeper paragraph below it explains. */
const TERM_LONGEST = 100;

/** Headings, paragraphs, lists, tables and code of Markdown or plain text. */
export function blocksOf(text: string): Block[] {
  const reader = new BlockReader();
  for (const line of text.split(/\r?\n/)) reader.read(line);
  return reader.blocks;
}

class BlockReader {
  readonly blocks: Block[] = [];
  /** The lines of the paragraph that is open. */
  #paragraph: string[] = [];
  #paragraphBlock: (Block & { kind: "paragraph" }) | null = null;
  /** The list whose last item takes the lines that follow. */
  #list: (Block & { kind: "list" }) | null = null;
  #isItemOpen = false;
  #table: { block: Block & { kind: "table" }; columns: string[] } | null = null;
  #code: { block: Block & { kind: "code" }; fence: string } | null = null;

  read(line: string): void {
    if (this.#readsCode(line) || this.#readsRow(line)) return;
    const item = LIST_ITEM.exec(line)?.[0];
    if (item !== undefined) this.#startItem(item, line);
    else if (line.trim() === "") this.#closeText();
    else if (HEADING.test(line)) this.#addHeading(line);
    else this.#addText(line);
  }

  #readsCode(line: string): boolean {
    const fence = FENCE.exec(line)?.[1];
    if (this.#code !== null) {
      if (fence?.startsWith(this.#code.fence) === true) this.#code = null;
      else this.#code.block.text += this.#code.block.text === "" ? line : `\n${line}`;
      return true;
    }
    if (fence === undefined) return false;
    this.#closeAll();
    const block = { kind: "code" as const, text: "" };
    this.blocks.push(block);
    this.#code = { block, fence };
    return true;
  }

  #readsRow(line: string): boolean {
    const row = TABLE_ROW.exec(line)?.[1];
    if (row === undefined) {
      this.#table = null;
      return false;
    }
    this.#paragraphBlock = null;
    this.#list = null;
    if (TABLE_RULE.test(line)) return true;
    const cells = row.split("|").map((cell) => cell.trim());
    if (this.#table === null) {
      const block = { kind: "table" as const, rows: [] };
      this.blocks.push(block);
      this.#table = { block, columns: cells };
    } else this.#table.block.rows.push(rowText(this.#table.columns, cells));
    return true;
  }

  #startItem(mark: string, line: string): void {
    this.#paragraphBlock = null;
    if (this.#list === null) {
      this.#list = { kind: "list", items: [] };
      this.blocks.push(this.#list);
    }
    const bullet = mark.trimEnd().replace(/[*+•]$/, "-");
    this.#list.items.push({ mark: `${bullet} `, text: line.slice(mark.length) });
    this.#isItemOpen = true;
  }

  #addHeading(line: string): void {
    this.#closeAll();
    const text = trimEnd(line.replace(HEADING, "").trim(), "#").trimEnd();
    this.blocks.push({ kind: "heading", text });
  }

  #addText(line: string): void {
    const item = this.#list?.items.at(-1);
    if (item !== undefined && (this.#isItemOpen || /^\s{2}/.test(line))) {
      item.text += ` ${line.trim()}`;
      this.#isItemOpen = true;
      return;
    }
    this.#list = null;
    if (this.#paragraphBlock === null) {
      this.#paragraphBlock = { kind: "paragraph", text: "", term: "" };
      this.#paragraph = [];
      this.blocks.push(this.#paragraphBlock);
    }
    const [first, second] = this.#paragraph;
    if (first !== undefined && second === undefined && explains(line, first)) {
      this.#paragraphBlock.term = first.trim();
      this.#paragraphBlock.text = line.trim();
    } else {
      const before = this.#paragraphBlock.text;
      this.#paragraphBlock.text = before === "" ? line.trim() : `${before} ${line.trim()}`;
    }
    this.#paragraph.push(line);
  }

  /** A list goes on over blank lines, where an item or a deeper line follows. */
  #closeText(): void {
    this.#paragraphBlock = null;
    this.#isItemOpen = false;
  }

  #closeAll(): void {
    this.#closeText();
    this.#list = null;
    this.#table = null;
  }
}

/** Whether a paragraph's second line explains its first, as the options of manual pages do. */
function explains(line: string, first: string): boolean {
  const depth = (of: string) => of.length - of.trimStart().length;
  return first.length <= TERM_LONGEST && depth(line) >= depth(first) + 2;
}

/** `Grade: B; Days: 30` for a row below `| Grade | Days |`. */
function rowText(columns: string[], cells: string[]): string {
  const named = cells.flatMap((cell, at) => {
    const column = columns[at] ?? "";
    if (cell === "") return [];
    return [column === "" ? cell : `${column}: ${cell}`];
  });
  return named.join("; ");
}

const CODE_SPAN = /(`[^`\n]{1,500}`)/;

/** Without Markdown's emphasis, links and quotes; code stays as it is written. */
export function plainText(markdown: string): string {
  const parts = markdown.split(CODE_SPAN).map((part, at) => (at % 2 === 1 ? part : plain(part)));
  return parts.join("").replace(/\s+/gu, " ").trim();
}

const plain = (text: string) =>
  text
    .replace(/!?\[([^[\]]*)\]\([^)]{0,1000}\)/g, "$1")
    .replaceAll("**", "")
    .replace(/(?<![\p{L}\p{N}_])_([^_]{1,500})_(?![\p{L}\p{N}_])/gu, "$1")
    .replace(/(^|\s)\*(\S[^*]*)\*/g, "$1$2")
    .replace(/^\s*>+\s?/, "");
