import type { MarkdownBuilder } from "./markdown-builder.ts";

/** So many rows tell which columns are used; those after them are written as they come. */
const HELD_ROWS = 1_000;

/** A table of any length, of which only the first rows are ever held. */
export class LongTable {
  /** Rows added since the last end. */
  length = 0;
  #held: string[][] = [];
  /** Once the first rows are written. */
  #columns: number[] | null = null;
  readonly #out: MarkdownBuilder;

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  /** The first row of all is the header. */
  add(rows: string[][]): void {
    this.length += rows.length;
    if (this.#columns !== null) this.#out.moreRows(rows, this.#columns);
    else {
      this.#held.push(...rows);
      if (this.#held.length < HELD_ROWS) return;
      const columns = this.#out.table(this.#held.splice(0));
      if (columns.length > 0) this.#columns = columns;
    }
  }

  /** Rows that are not written yet; the table ends without them. */
  take(): string[][] {
    const rows = this.#held;
    this.#held = [];
    this.end();
    return rows;
  }

  end(): void {
    if (this.#held.length > 0) this.#out.table(this.#held);
    this.#held = [];
    this.#columns = null;
    this.length = 0;
  }
}
