import { foldSpace } from "../../../writing/fold-space.ts";
import type { CellRanges } from "./cell-ranges.ts";
import type { SheetWriter } from "./sheet-writer.ts";

/** The rows of a sheet as they are read, with what merged cells above cover. */
export class SheetRows {
  /** The column of the next cell, from 0. */
  column = 0;
  /** By column: of two cells in one column the last counts. */
  readonly #cells = new Map<number, string>();
  #number = 0;
  readonly #writer: SheetWriter;
  readonly #ranges: CellRanges;

  constructor(writer: SheetWriter, ranges: CellRanges) {
    this.#writer = writer;
    this.#ranges = ranges;
  }

  /** `number` counts from 1; 0: the next row. */
  open(number: number): void {
    const next = this.#number + 1;
    if (number > next && !this.#ranges.covers(number - 1)) this.#writer.skipRows();
    this.#number = number || next;
    this.#cells.clear();
    this.column = 0;
  }

  /** `columns` and `rows`: how many it covers. */
  put(value: string, target: string, columns = 1, rows = 1): void {
    const last = this.#number + rows - 1;
    const text = this.#ranges.textOf(foldSpace(value), target, this.#number, this.column, last);
    if (text !== "") this.#cells.set(this.column, text);
    this.column += columns;
  }

  /** Returns whether the row was empty. */
  close(): boolean {
    const isEmpty = this.#cells.size === 0;
    if (isEmpty && this.#ranges.covers(this.#number)) return true;
    if (!isEmpty) this.#ranges.cover(this.#cells, this.#number);
    const cells = [...this.#cells].sort(([a], [b]) => a - b);
    this.#writer.addRow({
      columns: cells.map(([column]) => column),
      cells: cells.map(([, cell]) => cell),
    });
    return isEmpty;
  }
}
