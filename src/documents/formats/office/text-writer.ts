import type { BlockTarget, FilledRow } from "../../writing/block-list.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { LinkedText } from "../../writing/link-text.ts";
import { LongTable } from "../../writing/long-table.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { writeDrawing, type Drawing } from "./drawings.ts";
import { markerFor } from "./list-labels.ts";
import { NestedTables } from "./nested-tables.ts";
import type { TextStyle } from "./text-styles.ts";

/** `label`: what an item shows, empty for bullets; null outside lists. `depth` counts from 0. */
export type ListMark = { label: string | null; depth: number };

/** `level` is that of a heading, 0 for other text; `mark` counts the paragraph in its list. */
export type TextFormat = {
  style: Pick<TextStyle, "isCode" | "isQuote">;
  level: number;
  mark: () => ListMark;
};

/** Writes the text of a word processor: its formats as blocks, drawings and pages after them. */
export class TextWriter {
  readonly tables = new NestedTables();
  #target: BlockTarget;
  protected page: number;
  protected table: LongTable;
  protected readonly out: MarkdownBuilder;
  readonly #code: string[] = [];
  readonly #drawings: Drawing[] = [];
  readonly #notes: LinkedText[] = [];
  #pageFollows = false;
  #markedPage = 0;

  constructor(out: MarkdownBuilder, page = 1) {
    this.out = out;
    this.#target = out;
    this.page = page;
    this.table = new LongTable(out);
  }

  protected writeTo(target: BlockTarget): void {
    this.#target = target;
    this.table = new LongTable(target);
  }

  paragraph(text: string, { style, level, mark }: TextFormat): void {
    const target = this.tables.cell ?? this.#target;
    if (style.isCode) this.#code.push(text);
    else {
      this.endCode();
      const { label, depth } = mark();
      // A row may be counted by an empty paragraph with a number.
      if (foldSpace(text) === "" && !(label && this.tables.cell)) this.endBlock();
      else if (level > 0) target.heading(level, `${label ?? ""} ${text}`);
      else if (label !== null) {
        const { marker, prefix } = markerFor(label);
        target.listItem(depth, marker, prefix + text);
      } else if (style.isQuote) target.quote(text);
      else target.paragraph(text);
    }
    this.endBlock();
  }

  openTable(): void {
    this.endCode();
    this.tables.open();
  }

  /** The open row is a header: the table is one of values. */
  markHeader(): void {
    (this.tables.long ?? this.table).hasHeads = true;
  }

  closeCell(copies?: number): void {
    this.endCode();
    this.tables.closeCell(copies);
  }

  closeRow(): void {
    this.rows(this.tables.closeRow());
  }

  closeTable(): void {
    if (this.tables.close()) this.endTable();
    // A page that began in a cell with a value is marked behind the table.
    else if (this.#pageFollows) this.tables.cell?.page(this.page);
  }

  protected rows(rows: FilledRow[]): void {
    this.table.add(rows);
  }

  protected endTable(): void {
    this.table.end();
    this.endBlock();
  }

  /** @param text undefined for a part that is not read */
  addPart(text: string | undefined): void {
    if (text === undefined) this.out.leftOut.add("embedded part");
    else {
      this.endCode();
      (this.tables.cell ?? this.out).raw(text);
    }
  }

  draw(drawing: Drawing): void {
    this.#drawings.push(drawing);
  }

  /** `isInside`: a paragraph has begun; the page before ends after it. */
  nextPage(isInside = false): void {
    this.page++;
    if (isInside || this.tables.cell !== undefined) this.#pageFollows = true;
    else this.out.page(this.page);
    if (!isInside) this.#markPage();
  }

  /** A page that begins in a cell is marked there; after the table, if the cell holds a value. */
  #markPage(): void {
    const { page } = this;
    if (this.#pageFollows && this.#markedPage !== page) this.tables.cell?.page(page);
    this.#markedPage = page;
  }

  /** In a cell, drawings wait for the table's end. */
  endBlock(): void {
    this.#markPage();
    if (this.tables.cell !== undefined) return;
    for (const drawing of this.#drawings.splice(0)) this.writeDrawing(drawing);
    if (this.#pageFollows) this.out.page(this.page);
    this.#pageFollows = false;
  }

  /** Begins a note. Returns its mark, whose number counts the notes in the text. */
  openNote(): string {
    return `[^${this.#notes.push(new LinkedText())}]`;
  }

  /** Appends to the last note, untrimmed: trimming would copy it for each of its parts. */
  addToNote(text: string, height?: number): void {
    this.#notes.at(-1)?.add(text, height);
  }

  /** Notes stand at the end, in the order of their marks. */
  finish(): void {
    this.endCode();
    this.endBlock();
    for (const [at, note] of this.#notes.entries()) {
      const text = note.take().trim();
      if (text !== "") this.out.paragraph(`[^${at + 1}]: ${text}`);
    }
  }

  protected endCode(): void {
    if (this.#code.length > 0)
      (this.tables.cell ?? this.#target).code(this.#code.splice(0).join("\n"));
  }

  protected writeDrawing(drawing: Drawing): void {
    writeDrawing(drawing, this.#target);
  }
}
