import {
  walkParts,
  ITEM_COST,
  runToEnd,
  type CooperativeWork,
} from "../../core/work/cooperative.ts";
import type { Extraction, PageStart } from "../extracted-document.ts";
import { Omissions } from "../notes.ts";
import type { BlockTarget, FilledRow } from "./block-list.ts";
import { CompactText } from "./compact-text.ts";
import { foldSpace } from "./fold-space.ts";
import { filledRow, rowsText, tableText } from "./table-text.ts";

const MAX_HEADING_LEVEL = 6;
const LIST_INDENT = "   ";
const MAX_LIST_DEPTH = 40;
const BEFORE_FENCE = /(?:^|\n) {0,3}$/;
const BLOCK_START = /^(#{1,6}(?=\s)|```|~~~)/gm;

/** As `foldSpace` of each line, without empty ones: in few passes, as lines may be a million. */
const foldLines = (text: string) =>
  text
    .replace(/[^\S\n ]|\u0085/g, " ")
    .replace(/ {2,}/g, " ")
    .replace(/ \n[ \n]*|\n[ \n]+/g, "\n")
    .trim();

const indentOf = (depth: number) =>
  LIST_INDENT.repeat(Math.min(Math.max(depth, 0), MAX_LIST_DEPTH));

export class MarkdownBuilder implements BlockTarget {
  readonly #text = new CompactText();
  readonly #firstHeadings = new Map<number, string>();
  /** Set while the next block should follow without a blank line: items of one list. */
  #inList = false;
  readonly pages: PageStart[] = [];
  readonly leftOut = new Omissions();

  get length(): number {
    return this.#text.length;
  }

  /** The first heading of level 1, or of another level down to `lowest`; null when there is none. */
  firstHeading(lowest = 1): string | null {
    const levels = Array.from({ length: lowest }, (_unused, at) => this.#firstHeadings.get(at + 1));
    return levels.find((heading) => heading !== undefined) ?? null;
  }

  heading(level: number, text: string): void {
    const line = foldSpace(text);
    if (line === "") return;
    const depth = Math.min(Math.max(level, 1), MAX_HEADING_LEVEL);
    if (!this.#firstHeadings.has(depth)) this.#firstHeadings.set(depth, line);
    this.#block(`${"#".repeat(depth)} ${line}`);
  }

  paragraph(text: string): void {
    const lines = foldLines(text);
    if (lines !== "") this.#block(escapeBlockStarts(lines));
  }

  /** `depth` 0 is the outermost list; `marker` is `-` or a number with its point. */
  listItem(depth: number, marker: string, text: string): void {
    const indent = indentOf(depth);
    const lines = escapeBlockStarts(foldLines(text));
    if (lines === "") return;
    const continued = lines.replaceAll("\n", `\n${indent}${" ".repeat(marker.length + 1)}`);
    this.#block(`${indent}${marker} ${continued}`, true);
  }

  /** A further paragraph of the item just written; the list continues after it. */
  itemParagraph(depth: number, text: string): void {
    const lines = escapeBlockStarts(foldLines(text));
    if (lines === "") return;
    this.#inList = false;
    this.#block(lines.replaceAll(/^/gm, indentOf(depth) + LIST_INDENT), true);
  }

  endList(): void {
    this.#inList = false;
  }

  quote(text: string): void {
    const lines = foldLines(text);
    if (lines !== "") this.#block(lines.replaceAll(/^/gm, "> "));
  }

  code(text: string, language = ""): void {
    runToEnd(this.longCode(text, language));
  }

  /** Verbatim, in a fence longer than any inside. */
  *longCode(text: string, language: string): CooperativeWork<void> {
    const body = text.replace(/^\n+/, "").trimEnd();
    if (body === "") return;
    let longest = 2;
    for (let at = body.indexOf("```"), end = at; at >= 0; at = body.indexOf("```", end)) {
      for (end = at; body[end] === "`";) end++;
      const isFence = BEFORE_FENCE.test(body.slice(Math.max(0, at - 4), at));
      if (isFence) longest = Math.max(longest, end - at);
      yield ITEM_COST;
    }
    const fence = "`".repeat(longest + 1);
    this.#block(`${fence}${language}\n`);
    yield* walkParts(body, (part) => this.#text.append(part));
    this.#text.append(`\n${fence}`);
  }

  /** @param hasHeader whether the first row is the header; an empty one is written otherwise */
  table(rows: string[][], hasHeader = true): void {
    this.filledTable(rows.map(filledRow), hasHeader);
  }

  /** Empty rows and columns are dropped; returns the remaining columns. */
  filledTable(rows: FilledRow[], hasHeader = true): number[] {
    const { lines, columns } = tableText(rows, hasHeader);
    if (lines.length > 0) this.#block(lines.join(columns.length === 1 ? "\n\n" : "\n"));
    return columns;
  }

  moreRows(rows: FilledRow[], columns: number[]): void {
    const gap = columns.length === 1 ? "\n\n" : "\n";
    for (const line of rowsText(rows, columns)) this.#text.append(gap + line);
  }

  raw(markdown: string): void {
    const text = markdown.trim();
    if (text !== "") this.#block(text);
  }

  appendRaw(markdown: string): void {
    this.#text.append(markdown);
  }

  page(page: number): void {
    const last = this.pages.at(-1);
    const start = this.length === 0 ? 0 : this.length + 2;
    if (last?.page === page) return;
    if (last?.start === start) this.pages.pop();
    this.pages.push({ page, start });
    this.#inList = false;
  }

  /** The text with its pages, and notes on what was left out before other `notes`. */
  extraction({ notes = [], ...facts }: Partial<Extraction> = {}): Extraction {
    const usual = { text: this, title: null, language: null, pages: this.pages };
    return { ...usual, ...facts, notes: [...this.leftOut.notes, ...notes] };
  }

  /** The whole text, once; this object is empty afterwards. */
  take(): string {
    return this.#text.take();
  }

  #block(text: string, isItem = false): void {
    const gap = this.length === 0 ? "" : isItem && this.#inList ? "\n" : "\n\n";
    this.#inList = isItem;
    this.#text.append(gap + text);
  }
}

/** Keeps a paragraph that begins with `#` or a fence from becoming a heading or code. */
function escapeBlockStarts(text: string): string {
  return text.replace(BLOCK_START, "\\$1");
}
