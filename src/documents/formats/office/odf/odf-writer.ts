import { foldSpace } from "../../../writing/fold-space.ts";
import { LongTable } from "../../../writing/long-table.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { filledRow } from "../../../writing/table-text.ts";
import type { FilledRow } from "../../../writing/table-text.ts";
import { markerFor } from "../list-labels.ts";
import type { OdfItem } from "./odf-lists.ts";
import type { OdfObject } from "./odf-objects.ts";
import { SheetWriter } from "../sheets/sheet-writer.ts";
import { writeSlideBlocks } from "../slides/slide-writer.ts";
import type { SlideBlock } from "../slides/slide-writer.ts";

/** `spreadsheet`: tables are sheets. `presentation`: pages are slides. */
export type OdfKind = "text" | "spreadsheet" | "presentation";

/** Writes an OpenDocument file: text as it is read, sheets row by row, slides when they end. */
export class OdfWriter {
  /** Number of the current page, slide or sheet; of text pages as far as the file records them. */
  #page = 0;
  #code: string[] = [];
  #slide: SlideBlock[] | null = null;
  #sheet: SheetWriter | null = null;
  readonly #charts: OdfObject[] = [];
  readonly #table: LongTable;
  readonly #out: MarkdownBuilder;
  readonly #kind: OdfKind;

  constructor(kind: OdfKind, out: MarkdownBuilder) {
    this.#kind = kind;
    this.#out = out;
    this.#table = new LongTable(out);
  }

  nextPage(): void {
    if (this.#kind === "text") this.#out.page(++this.#page);
  }

  /** `isHidden`: a hidden slide counts as a page, too. */
  openSlide(isHidden: boolean): void {
    this.#page++;
    this.#slide = isHidden ? null : [];
  }

  closeSlide(): void {
    if (this.#slide !== null) writeSlideBlocks(this.#slide, this.#out, this.#page);
    this.#slide = null;
  }

  openSheet(name: string | undefined, isHidden: boolean): void {
    const page = ++this.#page;
    const sheet = { page, name: name ?? `Sheet ${page}` };
    this.#sheet = isHidden ? null : new SheetWriter(this.#out, sheet);
  }

  code(line: string): void {
    this.#code.push(line);
  }

  heading(level: number, text: string): void {
    this.#begin();
    if (this.#slide === null) this.#out.heading(level, text);
    else this.#slide.push({ kind: "paragraph", text });
  }

  item({ depth, label }: OdfItem, text: string): void {
    this.#begin();
    const { marker, prefix } = markerFor(label);
    const whole = prefix + text;
    if (this.#slide === null) this.#out.listItem(depth, marker, whole);
    else this.#slide.push({ kind: "item", depth, marker, text: whole });
  }

  paragraph(text: string): void {
    this.#begin();
    if (this.#slide === null) this.#out.paragraph(text);
    else this.#slide.push({ kind: "paragraph", text });
  }

  quote(text: string): void {
    this.#begin();
    this.#out.quote(text);
  }

  slideTitle(text: string): void {
    this.#slide?.push({ kind: "title", text: foldSpace(text) });
  }

  slideNote(text: string): void {
    this.#slide?.push({ kind: "note", text });
  }

  chart(chart: OdfObject): void {
    this.#charts.push(chart);
  }

  rows(rows: FilledRow[]): void {
    for (const row of rows) {
      if (this.#kind === "spreadsheet") this.#sheet?.addRow(row);
      else this.#table.addFilled([row]);
    }
  }

  endTable(): void {
    this.#begin();
    if (this.#slide === null) this.#table.end();
    else this.#slide.push({ kind: "table", rows: this.#table.take() });
    this.#sheet?.endTable();
    this.endBlock();
    this.#sheet = null;
  }

  endBlock(): void {
    for (const { texts, rows } of this.#charts.splice(0)) {
      this.#sheet?.begin();
      for (const text of texts) this.paragraph(text);
      // A sheet's chart shows data of its cells.
      if (this.#kind === "spreadsheet") continue;
      if (this.#slide === null) this.#out.table(rows);
      else if (rows.length > 0) this.#slide.push({ kind: "table", rows: rows.map(filledRow) });
    }
  }

  finish(): void {
    this.#begin();
    this.endBlock();
  }

  #begin(): void {
    if (this.#code.length === 0) return;
    const text = this.#code.splice(0).join("\n");
    if (this.#slide === null) this.#out.code(text);
    else this.#slide.push({ kind: "paragraph", text });
  }
}
