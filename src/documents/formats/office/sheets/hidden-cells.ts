import { countNote } from "../../../notes.ts";
import type { FilledRow } from "../../../writing/table-text.ts";

const MAX_COLUMNS = 16_384;

/** The numbers of hidden rows and columns with text, in all sheets of a document. */
export type HiddenCount = { rows: number; columns: number };

export class HiddenCells {
  #columns: Uint8Array | null = null;
  readonly #met = new Set<number>();
  readonly #count: HiddenCount;

  constructor(count: HiddenCount) {
    this.#count = count;
  }

  hideColumns(first: number, count: number): void {
    if (!(first >= 0 && count > 0)) return;
    this.#columns ??= new Uint8Array(MAX_COLUMNS);
    this.#columns.fill(1, first, first + count);
  }

  /** The visible cells of a row that is repeated `times` times; null for a hidden row. */
  shown(row: FilledRow, isHidden: boolean, times = 1): FilledRow | null {
    if (isHidden) {
      if (row.cells.length > 0) this.#count.rows += times;
      return null;
    }
    const hidden = this.#columns;
    if (hidden === null) return row;
    const shown: FilledRow = { columns: [], cells: [] };
    for (const [at, column] of row.columns.entries()) {
      if (hidden[column] === 1) this.#meet(column);
      else {
        shown.columns.push(column);
        shown.cells.push(row.cells[at] ?? "");
      }
    }
    return shown;
  }

  #meet(column: number): void {
    if (this.#met.has(column)) return;
    this.#met.add(column);
    this.#count.columns++;
  }
}

export const hiddenCellNotes = ({ rows, columns }: HiddenCount) => [
  ...countNote(rows, "hidden row", "left out"),
  ...countNote(columns, "hidden column", "left out"),
];
