import { checkRowSize, checkCellSize } from "./bounded-text.ts";

/**
 * The cells of a row, by their columns in ascending order: a sheet can leave thousands empty.
 * `blocks`: the blocks of each cell; null for a copy of a cell above or beside it.
 */
export type FilledRow = { columns: number[]; cells: string[]; blocks?: (BlockList | null)[] };

export type BlockTarget = {
  heading: (level: number, text: string) => void;
  /** `depth` 0 is the outermost list; `marker` is `-` or a number with its point. */
  listItem: (depth: number, marker: string, text: string) => void;
  itemParagraph: (depth: number, text: string) => void;
  quote: (text: string) => void;
  paragraph: (text: string) => void;
  code: (text: string, language?: string) => void;
  /** Returns the columns that are used, which the rows of `moreRows` continue. */
  filledTable: (rows: FilledRow[], hasHeader?: boolean) => number[];
  moreRows: (rows: FilledRow[], columns: number[]) => void;
  raw: (markdown: string) => void;
  page: (page: number) => void;
};

/** `frame`: a table without columns. */
type Kind = "title" | "heading" | "text" | "code" | "table" | "frame" | "note" | "page";
export type Block = { kind: Kind; text: string; write: (out: BlockTarget) => void };

/** In characters: a block or a cell takes more memory and time than its text. */
export const PIECE_COST = 32;
/** Tables in cells of tables: the blocks of each are copied into the cell around it. */
export const MAX_NESTED_TABLES = 8;
const LONG_CHARACTERS = 1_000;
const LONG_BLOCKS = 3;
const LONG_IN_ONE_ROW = 200;

/** The blocks of a cell or a slide, until it is known how they are written. */
export class BlockList implements BlockTarget {
  readonly blocks: Block[] = [];
  characters = 0;
  /** Its blocks but for marks of pages. */
  length = 0;
  /** Its blocks, and the cells of its tables. */
  pieces = 0;

  /** @throws UnreadableDocument when it becomes unrealistically large. */
  add(kind: Kind, text: string, write: Block["write"], pieces = 1): void {
    if (kind !== "page" && text.trim() === "") return;
    this.characters = checkCellSize(this.characters + text.length);
    this.pieces += pieces;
    if (kind !== "page") this.length++;
    checkRowSize(this.cost);
    this.blocks.push({ kind, text, write });
  }

  heading(level: number, text: string): void {
    this.add("heading", text, (out) => out.heading(level, text));
  }

  paragraph(text: string): void {
    this.add("text", text, (out) => out.paragraph(text));
  }

  quote(text: string): void {
    this.add("text", text, (out) => out.quote(text));
  }

  code(text: string, language = ""): void {
    const kind = text.trim().includes("\n") ? "code" : "text";
    this.add(kind, text, (out) => out.code(text, language));
  }

  listItem(depth: number, marker: string, text: string): void {
    const label = marker === "-" ? "" : `${marker} `;
    this.add("text", label + text, (out) => out.listItem(depth, marker, text));
  }

  itemParagraph(depth: number, text: string): void {
    this.add("text", text, (out) => out.itemParagraph(depth, text));
  }

  filledTable(blocks: FilledRow[], hasHeader = true): number[] {
    const rows = blocks.map(({ columns, cells }) => ({ columns, cells }));
    const columns = columnsInUse(rows);
    const kind = rows.length > 1 && columns.length > 1 ? "table" : "frame";
    this.#addRows(kind, rows, (out) => void out.filledTable(rows, hasHeader));
    return columns;
  }

  moreRows(blocks: FilledRow[], used: number[]): void {
    const rows = blocks.map(({ columns, cells }) => ({ columns, cells }));
    this.#addRows("table", rows, (out) => out.moreRows(rows, used));
  }

  #addRows(kind: Kind, rows: FilledRow[], write: Block["write"]): void {
    const texts = rows.flatMap(({ cells }) => cells);
    this.add(kind, texts.join("\n"), write, texts.length);
  }

  raw(markdown: string): void {
    this.add("text", markdown, (out) => out.raw(markdown));
  }

  page(page: number): void {
    this.add("page", "", (out) => out.page(page));
  }

  writeTo(out: BlockTarget): void {
    for (const { write } of this.blocks) write(out);
  }

  writePages(out: BlockTarget): void {
    for (const { kind, write } of this.blocks) if (kind === "page") write(out);
  }

  get cost(): number {
    return this.characters + this.pieces * PIECE_COST;
  }

  get text(): string {
    return this.blocks.map(({ text }) => text).join("\n");
  }

  /** Whether it holds what no value has: a table, lines of code, or a heading with text. */
  get hasStructure(): boolean {
    const has = (kind: Kind) => this.blocks.some((block) => block.kind === kind);
    return has("table") || has("code") || (has("heading") && has("text"));
  }

  /** Whether a cell holds more than a value. */
  get isDocument(): boolean {
    const isLong = this.length >= LONG_BLOCKS && this.characters > LONG_CHARACTERS;
    return isLong || this.hasStructure;
  }

  /** Whether a cell of a table of one row holds more than a value. */
  get isPassage(): boolean {
    const { characters, length } = this;
    return characters > LONG_IN_ONE_ROW || length >= LONG_BLOCKS || this.hasStructure;
  }

  get isHeading(): boolean {
    return this.blocks.find(({ kind }) => kind !== "page")?.kind === "heading";
  }
}

export function columnsInUse(rows: FilledRow[]): number[] {
  const used = new Set<number>();
  for (const { columns } of rows) for (const column of columns) used.add(column);
  return [...used].sort((a, b) => a - b);
}
