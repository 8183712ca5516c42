import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { hasClass, type Attributes } from "./html-roles.ts";
import { TableCollector } from "./table-collector.ts";

type OpenTable = { table: TableCollector; isLayout: boolean; hasHeads: boolean };

export const BLANK_LINE = /\n\s*\n/;
const LONG_IN_ONE_ROW = 200;
const LONG_CHARACTERS = 1_000;
const LONG_BLOCKS = 3;

/** Whether a cell without a header holds a passage, not a value. */
function placesThings(rows: string[][]): boolean {
  if (rows.length === 1) return rows.flat().some((cell) => cell.length > LONG_IN_ONE_ROW);
  return rows
    .flat()
    .some((cell) => cell.length > LONG_CHARACTERS && cell.split(BLANK_LINE).length >= LONG_BLOCKS);
}

export class OpenTables {
  #cell: { columnSpan: number; rowSpan: number } | null = null;
  readonly #open: OpenTable[] = [];
  readonly #out: MarkdownBuilder;

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  get isInCell(): boolean {
    return this.#cell !== null;
  }

  /** Tables within a cell of a table with a header: their cells are words of that cell. */
  #nested = 0;

  get isNested(): boolean {
    return this.#nested > 0;
  }

  nest(): boolean {
    const isNested = this.isInCell && this.hasHeads;
    if (isNested) this.#nested++;
    return isNested;
  }

  get hasHeads(): boolean {
    return this.#open.at(-1)?.hasHeads ?? false;
  }

  /** A highlighter's table places numbers beside lines of code. */
  openTable(attributes: Attributes): void {
    const isLayout = hasClass(attributes, "highlighttable");
    this.#open.push({ table: new TableCollector(this.#out), isLayout, hasHeads: false });
  }

  startRow(): void {
    const current = this.#open.at(-1);
    if (current?.isLayout === false && !this.isNested) current.table.startRow();
  }

  openCell(name: string, { colspan = "1", rowspan = "1" }: Record<string, string>): boolean {
    const current = this.#open.at(-1);
    if (current === undefined || current.isLayout || this.isNested) return false;
    current.hasHeads ||= name === "th";
    this.#cell = { columnSpan: Number(colspan), rowSpan: Number(rowspan) };
    return true;
  }

  closeCell(text: string): void {
    if (this.#cell === null) return;
    this.#open.at(-1)?.table.addCell(text, this.#cell.columnSpan, this.#cell.rowSpan);
    this.#cell = null;
  }

  makeLayout(): void {
    const outer = this.#open.at(-1);
    if (outer === undefined || outer.isLayout) return;
    outer.isLayout = true;
    if (outer.table.isLong) outer.table.end();
    else for (const cell of outer.table.rows.splice(0).flat()) this.#out.paragraph(cell);
    this.#cell = null;
  }

  closeTable(): void {
    if (this.isNested) {
      this.#nested--;
      return;
    }
    const last = this.#open.pop();
    if (last === undefined || last.isLayout) return;
    const { table, hasHeads } = last;
    if (!table.isLong && !hasHeads && placesThings(table.rows)) {
      for (const cell of table.rows.flat())
        for (const part of cell.split(BLANK_LINE)) this.#out.paragraph(part);
      return;
    }
    table.end();
  }

  closeAll(): void {
    while (this.#open.length > 0) this.closeTable();
  }
}
