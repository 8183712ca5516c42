import { foldSpace } from "../markdown-builder.ts";
import type { MarkdownBuilder } from "../markdown-builder.ts";

/** Sheets with more columns than this hold data that no table shows; the rest is cut. */
const MAX_COLUMNS = 2_000;

const isCaption = (row: string[]) => row.filter((cell) => cell !== "").length === 1;

/**
 * Turns the rows of a sheet into tables: empty rows divide them, and rows with a single cell
 * before a table are its caption. A row is an array of cell texts by column.
 */
export class SheetWriter {
  #rows: string[][] = [];
  readonly #out: MarkdownBuilder;

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  addRow(cells: string[]): void {
    const row = cells.slice(0, MAX_COLUMNS).map(foldSpace);
    if (row.some((cell) => cell !== "")) this.#rows.push(row);
    else if (!this.#hasHeaderOnly()) this.endTable();
  }

  /** A row that stands alone between empty ones may be the header of what follows. */
  #hasHeaderOnly(): boolean {
    const [only] = this.#rows;
    return this.#rows.length === 1 && only !== undefined && !isCaption(only);
  }

  endTable(): void {
    const rows = this.#rows;
    this.#rows = [];
    let captions = 0;
    while (captions < rows.length && isCaption(rows[captions] ?? [])) captions++;
    for (const row of rows.slice(0, captions)) this.#out.paragraph(row.join(" "));
    this.#out.table(rows.slice(captions));
  }
}
