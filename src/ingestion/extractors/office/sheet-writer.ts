import { foldSpace } from "../fold-space.ts";
import { LongTable } from "../long-table.ts";
import type { MarkdownBuilder } from "../markdown-builder.ts";

/** Wider rows are broken: no table shows them, and each of their cells would cost all others. */
const MAX_COLUMNS = 2_000;

const isCaption = (row: string[]) => row.filter((cell) => cell !== "").length === 1;

/**
 * Turns the rows of a sheet into tables: empty rows divide them, and rows with a single cell
 * before a table are its caption. A row is an array of cell texts by column.
 */
export class SheetWriter {
  #hasCaption = false;
  /** Written before the first row: a sheet without text has no heading. */
  #sheet: { page: number; name: string } | null;
  readonly #table: LongTable;
  readonly #out: MarkdownBuilder;

  constructor(out: MarkdownBuilder, sheet: { page: number; name: string } | null = null) {
    this.#out = out;
    this.#sheet = sheet;
    this.#table = new LongTable(out);
  }

  /** Whatever comes next belongs to the sheet. */
  begin(): void {
    if (this.#sheet === null) return;
    this.#out.page(this.#sheet.page);
    this.#out.heading(1, this.#sheet.name);
    this.#sheet = null;
  }

  addRow(cells: string[]): void {
    if (cells.length <= MAX_COLUMNS) {
      this.#addRow(cells);
      return;
    }
    for (let at = 0; at < cells.length; at += MAX_COLUMNS) {
      const part = cells.slice(at, at + MAX_COLUMNS);
      if (part.some((cell) => cell !== undefined && foldSpace(cell) !== "")) this.#addRow(part);
    }
  }

  #addRow(cells: string[]): void {
    const row = Array.from(cells, (cell) => foldSpace(cell ?? ""));
    if (row.every((cell) => cell === "")) {
      // A row that stands alone between empty ones may be the header of what follows.
      if (this.#table.length !== 1 || this.#hasCaption) this.endTable();
      return;
    }
    this.begin();
    if (this.#table.length === 0 && isCaption(row)) {
      this.#hasCaption = true;
      this.#out.paragraph(row.join(" "));
    } else this.#table.add([row]);
  }

  endTable(): void {
    this.#hasCaption = false;
    this.#table.end();
  }
}
