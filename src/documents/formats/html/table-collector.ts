import type { BlockList, BlockTarget, FilledRow } from "../../writing/block-list.ts";
import { LongTable } from "../../writing/long-table.ts";
import { addCell, MAX_REPEATED } from "../../writing/table-text.ts";

const MAX_SPAN = 200;
const MAX_COLUMNS = 2_000;
const FREE_EMPTY_CELLS = 2_000;
const EMPTY_CELLS_A_CELL = 20;

/** The rows of one table. Spans leave empty cells, within bounds, so that columns stay aligned. */
export class TableCollector {
  readonly table: LongTable;
  #row: FilledRow | null = null;
  #column = 0;
  /** By column: the rows that a cell above covers, and its text, which is repeated in each. */
  readonly #covered: { rows: number; text: string }[] = [];
  #cells = 0;
  #spanned = 0;

  constructor(out: BlockTarget) {
    this.table = new LongTable(out);
  }

  startRow(): void {
    this.endRow();
    this.#row = { columns: [], cells: [], blocks: [] };
    this.#column = 0;
  }

  addCell(blocks: BlockList, columnSpan = 1, rowSpan = 1): void {
    const { text } = blocks;
    if (this.#row === null) this.startRow();
    this.#skipCovered();
    if (this.#column >= MAX_COLUMNS) {
      // Columns that cells above cover must not fill the next row as well.
      this.#covered.length = 0;
      this.startRow();
    }
    const room = MAX_COLUMNS - this.#column;
    const { columns, rows } = this.#spanOf(Math.min(clampSpan(columnSpan), room), rowSpan);
    if (this.#row !== null) addCell(this.#row, this.#column, text, blocks);
    for (let at = 0; at < columns; at++) {
      const isRepeated = at === 0 && rows > 1 && text.length <= MAX_REPEATED;
      this.#covered[this.#column++] = { rows: rows - 1, text: isRepeated ? text : "" };
    }
  }

  endRow(): void {
    this.#skipCovered();
    if (this.#row !== null) this.table.add([this.#row]);
    this.#row = null;
  }

  /** Writes the table. */
  end(): void {
    this.endRow();
    this.table.end();
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
    if (this.#row === null) return;
    for (;;) {
      const above = this.#covered[this.#column];
      if (above === undefined || above.rows === 0) return;
      above.rows--;
      addCell(this.#row, this.#column++, above.text);
    }
  }
}

function clampSpan(span: number): number {
  return Number.isFinite(span) ? Math.min(Math.max(Math.trunc(span), 1), MAX_SPAN) : 1;
}
