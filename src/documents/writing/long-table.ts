import type { BlockTarget } from "./markdown-builder.ts";
import { charactersOf, filledRow, type FilledRow } from "./table-text.ts";

/** So many rows determine which columns are used; later rows are written as they arrive. */
const HELD_ROWS = 1_000;
const HELD_CHARACTERS = 1 << 20;
/** In characters: a cell takes more memory and time than its text. */
const CELL_COST = 32;

export class LongTable {
  /** Rows added since the last table ended. */
  length = 0;
  #held: FilledRow[] = [];
  #heldCharacters = 0;
  #columns: number[] | null = null;
  readonly #out: BlockTarget;

  constructor(out: BlockTarget) {
    this.#out = out;
  }

  add(rows: string[][]): void {
    this.addFilled(rows.map(filledRow));
  }

  addFilled(rows: FilledRow[]): void {
    this.length += rows.length;
    for (const row of rows) {
      if (this.#columns === null) this.#hold(row);
      else this.#out.moreRows([row], this.#columns);
    }
  }

  #hold(row: FilledRow): void {
    this.#held.push(row);
    this.#heldCharacters += charactersOf(row) + row.cells.length * CELL_COST;
    if (this.#held.length < HELD_ROWS && this.#heldCharacters < HELD_CHARACTERS) return;
    this.#heldCharacters = 0;
    const columns = this.#out.filledTable(this.#held.splice(0));
    if (columns.length > 0) this.#columns = columns;
  }

  end(): void {
    if (this.#held.length > 0) this.#out.filledTable(this.#held);
    this.#held = [];
    this.#heldCharacters = 0;
    this.#columns = null;
    this.length = 0;
  }
}
