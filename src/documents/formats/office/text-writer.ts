import { longer } from "../../writing/bounded-text.ts";
import { LongTable } from "../../writing/long-table.ts";
import type { BlockTarget, MarkdownBuilder } from "../../writing/markdown-builder.ts";
import type { FilledRow } from "../../writing/table-text.ts";
import { writeDrawing, type Drawing } from "./drawings.ts";
import { markerFor } from "./list-labels.ts";

export const CODE_STYLE = /^(source ?code|html preformatted|preformatted text|code|code block)$/i;
export const QUOTE_STYLE = /^(intense )?quote|^block ?text|^block quotation|^quotations$/i;

/** `level` is that of a heading, 0 for other text; `label` is null outside lists. */
export type TextFormat = { level: number; label: string | null; depth: number; isQuote: boolean };

/** Writes the text of a word processor: its formats as blocks, drawings and pages after them. */
export class TextWriter {
  protected target: BlockTarget;
  protected page: number;
  protected readonly table: LongTable;
  protected readonly out: MarkdownBuilder;
  readonly #code: string[] = [];
  readonly #drawings: Drawing[] = [];
  readonly #notes: string[] = [];
  #pageFollows = false;

  constructor(out: MarkdownBuilder, page = 1) {
    this.out = out;
    this.target = out;
    this.page = page;
    this.table = new LongTable(out);
  }

  code(line: string): void {
    this.#code.push(line);
  }

  text(text: string, { level, label, depth, isQuote }: TextFormat): void {
    this.endCode();
    if (level > 0) this.target.heading(level, `${label ?? ""} ${text}`);
    else if (label !== null) {
      const { marker, prefix } = markerFor(label);
      this.target.listItem(depth, marker, prefix + text);
    } else if (isQuote) this.target.quote(text);
    else this.target.paragraph(text);
  }

  rows(rows: FilledRow[]): void {
    if (rows.length > 0) this.endCode();
    this.table.addFilled(rows);
  }

  endTable(): void {
    this.endCode();
    this.table.end();
    this.endBlock();
  }

  draw(drawing: Drawing): void {
    this.#drawings.push(drawing);
  }

  /** `isInside`: a paragraph or table has begun; the page before ends after it. */
  nextPage(isInside = false): void {
    this.page++;
    if (isInside) this.#pageFollows = true;
    else this.out.page(this.page);
  }

  endBlock(): void {
    for (const drawing of this.#drawings.splice(0)) this.writeDrawing(drawing);
    if (this.#pageFollows) this.out.page(this.page);
    this.#pageFollows = false;
  }

  /** Begins a note. Returns its mark, whose number counts the notes in the text. */
  openNote(): string {
    return `[^${this.#notes.push("")}]`;
  }

  /** Appends to the last note, untrimmed: trimming would copy it for each of its parts. */
  addToNote(text: string): void {
    this.#notes.push(longer(this.#notes.pop() ?? "", text));
  }

  /** Notes stand at the end, in the order of their marks. */
  finish(): void {
    this.endCode();
    this.endBlock();
    for (const [at, note] of this.#notes.entries())
      if (note.trim() !== "") this.out.paragraph(`[^${at + 1}]: ${note.trim()}`);
  }

  endCode(): void {
    if (this.#code.length > 0) this.target.code(this.#code.splice(0).join("\n"));
  }

  protected writeDrawing(drawing: Drawing): void {
    writeDrawing(drawing, this.target);
  }
}
