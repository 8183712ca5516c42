import { BlockList, MAX_NESTED_TABLES, type FilledRow } from "../../writing/block-list.ts";
import { checkRowSize } from "../../writing/bounded-text.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { LongTable } from "../../writing/long-table.ts";
import { addCell, MAX_REPEATED } from "../../writing/table-text.ts";

/** Limit of the copies of a repeated cell or row: the rest of a sheet is one repetition. */
export const MAX_REPEAT = 200;
const MAX_COLUMNS = 16_384;

const emptyRow = () => ({ columns: [], cells: [], blocks: [] }) satisfies FilledRow;
/** `rowsBelow`: how many rows may continue it; `isContinued`: it continues the one above, if any. */
const EMPTY_CELL = { columns: 1, rowsBelow: Infinity, isContinued: false };
/** `long`: writes it into the cell that it stands in; null for the outermost. */
const emptyTable = (long: LongTable | null = null) => ({
  ...EMPTY_CELL,
  long,
  cell: new BlockList(),
  row: emptyRow() as FilledRow,
  rowCharacters: 0,
  column: 0,
  repeat: 1,
  /** Whether the row has text that no row above gives. */
  hasText: false,
  /** By column: the cell that may go on in the next row. */
  above: new Map<number, { cell: string; rowsBelow: number }>(),
});
type OpenTable = ReturnType<typeof emptyTable>;

/** The count of a repetition or a span. */
export const countOf = (text: string) => Math.max(1, Math.floor(Number(text)) || 1);

/** The open tables, nested in each other's cells; rows of the outermost are handed out. */
export class NestedTables {
  readonly #open: OpenTable[] = [];
  /** Open tables below the bound: their text is that of the cell around them. */
  #deeper = 0;

  /** The innermost cell, to which text belongs. */
  get cell(): BlockList | undefined {
    return this.#open.at(-1)?.cell;
  }

  open(): void {
    const { cell } = this;
    if (this.#open.length === MAX_NESTED_TABLES) this.#deeper++;
    else this.#open.push(emptyTable(cell === undefined ? null : new LongTable(cell)));
  }

  /** Writes the innermost table; null for the outermost. */
  get long(): LongTable | null {
    return this.#table.long;
  }

  /** The innermost table; outside of tables one that nothing is read from. */
  get #table(): OpenTable {
    return (this.#deeper === 0 ? this.#open.at(-1) : undefined) ?? emptyTable();
  }

  openRow(repeat = 1): void {
    const row = { row: emptyRow(), rowCharacters: 0, column: 0, repeat, hasText: false };
    Object.assign(this.#table, row satisfies Partial<OpenTable>);
  }

  skipColumns(count: number): void {
    if (count > 0) this.#table.column += Math.min(Math.floor(count), MAX_REPEAT);
  }

  openCell(columns = 1): void {
    Object.assign(this.#table, { ...EMPTY_CELL, cell: new BlockList(), columns });
  }

  changeCell(change: Partial<typeof EMPTY_CELL>): void {
    Object.assign(this.#table, change);
  }

  /**
   * The cell stands in the first `copies` of its columns.
   * @throws UnreadableDocument when repetitions make a row longer than any real one.
   */
  closeCell(copies = 1): void {
    const table = this.#table;
    const { cell: blocks, rowsBelow, column, columns, above } = table;
    const cell = foldSpace(blocks.text);
    const hasText = cell !== "";
    const isCovered = table.isContinued && !hasText;
    if (!isCovered) above.set(column, { cell: cell.length <= MAX_REPEATED ? cell : "", rowsBelow });
    const room = hasText || isCovered ? Math.max(0, MAX_COLUMNS - column) : 0;
    const count = Math.min(copies, columns, MAX_REPEAT, room);
    for (let at = column; at < column + count; at++) {
      const text = isCovered ? this.#takeCellAbove(at) : cell;
      table.rowCharacters = checkRowSize(table.rowCharacters + text.length);
      addCell(table.row, at, text, at > column || isCovered ? null : blocks);
    }
    // If a cell is written fewer times than it is repeated, the next cells keep their columns.
    table.column += columns;
    table.hasText ||= hasText;
  }

  #takeCellAbove(column: number): string {
    const above = this.#table.above.get(column);
    if (above === undefined || above.rowsBelow <= 0) return "";
    above.rowsBelow -= this.#table.repeat;
    return above.cell;
  }

  /** Returns rows of the outermost table. A row that only cells above cover is left out. */
  closeRow(): FilledRow[] {
    const { row, hasText, repeat, long } = this.#table;
    if (row.cells.length > 0 && !hasText) return [];
    const count = row.cells.length === 0 ? 1 : Math.min(repeat, MAX_REPEAT);
    const rows = Array.from({ length: count }, () => row);
    if (long === null) return rows;
    long.add(rows);
    return [];
  }

  /** Returns whether the outermost table ended. */
  close(): boolean {
    if (this.#deeper > 0) {
      this.#deeper--;
      return false;
    }
    const table = this.#open.pop();
    table?.long?.end();
    return table?.long === null;
  }
}
