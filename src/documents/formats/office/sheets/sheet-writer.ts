import type { FilledRow } from "../../../writing/block-list.ts";
import { checkRowSize } from "../../../writing/bounded-text.ts";
import { LongTable } from "../../../writing/long-table.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { addCell, charactersOf } from "../../../writing/table-text.ts";

/** Wider rows are broken: no table shows them. */
const MAX_COLUMNS = 2_000;

const FIGURE = /\d/;

/** Empty rows before a header separate tables; rows of one cell before a table are its caption. */
export class SheetWriter {
  #hasCaption = false;
  #isAfterGap = false;
  /** Columns that the table has had so far. */
  #columns = new Set<number>();
  #hasFigures = false;
  /** Heading to write before the first row: a sheet without text has no heading. */
  #sheet: { page: number; name: string } | null;
  readonly #table: LongTable;
  readonly #out: MarkdownBuilder;

  constructor(out: MarkdownBuilder, sheet: { page: number; name: string } | null = null) {
    this.#out = out;
    this.#sheet = sheet;
    this.#table = new LongTable(out);
  }

  begin(): void {
    if (this.#sheet === null) return;
    this.#out.page(this.#sheet.page);
    this.#out.heading(1, this.#sheet.name);
    this.#sheet = null;
  }

  /** @throws UnreadableDocument when a row holds more text than any real one. */
  addRow(row: FilledRow): void {
    checkRowSize(charactersOf(row));
    if ((row.columns.at(-1) ?? 0) < MAX_COLUMNS) this.#addRow(row);
    else for (const part of partsOf(row)) this.#addRow(part);
  }

  skipRows(): void {
    if (this.#table.length > 1) this.#isAfterGap = true;
    else this.endTable();
  }

  #addRow(row: FilledRow): void {
    if (row.cells.length === 0) {
      this.#isAfterGap = true;
      return;
    }
    if (this.#isAfterGap && !this.#isContinuation(row)) this.endTable();
    this.#isAfterGap = false;
    this.begin();
    if (this.#table.length === 0) this.#columns = new Set(row.columns);
    else this.#hasFigures ||= row.cells.some((cell) => FIGURE.test(cell));
    if (this.#table.length === 0 && row.cells.length === 1) {
      this.#hasCaption = true;
      this.#out.paragraph(row.cells.join(" "));
    } else this.#table.add([row]);
  }

  /** Whether a row after an empty one is no header of a table of its own. */
  #isContinuation({ columns, cells }: FilledRow): boolean {
    // A single row between empty rows may be the header of the rows that follow.
    if (this.#table.length === 1) return !this.#hasCaption;
    const isWithin = cells.length > 1 && columns.every((column) => this.#columns.has(column));
    return isWithin && this.#hasFigures === cells.some((cell) => FIGURE.test(cell));
  }

  endTable(): void {
    this.#hasCaption = false;
    this.#hasFigures = false;
    this.#table.end();
  }
}

function partsOf({ columns, cells }: FilledRow): FilledRow[] {
  const parts = new Map<number, FilledRow>();
  for (const [at, column] of columns.entries()) {
    const key = Math.floor(column / MAX_COLUMNS);
    const part = parts.get(key) ?? { columns: [], cells: [] };
    addCell(part, column % MAX_COLUMNS, cells[at]);
    parts.set(key, part);
  }
  return [...parts.values()];
}
