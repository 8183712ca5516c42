import { longer } from "../../../writing/bounded-text.ts";
import { TableCollector } from "../../html/table-collector.ts";

export const EMPTY_CELL = { cell: "", span: 1, isContinued: false };

/** `isBox`: a frame around paragraphs, whose grid has a single column. */
type OpenTable = typeof EMPTY_CELL & { table: TableCollector; columns: number; isBox: boolean };

/** The open tables, nested in each other's cells; rows of the outermost are handed out. */
export class DocxTables {
  readonly #open: OpenTable[] = [];

  open(): void {
    this.#open.push({ table: new TableCollector(), ...EMPTY_CELL, columns: 0, isBox: false });
  }

  addColumn(): void {
    const table = this.#open.at(-1);
    if (table !== undefined) table.columns++;
  }

  /** Starts a row; returns rows of the outermost table that need not be kept any longer. */
  startRow(): string[][] {
    const open = this.#open.at(-1);
    if (open === undefined) return [];
    open.isBox = open.columns === 1;
    if (open.isBox) return [];
    const rows = this.#outermost() === open ? open.table.takeMany() : [];
    open.table.startRow();
    return rows;
  }

  skipColumns(count: number): void {
    const open = this.#open.at(-1);
    if (open !== undefined && !open.isBox && count > 0) open.table.addCell("", count);
  }

  change(change: Partial<OpenTable>): void {
    Object.assign(this.#open.at(-1) ?? {}, change);
  }

  get takesText(): boolean {
    return this.#outermost() !== undefined;
  }

  write(text: string): void {
    const table = this.#open.findLast(({ isBox }) => !isBox);
    if (table !== undefined) table.cell = longer(table.cell, `\n${text}`);
  }

  closeCell(): void {
    const open = this.#open.at(-1);
    if (open === undefined || open.isBox) return;
    open.table.addCell(open.isContinued ? "" : open.cell, open.span);
  }

  /** The remaining rows of the outermost table; null where a box or an inner table ends. */
  close(): string[][] | null {
    const closed = this.#open.pop();
    if (closed === undefined || closed.isBox) return null;
    if (!this.takesText) return closed.table.rows;
    this.write(closed.table.rows.flat().join("\n"));
    return null;
  }

  #outermost(): OpenTable | undefined {
    return this.#open.find(({ isBox }) => !isBox);
  }
}
