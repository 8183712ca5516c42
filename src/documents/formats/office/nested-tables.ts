import { longer, withinBound } from "../../writing/bounded-text.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { addCell, charactersOf, MAX_REPEATED, type FilledRow } from "../../writing/table-text.ts";

/** Limit of the copies of a repeated cell or row: the rest of a sheet is one repetition. */
export const MAX_REPEAT = 200;
const MAX_COLUMNS = 16_384;

const emptyRow = (): FilledRow => ({ columns: [], cells: [] });
/** `rowsBelow`: how many rows may continue it; `isContinued`: it continues the one above, if any. */
const EMPTY_CELL = { cell: "", columns: 1, rowsBelow: Infinity, isContinued: false };
const emptyTable = () => ({
  ...EMPTY_CELL,
  rows: new Array<FilledRow>(),
  row: emptyRow(),
  characters: 0,
  rowCharacters: 0,
  column: 0,
  repeat: 1,
  gridColumns: 0,
  /** Whether the row has text that no row above gives. */
  hasText: false,
  /** By column: the cell that may go on in the next row. */
  above: new Map<number, { cell: string; rowsBelow: number }>(),
});
type OpenTable = ReturnType<typeof emptyTable>;

/** The count of a repetition or a span. */
export const countOf = (text: string) => Math.max(1, Math.floor(Number(text)) || 1);

/** In Word, a grid of a single column is a frame around paragraphs. */
const isTable = ({ gridColumns }: OpenTable) => gridColumns !== 1;

/** The open tables, nested in each other's cells; rows of the outermost are handed out. */
export class NestedTables {
  readonly #open: OpenTable[] = [];

  /** Whether text belongs to a cell. */
  get takesText(): boolean {
    return this.#open.some(isTable);
  }

  open(): void {
    this.#open.push(emptyTable());
  }

  /** The innermost table; outside of tables one that nothing is read from. */
  get #table(): OpenTable {
    return this.#open.at(-1) ?? emptyTable();
  }

  addGridColumn(): void {
    this.#table.gridColumns++;
  }

  openRow(repeat = 1): void {
    const row = { row: emptyRow(), rowCharacters: 0, column: 0, repeat, hasText: false };
    Object.assign(this.#table, row satisfies Partial<OpenTable>);
  }

  skipColumns(count: number): void {
    if (count > 0) this.#table.column += Math.min(Math.floor(count), MAX_REPEAT);
  }

  openCell(columns = 1): void {
    this.changeCell({ ...EMPTY_CELL, columns });
  }

  changeCell(change: Partial<typeof EMPTY_CELL>): void {
    Object.assign(this.#table, change);
  }

  write(text: string): void {
    const table = this.#open.findLast(isTable);
    if (table !== undefined) table.cell = longer(table.cell, `${text}\n`);
  }

  /**
   * The cell stands in the first `copies` of its columns.
   * @throws UnreadableDocument when repetitions make a row longer than any real one.
   */
  closeCell(copies = 1): void {
    const table = this.#table;
    const { cell, rowsBelow, column, columns, above } = table;
    const hasText = foldSpace(cell) !== "";
    const isCovered = table.isContinued && !hasText;
    if (!isCovered) above.set(column, { cell: cell.length <= MAX_REPEATED ? cell : "", rowsBelow });
    const room = hasText || isCovered ? Math.max(0, MAX_COLUMNS - column) : 0;
    const count = Math.min(copies, columns, MAX_REPEAT, room);
    for (let at = column; at < column + count; at++) {
      const text = isCovered ? this.#above(at) : cell;
      table.rowCharacters = withinBound(table.rowCharacters + text.length);
      addCell(table.row, at, text);
    }
    // If a cell is written fewer times than it is repeated, the next cells keep their columns.
    table.column += columns;
    table.hasText ||= hasText;
  }

  #above(column: number): string {
    const above = this.#table.above.get(column);
    if (above === undefined || above.rowsBelow <= 0) return "";
    above.rowsBelow -= this.#table.repeat;
    return above.cell;
  }

  /** A row that only cells above cover is left out. */
  closeRow(): FilledRow[] {
    const table = this.#table;
    const { row } = table;
    if (!isTable(table) || (row.cells.length > 0 && !table.hasText)) return [];
    const count = row.cells.length === 0 ? 1 : Math.min(table.repeat, MAX_REPEAT);
    const rows = Array.from({ length: count }, () => row);
    if (this.#open.find(isTable) === table) return rows;
    table.characters = withinBound(table.characters + charactersOf(row) * count);
    table.rows.push(...rows);
    return [];
  }

  /** Returns whether the outermost table ended; an inner one becomes text of its cell. */
  close(): boolean {
    const table = this.#open.pop();
    if (table === undefined || !isTable(table)) return false;
    if (!this.takesText) return true;
    this.write(table.rows.flatMap(({ cells }) => cells).join("\n"));
    return false;
  }
}
