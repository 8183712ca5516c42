import { BlockList, MAX_NESTED_TABLES } from "../../writing/block-list.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { hasClass, type Attributes } from "./html-roles.ts";
import { TableCollector } from "./table-collector.ts";

type OpenCell = { blocks: BlockList; columnSpan: number; rowSpan: number };
type OpenTable = { rows: TableCollector; isLayout: boolean; cell: OpenCell | null };

/** A longer cell is no value. */
const LONG_CELL = 1 << 17;

export class OpenTables {
  readonly #open: OpenTable[] = [];
  /** Those of them with an open cell. */
  readonly #filling: OpenTable[] = [];
  readonly #out: MarkdownBuilder;

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  /** The innermost cell, unless its table is for layout. */
  get cell(): BlockList | undefined {
    return this.#filling.at(-1)?.cell?.blocks;
  }

  /** The innermost cell or the page, where text is written. */
  get target(): MarkdownBuilder | BlockList {
    return this.cell ?? this.#out;
  }

  /** A highlighter's table places numbers beside lines of code. */
  openTable(attributes: Attributes): void {
    if (this.#filling.length >= MAX_NESTED_TABLES) this.makeLayout();
    const isLayout = hasClass(attributes, "highlighttable");
    this.#open.push({ rows: new TableCollector(this.target), isLayout, cell: null });
  }

  startRow(): void {
    const current = this.#open.at(-1);
    if (current?.isLayout !== false) return;
    // An inline element without an end keeps the cell open that holds it.
    this.closeCell();
    current.rows.startRow();
  }

  openCell(name: string, { colspan = "1", rowspan = "1" }: Record<string, string>): void {
    const current = this.#open.at(-1);
    if (current === undefined || current.isLayout) return;
    this.closeCell();
    current.rows.table.hasHeads ||= name === "th";
    const spans = { columnSpan: Number(colspan), rowSpan: Number(rowspan) };
    current.cell = { blocks: new BlockList(), ...spans };
    this.#filling.push(current);
  }

  closeCell(): void {
    const current = this.#open.at(-1);
    if (!current?.cell) return;
    const { blocks, columnSpan, rowSpan } = current.cell;
    current.rows.addCell(blocks, columnSpan, rowSpan);
    current.cell = null;
    this.#filling.pop();
  }

  /** The innermost cell, and those before it, are blocks around the text. */
  makeLayout(): void {
    const current = this.#filling.pop();
    if (!current?.cell) return;
    const { rows, cell } = current;
    current.isLayout = true;
    current.cell = null;
    rows.endRow();
    rows.table.layOut();
    cell.blocks.writeTo(this.target);
  }

  /** Lets no cell grow beyond what a value has. */
  limitCell(): void {
    if ((this.cell?.cost ?? 0) > LONG_CELL) this.makeLayout();
  }

  closeTable(): void {
    this.closeCell();
    const last = this.#open.pop();
    if (last?.isLayout === false) last.rows.end();
  }

  closeAll(): void {
    while (this.#open.length > 0) this.closeTable();
  }
}
