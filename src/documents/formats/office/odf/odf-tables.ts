import { longer, withinBound } from "../../../writing/bounded-text.ts";
import { addCell, charactersOf, type FilledRow } from "../../../writing/table-text.ts";
import type { XmlAttributes } from "../../xml/xml-stream.ts";

/** Limit of the copies of a repeated cell or row: the rest of a sheet is one repetition. */
export const MAX_REPEAT = 200;
const MAX_COLUMNS = 16_384;

const emptyRow = (): FilledRow => ({ columns: [], cells: [] });
const emptyTable = () => ({
  rows: new Array<FilledRow>(),
  row: emptyRow(),
  cell: "",
  characters: 0,
  rowCharacters: 0,
  column: 0,
  columns: 1,
  repeat: 1,
});
type OpenTable = ReturnType<typeof emptyTable>;

const repeatOf = (text: string) => Math.max(1, Math.floor(Number(text)) || 1);

/** The open tables, nested in each other's cells; rows of the outermost are handed out. */
export class OdfTables {
  readonly #open: OpenTable[] = [];

  get depth(): number {
    return this.#open.length;
  }

  open(): void {
    this.#open.push(emptyTable());
  }

  /** The innermost table; outside of tables one that nothing is read from. */
  get #table(): OpenTable {
    return this.#open.at(-1) ?? emptyTable();
  }

  openRow({ "number-rows-repeated": repeat = "1" }: XmlAttributes): void {
    Object.assign(this.#table, {
      row: emptyRow(),
      rowCharacters: 0,
      column: 0,
      repeat: repeatOf(repeat),
    } satisfies Partial<OpenTable>);
  }

  openCell({ "number-columns-repeated": repeat = "1" }: XmlAttributes): void {
    Object.assign(this.#table, { cell: "", columns: repeatOf(repeat) });
  }

  write(text: string): void {
    const table = this.#table;
    table.cell = longer(table.cell, `${text}\n`);
  }

  /** @throws UnreadableDocument when repetitions make a row longer than any real one. */
  closeCell(): void {
    const table = this.#table;
    const { cell, column, columns } = table;
    const count = Math.min(columns, MAX_REPEAT, Math.max(0, MAX_COLUMNS - column));
    table.rowCharacters = withinBound(table.rowCharacters + cell.length * count);
    if (cell !== "") for (let at = 0; at < count; at++) addCell(table.row, column + at, cell);
    // If a cell is written fewer times than it is repeated, the next cells keep their columns.
    table.column += columns;
  }

  closeRow(): FilledRow[] {
    const table = this.#table;
    const { row } = table;
    const count = row.cells.length === 0 ? 1 : Math.min(table.repeat, MAX_REPEAT);
    const rows = Array.from({ length: count }, () => row);
    if (this.#open.length < 2) return rows;
    table.characters = withinBound(table.characters + charactersOf(row) * count);
    table.rows.push(...rows);
    return [];
  }

  /** Returns whether the outermost table ended; an inner one becomes text of its cell. */
  close(): boolean {
    const closed = this.#open.pop();
    if (closed === undefined) return false;
    if (this.#open.length > 0) this.write(closed.rows.flatMap(({ cells }) => cells).join("\n"));
    return this.#open.length === 0;
  }
}
