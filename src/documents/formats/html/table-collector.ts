import { LongTable } from "../../writing/long-table.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { MAX_REPEATED } from "../../writing/table-text.ts";

const MAX_SPAN = 200;
const MAX_COLUMNS = 2_000;
const MANY_ROWS = 1_000;
const MANY_CELLS = 20_000;
const FREE_EMPTY_CELLS = 2_000;
const EMPTY_CELLS_A_CELL = 20;

/** The rows of one table. Spans leave empty cells, within bounds, so that columns stay aligned. */
export class TableCollector {
  readonly rows: string[][] = [];
  #row: string[] = [];
  /** By column: the rows that a cell above covers, and its text, which is repeated in each. */
  readonly #covered: { rows: number; text: string }[] = [];
  #cells = 0;
  /** Cells of `rows`, about. */
  #held = 0;
  #spanned = 0;
  readonly #long: LongTable;

  constructor(out: MarkdownBuilder) {
    this.#long = new LongTable(out);
  }

  /** Whether rows were handed on already: a table of many is written as it is read. */
  get isLong(): boolean {
    return this.#long.length > 0;
  }

  startRow(): void {
    this.#skipCovered();
    this.#row = [];
    this.rows.push(this.#row);
    this.#skipCovered();
    if (this.rows.length < MANY_ROWS && this.#held < MANY_CELLS) return;
    this.#held = 0;
    this.#long.add(this.rows.splice(0, this.rows.length - 1));
  }

  addCell(text: string, columnSpan = 1, rowSpan = 1): void {
    if (this.rows.length === 0) this.startRow();
    this.#skipCovered();
    if (this.#row.length >= MAX_COLUMNS) {
      // Columns that cells above cover must not fill the next row as well.
      this.#covered.length = 0;
      this.startRow();
    }
    const room = MAX_COLUMNS - this.#row.length;
    const { columns, rows } = this.#spanOf(Math.min(clampSpan(columnSpan), room), rowSpan);
    this.#held += columns;
    for (let at = 0; at < columns; at++) {
      const cell = at === 0 ? text : "";
      const isRepeated = rows > 1 && cell.length <= MAX_REPEATED;
      this.#covered[this.#row.length] = { rows: rows - 1, text: isRepeated ? cell : "" };
      this.#row.push(cell);
    }
  }

  /** Writes the table. */
  end(): void {
    this.#skipCovered();
    this.#long.add(this.rows);
    this.#long.end();
  }

  #spanOf(columnSpan: number, rowSpan: number): { columns: number; rows: number } {
    const span = { columns: columnSpan, rows: clampSpan(rowSpan) };
    const empty = span.columns * span.rows - 1;
    const most = FREE_EMPTY_CELLS + ++this.#cells * EMPTY_CELLS_A_CELL;
    if (this.#spanned + empty > most) return { columns: 1, rows: 1 };
    this.#spanned += empty;
    return span;
  }

  #skipCovered(): void {
    for (;;) {
      const above = this.#covered[this.#row.length];
      if (above === undefined || above.rows === 0) return;
      above.rows--;
      this.#row.push(above.text);
    }
  }
}

function clampSpan(span: number): number {
  return Number.isFinite(span) ? Math.min(Math.max(Math.trunc(span), 1), MAX_SPAN) : 1;
}
