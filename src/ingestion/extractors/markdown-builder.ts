import type { PageStart } from "./extracted-document.ts";

const MAX_HEADING_LEVEL = 6;
const SETTLE_CHARACTERS = 1 << 17;
const LIST_INDENT = "   ";
const BLOCK_START = /^(#{1,6}(?=\s)|```|~~~)/gm;

/** One line of text: white space folded, control characters as space. */
export function foldSpace(text: string): string {
  return text.replace(/[\s\u0085\u00a0\u3000]+/gu, " ").trim();
}

/** Text of a paragraph: each line folded, blank lines dropped. */
function foldLines(text: string): string {
  const lines = text.split("\n").map((line) => foldSpace(line));
  return lines.filter((line) => line !== "").join("\n");
}

/** Writes Markdown block by block and knows where pages begin. */
export class MarkdownBuilder {
  /** Long flat texts, and the short pieces since the last of them. */
  readonly #settled: string[] = [];
  #pending: string[] = [];
  #pendingLength = 0;
  #length = 0;
  /** Set while the next block should follow without a blank line: items of one list. */
  #inList = false;
  readonly #pages: PageStart[] = [];

  /** Characters written so far. */
  get length(): number {
    return this.#length;
  }

  get pages(): PageStart[] {
    return this.#pages;
  }

  heading(level: number, text: string): void {
    const line = foldSpace(text);
    if (line === "") return;
    this.#block(`${"#".repeat(Math.min(Math.max(level, 1), MAX_HEADING_LEVEL))} ${line}`);
  }

  paragraph(text: string): void {
    const lines = foldLines(text);
    if (lines !== "") this.#block(escapeBlockStarts(lines));
  }

  /** `depth` 0 is the outermost list; `marker` is `-` or a number with its point. */
  listItem(depth: number, marker: string, text: string): void {
    const indent = LIST_INDENT.repeat(Math.max(depth, 0));
    const lines = escapeBlockStarts(foldLines(text));
    if (lines === "") return;
    const continued = lines.replaceAll("\n", `\n${indent}${" ".repeat(marker.length + 1)}`);
    this.#block(`${indent}${marker} ${continued}`, true);
  }

  /** The next item begins a new list. */
  endList(): void {
    this.#inList = false;
  }

  quote(text: string): void {
    const lines = foldLines(text);
    if (lines !== "") this.#block(lines.replaceAll(/^/gm, "> "));
  }

  /** Verbatim, in a fence longer than any inside. */
  code(text: string, language = ""): void {
    const body = text.replace(/^\n+|\s+$/g, "");
    if (body === "") return;
    const longest = Math.max(2, ...(body.match(/^`{3,}/gm) ?? []).map((run) => run.length));
    const fence = "`".repeat(longest + 1);
    this.#block(`${fence}${language}\n${body}\n${fence}`);
  }

  /** The first row is the header. Rows are padded to the widest; empty rows and columns go. */
  table(rows: string[][]): void {
    const text = tableMarkdown(rows);
    if (text !== "") this.#block(text);
  }

  /** Text that is Markdown already. */
  raw(markdown: string): void {
    const text = markdown.trim();
    if (text !== "") this.#block(text);
  }

  /** What is written from here on stands on this page. */
  page(page: number): void {
    const last = this.#pages.at(-1);
    const start = this.#length === 0 ? 0 : this.#length + 2;
    if (last?.page === page) return;
    if (last?.start === start) this.#pages.pop();
    this.#pages.push({ page, start });
    this.#inList = false;
  }

  toString(): string {
    this.#settle();
    const text = this.#settled.join("");
    this.#settled.splice(0, this.#settled.length, text);
    return text;
  }

  /** Joining copies: what is kept no longer holds on to the source that it was cut from. */
  #settle(): void {
    this.#settled.push(this.#pending.join(""));
    this.#pending = [];
    this.#pendingLength = 0;
  }

  #block(text: string, isItem = false): void {
    const gap = this.#length === 0 ? "" : isItem && this.#inList ? "\n" : "\n\n";
    this.#inList = isItem;
    this.#pending.push(gap, text);
    this.#pendingLength += gap.length + text.length;
    this.#length += gap.length + text.length;
    if (this.#pendingLength > SETTLE_CHARACTERS) this.#settle();
  }
}

/** Keeps a paragraph that begins with `#` or a fence from becoming a heading or code. */
function escapeBlockStarts(text: string): string {
  return text.replace(BLOCK_START, "\\$1");
}

const cellText = (cell: string) => foldSpace(cell).replaceAll("|", "\\|");

/** A pipe table, or the text alone where there is but one cell a row. Empty for no text. */
function tableMarkdown(rows: string[][]): string {
  const filled = rows.map((row) => row.map(cellText)).filter((row) => row.some(Boolean));
  if (filled.length === 0) return "";
  const width = Math.max(...filled.slice(0, 1_000).map((row) => row.length), 1);
  const used = usedColumns(filled, width);
  if (used.length === 1) return filled.map((row) => row[used[0] ?? 0] ?? "").join("\n\n");
  const lines = filled.map((row) => `| ${used.map((column) => row[column] ?? "").join(" | ")} |`);
  const rule = `|${" --- |".repeat(used.length)}`;
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

function usedColumns(rows: string[][], width: number): number[] {
  const used = new Set<number>();
  for (const row of rows) {
    for (const [column, cell] of row.entries()) if (cell !== "") used.add(column);
  }
  const columns = [...used].sort((a, b) => a - b);
  return columns.length === 0
    ? [0]
    : columns.filter((column) => column < width || used.has(column));
}
