import { longer } from "../bounded-text.ts";
import type { XmlAttributes } from "../xml/xml-stream.ts";

type OpenTable = {
  /** Of tables within others. */
  rows: string[][];
  row: string[];
  cell: string;
  columns: number;
  repeat: number;
};

/** A repeated cell or row is written so many times at most: the rest of a sheet is one repetition. */
export const MAX_REPEAT = 200;
/** As many as a sheet can have. */
const MAX_COLUMNS = 16_384;

/** Tables that are open, one inside the other's cell; rows of the outermost are given away. */
export class OdfTables {
  readonly #open: OpenTable[] = [];

  get depth(): number {
    return this.#open.length;
  }

  open(): void {
    this.#open.push({ rows: [], row: [], cell: "", columns: 1, repeat: 1 });
  }

  openRow({ "number-rows-repeated": repeat = "1" }: XmlAttributes): void {
    const table = this.#open.at(-1);
    if (table !== undefined) Object.assign(table, { row: [], repeat: Number(repeat) });
  }

  openCell({ "number-columns-repeated": repeat = "1" }: XmlAttributes): void {
    const table = this.#open.at(-1);
    if (table !== undefined) Object.assign(table, { cell: "", columns: Number(repeat) || 1 });
  }

  /** Returns whether there is a cell that takes the text. */
  write(text: string): boolean {
    const table = this.#open.at(-1);
    if (table !== undefined) table.cell = longer(table.cell, `${text}\n`);
    return table !== undefined;
  }

  closeCell(): void {
    const table = this.#open.at(-1);
    if (table === undefined) return;
    const room = Math.max(0, MAX_COLUMNS - table.row.length);
    const count = Math.min(table.columns, MAX_REPEAT, room);
    for (let at = 0; at < count; at++) table.row.push(table.cell);
  }

  /** Rows of the outermost table that are whole now. */
  closeRow(): string[][] {
    const table = this.#open.at(-1);
    if (table === undefined) return [];
    const isEmpty = table.row.every((cell) => cell.trim() === "");
    const count = isEmpty ? 1 : Math.min(table.repeat, MAX_REPEAT);
    const rows = Array.from({ length: count }, () => table.row);
    if (this.#open.length === 1) return rows;
    table.rows.push(...rows);
    return [];
  }

  /** Returns whether the outermost table ended; an inner one becomes text of its cell. */
  close(): boolean {
    const table = this.#open.pop();
    const outer = this.#open.at(-1);
    if (table === undefined) return false;
    if (outer !== undefined) outer.cell = longer(outer.cell, `${table.rows.flat().join("\n")}\n`);
    return outer === undefined;
  }
}
